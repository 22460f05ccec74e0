// SPDX-License-Identifier: Apache-2.0
// What the limits do, as metrics: decisions, refusals, requests under way, CPU time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "os/metrics.h"
#include "ratelimit/limiter.h"
#include "ratelimit/rule_counts.h"

namespace cairn::gate {

enum class RuleResult : std::uint8_t { admitted, refused, shadowed };

/// Counts for every limiter alike, whether its state is here or shared. Safe from any thread. The
/// registry outlives it, and shows nothing of it afterwards.
class LimitMetrics {
 public:
  /// Of one resource on one surface.
  struct Decisions {
    std::string resource = {};
    std::size_t slot = 0;
  };
  explicit LimitMetrics(os::Metrics& metrics);

  /// The same object for the same names, as long as this object lives.
  const Decisions& decisions(ratelimit::Surface surface, const std::string& resource);
  void decided(const Decisions& of, ratelimit::Surface surface,
               const ratelimit::Decision& decision);
  /// Counts what one of the operator's rules said.
  void rule_decided(const std::string& rule, RuleResult result);
  /// The same of all that a request met; where other limits did not admit it, those alone that
  /// refused.
  void rules_decided(const ratelimit::RuleCounts& counts, bool admitted);
  struct RuleDecisions {
    std::uint64_t admitted = 0, refused = 0, would_be_refused = 0;
  };
  /// Since the start; zeros for a rule that was not asked.
  RuleDecisions of_rule(const std::string& rule) const;
  void began(ratelimit::Surface surface);
  void ended(ratelimit::Surface surface, std::int64_t cpu_ns);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cairn::gate
