// SPDX-License-Identifier: Apache-2.0
// One condition of a policy's statement: an operator, a key, and the values it is compared with.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "auth/policy/policy_key.h"
#include "auth/policy/policy_pattern.h"
#include "base/result.h"
#include "format/json.h"

namespace cairn::auth {

enum class Comparison : std::uint8_t {
  text,
  text_like,
  number,
  date,
  boolean,
  binary,
  address,
  arn,
  null
};
enum class Order : std::uint8_t { equal, less, less_or_equal, greater, greater_or_equal };
/// Of several values in the request: one must fit (plain and `any` differ where there is none, and
/// under a negation), or all.
enum class Quantifier : std::uint8_t { plain, any, all };

struct PolicyOperator {
  Comparison comparison = Comparison::text;
  Order order = Order::equal;
  bool negated = false;
  bool fold_case = false;
  bool if_exists = false;
  Quantifier quantifier = Quantifier::plain;
};

/// "ForAnyValue:StringLikeIfExists" and so on; nothing for an operator that there is none.
std::optional<PolicyOperator> find_policy_operator(std::string_view name);

/// The 16 bytes of an address; of IPv4 in the form ::ffff:a.b.c.d.
using AddressBytes = std::array<unsigned char, 16>;
std::optional<AddressBytes> parse_policy_address(std::string_view text);

/// Immutable; safe from any thread.
class PolicyCondition {
 public:
  /// `value`: a text, number or boolean, or a list of them. Errors: invalid_argument with the
  /// text that the policy's own error has.
  static Result<PolicyCondition> compile(const PolicyOperator& how, std::string_view key_name,
                                         PolicyKey key, const Json& value, bool variables);

  bool holds(const PolicyFacts& facts) const;
  const PolicyKey& key() const { return key_; }
  /// True where it holds for a known few only: fixed values of a key that says who or from where.
  bool narrows() const { return narrows_; }

 private:
  struct Range {
    AddressBytes base;
    int bits;
  };
  struct Arn {
    std::vector<PolicyPattern> pieces;
  };
  Status add(const std::string& value, bool variables);
  bool fits(std::string_view value, const PolicyFacts& facts) const;
  bool fits_arn(std::string_view value, const PolicyFacts& facts) const;
  bool fits_address(std::string_view value) const;
  bool in_order(double value, double limit) const;
  bool all_fixed() const;

  PolicyOperator how_;
  PolicyKey key_;
  std::vector<PolicyPattern> texts_;
  std::vector<double> numbers_;
  std::vector<std::int64_t> times_;
  std::vector<Range> ranges_;
  std::vector<Arn> arns_;
  bool wants_true_ = false, wants_false_ = false;
  bool narrows_ = false;
};

}  // namespace cairn::auth
