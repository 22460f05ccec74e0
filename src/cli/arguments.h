// SPDX-License-Identifier: Apache-2.0
// The words of a command line: options with values, flags, and what is neither.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::cli {

/// What a command takes.
struct Syntax {
  std::vector<std::string> options = {};  // "--name VALUE" or "--name=VALUE"; may come several times
  std::vector<std::string> flags = {};    // "--json"
  std::size_t words_min = 0;
  std::size_t words_max = 0;
  std::vector<std::string> switches = {};  // "--name", "--no-name", "--name=VALUE", "--name true"
};

class Arguments {
 public:
  /// Errors: invalid_argument for an unknown option (with the nearest known one), a missing value,
  /// too few or too many words. After "--" everything is a word.
  static Result<Arguments> parse(const std::vector<std::string>& words, const Syntax& syntax);

  bool flag(std::string_view name) const;
  std::optional<std::string> option(std::string_view name) const;  // the last one given
  /// All in the order given. Of a switch without a value an empty text, of its "--no-" "false".
  std::vector<std::string> options(std::string_view name) const;
  /// Every option and flag with its value, in the order given.
  const std::vector<std::pair<std::string, std::string>>& in_order() const { return in_order_; }
  const std::vector<std::string>& words() const { return words_; }

 private:
  void add(std::string name, std::string value);
  /// True where the word at `at` is one.
  bool add_switch(const std::string& name, const std::vector<std::string>& words, std::size_t& at,
                  const Syntax& syntax);
  std::multimap<std::string, std::string, std::less<>> values_;
  std::vector<std::pair<std::string, std::string>> in_order_;
  std::vector<std::string> words_;
};

}  // namespace cairn::cli
