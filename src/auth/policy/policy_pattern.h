// SPDX-License-Identifier: Apache-2.0
// Texts of policies: * for any run of characters, ? for one, ${key} for a value of the request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/policy/policy_key.h"

namespace cairn::auth {

struct PatternParams {
  bool wildcards = true;  // * and ? are such
  bool variables = true;  // ${key}, ${key, 'otherwise'}, ${*}, ${?}, ${$} are such
  bool fold_case = false;
};

/// Immutable; safe from any thread. Matching allocates only where there are variables.
class PolicyPattern {
 public:
  static PolicyPattern compile(std::string_view text, const PatternParams& params);

  /// A pattern with a variable that the request has no value for, or several, matches nothing.
  bool matches(std::string_view subject, const PolicyFacts& facts) const;
  /// Whether it could match, whatever the values of its variables.
  bool may_match(std::string_view subject) const;
  /// Whether it could match some text that begins so.
  bool may_match_beginning(std::string_view prefix) const;
  /// True where the text says more than itself: wildcards or variables.
  bool is_open() const { return open_; }
  /// All that there is to it, of a pattern that is not open.
  const std::string& text() const { return text_; }

 private:
  struct Piece {
    std::u16string glob = {};                // bytes, and the two signs above them
    std::optional<PolicyKey> variable = {};  // instead of the glob
    std::optional<std::string> otherwise = {};
  };
  std::optional<std::u16string> filled(const PolicyFacts& facts) const;
  std::u16string widened() const;

  std::string text_;
  std::vector<Piece> pieces_;
  bool open_ = false;
  bool fold_case_ = false;
  bool variables_ = false;
};

}  // namespace cairn::auth
