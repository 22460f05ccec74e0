// SPDX-License-Identifier: Apache-2.0
// Which names a command takes: --include and --exclude, the last one that matches decides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"

namespace cairn::cli {

/// True where the pattern matches all of the name: `*` stands for any characters, '/' among them,
/// `?` for one, `[a-z]` and `[!a-z]` for one of a set. Both are UTF-8.
bool matches_pattern(std::string_view pattern, std::string_view name);

/// Names are relative to the folder or prefix that a command works on. Without a rule that matches
/// a name is taken.
class NameFilter {
 public:
  struct Rule {
    bool include;
    std::string pattern;
  };
  NameFilter() = default;
  explicit NameFilter(std::vector<Rule> rules) : rules_(std::move(rules)) {}
  /// --include and --exclude in the order given.
  explicit NameFilter(const Arguments& arguments);
  bool takes(std::string_view name) const;

 private:
  std::vector<Rule> rules_;
};

}  // namespace cairn::cli
