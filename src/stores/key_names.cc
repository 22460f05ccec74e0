// SPDX-License-Identifier: Apache-2.0
// A key is cut at its slashes. A piece becomes the name of a directory ("piece+") or, at the end,
// of a file ("piece"), with all but letters, digits, "_", "-" and inner dots as %XX; an empty piece
// is
// "%". Of a piece of 80 bytes or more the first 80 become a directory "bytes~" that adds no slash.
// The suffixes keep files and directories apart, so that "a" and "a/b" can both be keys.
#include "stores/key_names.h"

#include "base/encode.h"

namespace cairn::stores {
namespace {

constexpr std::size_t chunk = 80;  // 240 bytes when all are escaped

std::string name_of(std::string_view piece) {
  if (piece.empty()) return "%";
  std::string name;
  constexpr char digits[] = "0123456789ABCDEF";
  for (const char c : piece) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || (c == '.' && !name.empty());
    if (plain) {
      name += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    name += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return name;
}

}  // namespace

std::string path_of_key(std::string_view key) {
  std::string path;
  for (;;) {
    const std::size_t slash = key.find('/');
    std::string_view piece = key.substr(0, slash);
    for (; piece.size() >= chunk; piece.remove_prefix(chunk))
      path += name_of(piece.substr(0, chunk)) + "~/";
    path += name_of(piece);
    if (slash == std::string_view::npos) return path;
    path += "+/";
    key.remove_prefix(slash + 1);
  }
}

std::optional<KeyName> key_of_name(std::string_view name) {
  const char last = name.empty() ? '\0' : name.back();
  const std::string_view bare = last == '+' || last == '~' ? name.substr(0, name.size() - 1) : name;
  const auto piece = bare == "%" ? std::string() : percent_decode(bare);
  // Only the one spelling that a key has; other files are somebody else's.
  if (!piece || name_of(*piece) != bare) return std::nullopt;
  if (last == '~') {
    if (piece->size() != chunk) return std::nullopt;
    return KeyName{.text = *piece, .is_file = false};
  }
  if (piece->size() >= chunk) return std::nullopt;
  return KeyName{.text = last == '+' ? *piece + "/" : *piece, .is_file = last != '+'};
}

}  // namespace cairn::stores
