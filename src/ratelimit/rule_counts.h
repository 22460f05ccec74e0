// SPDX-License-Identifier: Apache-2.0
// What the operator's own rules say to one request, beside the other limits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ratelimit/limiter.h"

namespace cairn::ratelimit {

/// What rules look at.
struct RuleRequest {
  const Identity& identity;
  /// Names of indices, or the bucket, as the path has them; expressions too ("books*", "_all").
  std::vector<std::string_view> indices = {};
  /// The value of a header field, asked for in lower case. Null: there are no fields.
  std::function<std::optional<std::string_view>(std::string_view name)> header = {};
  /// The account of the address that it comes from, "ip:192.0.2.1". Null, or empty: it has none, and
  /// no rule counts it by that.
  std::function<std::string()> address = {};
  /// Nothing: it is known when the body was read.
  std::optional<std::uint64_t> body_bytes = 0;
};

/// What one rule has counted of a request.
struct RuleCount {
  const LimitRule* rule = nullptr;
  WindowState window = {};
  bool shadowed = false;          // the rule would have refused, and shadow mode let it pass
  std::uint32_t nth_refusal = 0;  // as Decision::nth_refusal
  std::uint32_t retry_after_s = 0;
};

/// Counts one request by the rules that it meets: by all of them, or by none where one refuses.
/// For one thread. The limiter outlives it.
class RuleCounts {
 public:
  /// `rules` are those of the request's route, and of `policy`, which is kept. Asks the limiter
  /// once for each rule that the request meets, in their order, until one refuses; then, and by
  /// undo(), what was counted is taken back.
  RuleCounts(Limiter& limiter, std::shared_ptr<const Policy> policy,
             const std::vector<const LimitRule*>& rules, const RuleRequest& request);

  /// The rule that refused; null: none did.
  const RuleCount* refused() const { return refused_ ? &*refused_ : nullptr; }
  /// What the request is told where a rule refused, and nothing was charged: that the rule did,
  /// unless the primary limit would have as well, which goes first.
  Decision refusal(const Identity& identity, const Charge& charge) const;
  /// In the order of the rules, up to the one that refused.
  const std::vector<RuleCount>& counts() const { return counts_; }
  /// For a request that another limit refused.
  void undo();

  /// The request holds so many searches, of which one was counted: tests and counts the others by
  /// the rules that weigh searches. False where one refuses; then none of them is counted.
  bool weigh_searches(std::uint64_t searches);
  /// The body had so many bytes: counts them where their number was not known before. Refuses
  /// nothing: they were read.
  void took_body(std::uint64_t bytes);
  bool awaits_body() const { return awaits_body_; }

  /// What the rules that `request` meets would say now; charges nothing.
  static std::vector<std::pair<RuleCount, Decision>> test(
      Limiter& limiter, const Policy& policy, const std::vector<const LimitRule*>& rules,
      const RuleRequest& request);

 private:
  struct Ask {
    const LimitRule* rule;
    Identity counted;
    Charge charge;
  };
  static std::vector<Ask> asks_of(const Policy& policy, const LimitRule& rule,
                                  const RuleRequest& request);
  static Charge charge_of(const LimitRule& rule, const RuleRequest& request);
  bool count(const Ask& ask);

  Limiter& limiter_;
  const std::shared_ptr<const Policy> policy_;
  std::vector<Ask> asks_;              // that were admitted
  std::vector<Admission> admissions_;  // of them; empty after the decision
  std::vector<RuleCount> counts_;
  std::optional<RuleCount> refused_;
  bool awaits_body_ = false;
};

}  // namespace cairn::ratelimit
