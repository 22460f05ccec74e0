// SPDX-License-Identifier: Apache-2.0
#include "remotestore/names.h"

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"

namespace cairn::remotestore {
namespace {

constexpr std::size_t piece_bytes_max = 255;  // what clusters on file systems allow
constexpr std::size_t hash_digits = 64;

bool is_plain_piece(std::string_view piece) {
  return !piece.empty() && piece.size() <= piece_bytes_max && piece != "." && piece != "..";
}

bool is_lower_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::size_t sendable_bytes(std::string_view text) {
  std::size_t good = valid_utf8_prefix(text);
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  };
  const auto* const first = std::find_if(text.data(), text.data() + good, is_control);
  good = static_cast<std::size_t>(first - text.data());
  // U+FFFE and U+FFFF are no characters of XML.
  for (const std::string_view never : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    good = std::min(good, text.substr(0, good).find(never));
  return good;
}

bool is_plain_prefix(std::string_view prefix) {
  if (sendable_bytes(prefix) != prefix.size() || !prefix.ends_with('/')) return false;
  prefix.remove_suffix(1);
  for (const std::string_view piece : split(prefix, '/'))
    if (!is_plain_piece(piece)) return false;
  return true;
}

bool is_plain_key(std::string_view key, std::size_t prefix_bytes) {
  if (key.size() + prefix_bytes > key_bytes_max || key.starts_with(own_area)) return false;
  if (sendable_bytes(key) != key.size()) return false;
  for (const std::string_view piece : split(key, '/'))
    if (!is_plain_piece(piece)) return false;
  return true;
}

std::string name_of_key(std::string_view key, std::size_t prefix_bytes) {
  if (is_plain_key(key, prefix_bytes)) return std::string(key);
  std::string name(aside_area);
  if (key.size() <= aside_head_bytes) return name + to_hex(key);
  return name + to_hex(key.substr(0, aside_head_bytes)) + "." + to_hex(sha256(key));
}

std::optional<AsideName> parse_aside_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string_view digits = name.substr(0, dot);
  if (!is_lower_hex(digits)) return std::nullopt;
  auto head = from_hex(digits);
  if (!head || head->empty() || head->size() > aside_head_bytes) return std::nullopt;
  if (dot == std::string_view::npos) return AsideName{std::move(*head), true};
  const std::string_view hash = name.substr(dot + 1);
  if (head->size() != aside_head_bytes || hash.size() != hash_digits || !is_lower_hex(hash))
    return std::nullopt;
  return AsideName{std::move(*head), false};
}

std::string aside_prefix(std::string_view key_prefix) {
  if (key_prefix.size() <= aside_head_bytes) return to_hex(key_prefix);
  return to_hex(key_prefix.substr(0, aside_head_bytes)) + ".";
}

}  // namespace cairn::remotestore
