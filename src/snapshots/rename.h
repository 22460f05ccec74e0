// SPDX-License-Identifier: Apache-2.0
// New names of restored indices.
#pragma once

#include <regex.h>

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"

namespace cairn::snapshots {

/// One compiled expression of rename_pattern.
class Rename {
 public:
  /// `pattern` is a POSIX extended regular expression; where it is empty, every name stays. $1 to
  /// $9 of `replacement` stand for its groups. Errors: illegal_argument_exception for a pattern
  /// that is no expression, or refers back to its own groups.
  static Result<std::unique_ptr<Rename>> compile(const std::string& pattern,
                                                 std::string replacement);
  ~Rename();
  Rename(const Rename&) = delete;
  Rename& operator=(const Rename&) = delete;

  /// `name` with every match replaced.
  std::string apply(const std::string& name) const;

 private:
  explicit Rename(std::string replacement) : replacement_(std::move(replacement)) {}

  void append_replacement(std::string& out, const std::string& text,
                          const regmatch_t (&groups)[10]) const;

  regex_t expression_{};
  bool compiled_ = false;
  std::string replacement_;
};

}  // namespace cairn::snapshots
