// SPDX-License-Identifier: Apache-2.0
// What the limits do, as metrics: decisions, refusals, requests under way, CPU time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "os/metrics.h"
#include "ratelimit/limiter.h"

namespace cairn::gate {

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
  void began(ratelimit::Surface surface);
  void ended(ratelimit::Surface surface, std::int64_t cpu_ns);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cairn::gate
