// SPDX-License-Identifier: Apache-2.0
#include "s3/model.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::s3 {
namespace {

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool looks_like_ipv4(std::string_view name) {
  const auto pieces = split(name, '.');
  return pieces.size() == 4 && std::all_of(pieces.begin(), pieces.end(), [](std::string_view p) {
           return !p.empty() && p.size() <= 3 &&
                  std::all_of(p.begin(), p.end(), [](char c) { return c >= '0' && c <= '9'; });
         });
}

// "base--zone" before the suffix.
std::string_view zone_before(std::string_view name, std::string_view suffix) {
  constexpr std::string_view before = "--";
  if (!name.ends_with(suffix)) return {};
  name.remove_suffix(suffix.size());
  const std::size_t at = name.rfind(before);
  if (at == std::string_view::npos || at == 0) return {};
  return name.substr(at + before.size());
}

}  // namespace

bool is_archived(const Object& object, std::int64_t now_ms) {
  const std::string& stored_as = object.attributes.storage_class;
  const bool archived =
      stored_as == "GLACIER" || stored_as == "DEEP_ARCHIVE" || !object.archive_tier.empty();
  if (!archived) return false;
  return !object.restore || !object.restore->is_there(now_ms);
}

bool is_bucket_name(std::string_view name) {
  if (name.size() < 3 || name.size() > 63) return false;
  if (!is_lower_or_digit(name.front()) || !is_lower_or_digit(name.back())) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_lower_or_digit(c) && c != '.' && c != '-') return false;
    if (c == '.' && name[i + 1] == '.') return false;  // the last character is no dot
  }
  if (looks_like_ipv4(name)) return false;
  for (std::string_view start : {"xn--", "sthree-", "amzn-s3-demo-"})
    if (name.starts_with(start)) return false;
  for (std::string_view end : {"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"})
    if (name.ends_with(end)) return false;
  return true;
}

std::string_view name_of(ZoneType type) {
  return type == ZoneType::local_zone ? "LocalZone" : "AvailabilityZone";
}

std::string_view zone_id_of_bucket_name(std::string_view name) {
  return zone_before(name, "--x-s3");
}

std::string_view zone_id_of_access_point_name(std::string_view name) {
  return zone_before(name, "--xa-s3");
}

bool is_directory_bucket_name(std::string_view name) {
  return name.size() <= 63 && !zone_id_of_bucket_name(name).empty() &&
         is_lower_or_digit(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_reserved_bucket(std::string_view name) { return name.starts_with(".cairn-"); }

}  // namespace cairn::s3
