// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/places/key_path.h"

#include "base/strings.h"

namespace cairn::cli {
namespace {

constexpr std::size_t path_piece_bytes_max = 255;
constexpr std::size_t key_bytes_max = 1024;

}  // namespace

std::string why_no_path(std::string_view relative) {
  if (relative.find('\0') != std::string_view::npos) return "a NUL in it";
  if (relative.starts_with('/')) return "it would be an absolute path";
  for (const std::string_view piece : split(relative, '/')) {
    if (piece == "..") return "'..' would lead out of the folder";
    if (piece == ".") return "'.' is no name of a file";
    if (piece.empty()) return "a file needs a name between two '/'";
    if (piece.size() > path_piece_bytes_max) return "a name of more than 255 bytes";
  }
  return {};
}

std::string why_no_key(std::string_view key) {
  if (!is_utf8(key)) return "keys are UTF-8, and this name is not";
  if (key.size() > key_bytes_max) return "keys have at most 1,024 bytes";
  return {};
}

}  // namespace cairn::cli
