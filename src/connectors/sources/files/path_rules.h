// SPDX-License-Identifier: Apache-2.0
// Which paths patterns select, as .gitignore has them. Source: gitignore(5).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::connectors {

/// One pattern: * and ? within a folder, ** across folders, [a-z], [!a-z], \ before any of them.
/// One without a slash before its end holds at any depth; one with a slash at its end for folders
/// alone. Matching takes time in proportion to pattern times path, whatever both are.
class PathPattern {
 public:
  /// Errors: invalid_argument: longer than 1,024 bytes, or nothing but slashes.
  static Result<PathPattern> parse(std::string_view text);
  bool matches(std::string_view path, bool is_folder) const;

 private:
  struct Token {
    enum class Kind { byte, any_byte, one_of, run, folders } kind = Kind::byte;
    char byte = 0;
    bool negated = false;
    std::string members = {};  // of one_of: pairs of first and last
  };
  bool matches_bytes(std::string_view path) const;

  std::vector<Token> tokens_;
  bool folders_only_ = false;
};

/// The lines of a .gitignore, for paths beneath its folder.
class IgnoreFile {
 public:
  /// `folder` is where the file lies, "" for the root. Lines that are no pattern are passed over,
  /// as those after the first 10,000.
  IgnoreFile(std::string folder, std::string_view text);
  /// True: left out; false: taken in again by a ! line; nothing where no line speaks of it.
  std::optional<bool> judge(std::string_view path, bool is_folder) const;

 private:
  struct Line {
    PathPattern pattern;
    bool takes_in = false;
  };
  std::string folder_;
  std::vector<Line> lines_;
};

}  // namespace cairn::connectors
