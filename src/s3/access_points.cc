// SPDX-License-Identifier: Apache-2.0
#include "s3/access_points.h"

#include <algorithm>
#include <array>

namespace cairn::s3 {
namespace {

constexpr std::size_t account_digits = 12;
constexpr std::size_t alias_random = 34;
constexpr std::size_t outpost_digits = 17;
constexpr std::size_t outpost_alias_random = 20;
constexpr std::size_t label_max = 63;
constexpr std::string_view alias_characters = "abcdefghijklmnopqrstuvwxyz234567";  // 5 bits each

constexpr std::string_view scope_permissions[] = {
    "AbortMultipartUpload", "DeleteObject",
    "GetObject",            "GetObjectAttributes",
    "ListBucket",           "ListBucketMultipartUploads",
    "ListMultipartUploadParts", "PutObject"};

bool is_label_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

// Cuts a piece off up to one of `ends`; all of the text where there is none.
std::string_view take_piece(std::string_view& text, std::string_view ends) {
  const std::size_t at = text.find_first_of(ends);
  const std::string_view piece = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return piece;
}

}  // namespace

bool is_account_id(std::string_view text) {
  return text.size() == account_digits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool AccessPointScope::covers_path(std::string_view path) const {
  const auto begins_with = [&](std::string_view prefix) {
    if (prefix.ends_with('*')) prefix.remove_suffix(1);
    return path.starts_with(prefix);
  };
  return prefixes.empty() || std::any_of(prefixes.begin(), prefixes.end(), begins_with);
}

bool AccessPointScope::covers_permission(std::string_view permission) const {
  return permissions.empty() ||
         std::find(permissions.begin(), permissions.end(), permission) != permissions.end();
}

bool is_scope_permission(std::string_view text) {
  return std::find(std::begin(scope_permissions), std::end(scope_permissions), text) !=
         std::end(scope_permissions);
}

bool is_directory_access_point_name(std::string_view name) {
  const std::string_view zone = zone_id_of_access_point_name(name);
  if (zone.empty() || name.size() > label_max) return false;
  const std::string_view base =
      name.substr(0, static_cast<std::size_t>(zone.data() - name.data()) - 2);
  return base.size() >= 3 && base.size() <= 50 && base.front() != '-' && base.back() != '-' &&
         std::all_of(name.begin(), name.end(), is_label_character);
}

bool is_access_point_name(std::string_view name) {
  if (name.size() < 3 || name.size() > 50) return false;
  if (name.front() == '-' || name.back() == '-') return false;
  if (!std::all_of(name.begin(), name.end(), is_label_character)) return false;
  if (name.starts_with("xn--")) return false;
  for (const std::string_view end : {"-s3alias", "--ol-s3", "--x-s3", "--xa-s3", "--op-s3"})
    if (name.ends_with(end)) return false;
  return true;
}

bool is_access_point_alias(std::string_view name) {
  return name.size() > alias_suffix.size() && name.size() <= label_max &&
         name.ends_with(alias_suffix) && std::all_of(name.begin(), name.end(), is_label_character);
}

std::string access_point_alias(std::string_view name, std::string_view random) {
  std::string alias(name.substr(0, label_max - alias_suffix.size() - alias_random - 1));
  while (alias.ends_with('-')) alias.pop_back();
  alias += '-';
  for (std::size_t i = 0; i < alias_random; ++i)
    alias += alias_characters[static_cast<unsigned char>(random[i]) % alias_characters.size()];
  return alias += alias_suffix;
}

bool is_outpost_id(std::string_view text) {
  constexpr std::string_view start = "op-";
  if (text.size() != start.size() + outpost_digits || !text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

bool is_outpost_alias(std::string_view name) {
  return name.size() >= 50 && name.size() <= label_max && name.ends_with(outpost_alias_suffix) &&
         std::all_of(name.begin(), name.end(), is_label_character);
}

std::string outpost_alias(const AccessPoint& point, std::string_view random) {
  std::string alias(point.name.substr(0, label_max - 50 - 1));
  while (alias.ends_with('-')) alias.pop_back();
  alias += "-o";
  alias += point.outpost_id.substr(point.outpost_id.size() - outpost_digits);
  for (std::size_t i = 0; i < outpost_alias_random; ++i)
    alias += alias_characters[static_cast<unsigned char>(random[i]) % alias_characters.size()];
  // "us-east-1": "use1".
  const std::string& region = point.region;
  const std::size_t dash = region.find('-');
  std::string code = region.substr(0, 2);
  if (dash != std::string::npos && dash + 1 < region.size()) code += region[dash + 1];
  if (!region.empty()) code += region.back();
  code.resize(4, '0');
  for (const char c : code) alias += is_label_character(c) ? c : '0';
  return (alias += '0') += outpost_alias_suffix;
}

std::string key_of(std::string_view outpost_id, std::string_view name) {
  if (outpost_id.empty()) return std::string(name);
  return std::string(outpost_id).append("/").append(name);
}

std::string arn_of(const AccessPoint& point) {
  if (point.is_of_outpost())
    return "arn:aws:s3-outposts:" + point.region + ":" + point.owner.account_id + ":outpost/" +
           point.outpost_id + "/accesspoint/" + point.name;
  return std::string(point.is_directory() ? "arn:aws:s3express:" : "arn:aws:s3:") + point.region + ":" +
         point.owner.account_id + ":accesspoint/" + point.name;
}

std::optional<AccessPointName> access_point_of_label(std::string_view label) {
  if (label.size() < account_digits + 2) return std::nullopt;
  const std::string_view account = label.substr(label.size() - account_digits);
  const std::string_view name = label.substr(0, label.size() - account_digits - 1);
  if (label[name.size()] != '-' || !is_account_id(account)) return std::nullopt;
  return AccessPointName{.account_id = std::string(account), .name = std::string(name)};
}

std::string label_of(const AccessPoint& point) {
  return point.is_directory() ? point.name : point.name + "-" + point.owner.account_id;
}

std::optional<AccessPointArn> parse_access_point_arn(std::string_view text) {
  std::array<std::string_view, 5> head;  // arn, partition, service, region, account
  for (std::string_view& piece : head) piece = take_piece(text, ":");
  if (head[0] != "arn" || head[1].empty() || head[2].empty() || !is_account_id(head[4]))
    return std::nullopt;
  AccessPointArn arn{.service = std::string(head[2]), .region = std::string(head[3])};
  arn.point.account_id = head[4];
  std::string_view kind = take_piece(text, ":/");
  if (kind == "outpost") {
    arn.outpost_id = take_piece(text, ":/");
    if (arn.outpost_id.empty()) return std::nullopt;
    arn.point.outpost_id = arn.outpost_id;
    kind = take_piece(text, ":/");
  }
  if (kind != "accesspoint") return std::nullopt;
  arn.point.name = take_piece(text, "/");
  if (arn.point.name.empty()) return std::nullopt;
  if (text.empty()) return arn;
  constexpr std::string_view object = "object/";
  if (!text.starts_with(object)) return std::nullopt;
  arn.key = text.substr(object.size());
  return arn;
}

}  // namespace cairn::s3
