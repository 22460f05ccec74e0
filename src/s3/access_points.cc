// SPDX-License-Identifier: Apache-2.0
#include "s3/access_points.h"

#include <algorithm>
#include <array>

namespace cairn::s3 {
namespace {

constexpr std::size_t account_digits = 12;
constexpr std::size_t alias_random = 34;
constexpr std::size_t label_max = 63;

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
  constexpr std::string_view characters = "abcdefghijklmnopqrstuvwxyz234567";  // 5 bits each
  std::string alias(name.substr(0, label_max - alias_suffix.size() - alias_random - 1));
  while (alias.ends_with('-')) alias.pop_back();
  alias += '-';
  for (std::size_t i = 0; i < alias_random; ++i)
    alias += characters[static_cast<unsigned char>(random[i]) % characters.size()];
  return alias += alias_suffix;
}

std::string arn_of(const AccessPoint& point) {
  return "arn:aws:s3:" + point.region + ":" + point.owner.account_id + ":accesspoint/" + point.name;
}

std::optional<AccessPointName> access_point_of_label(std::string_view label) {
  if (label.size() < account_digits + 2) return std::nullopt;
  const std::string_view account = label.substr(label.size() - account_digits);
  const std::string_view name = label.substr(0, label.size() - account_digits - 1);
  if (label[name.size()] != '-' || !is_account_id(account)) return std::nullopt;
  return AccessPointName{.account_id = std::string(account), .name = std::string(name)};
}

std::string label_of(const AccessPoint& point) {
  return point.name + "-" + point.owner.account_id;
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
