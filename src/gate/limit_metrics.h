// SPDX-License-Identifier: Apache-2.0
// What the limits do, as numbers: decisions, refusals, requests under way, CPU time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "os/metrics.h"
#include "ratelimit/limiter.h"

namespace cairn::gate {

/// Safe from any thread. The registry outlives it.
class LimitMetrics {
 public:
  /// Of one resource on one surface.
  struct Decisions {
    std::string resource = {};
    os::Counter* admitted = nullptr;
    os::Counter* refused = nullptr;
    os::Counter* shadowed = nullptr;
    os::Counter* near_limit = nullptr;  // admitted, with four fifths of the limit used
  };
  explicit LimitMetrics(os::Metrics& metrics);

  /// The same object for the same names, as long as this object lives.
  const Decisions& decisions(ratelimit::Surface surface, const std::string& resource);
  void decided(const Decisions& of, ratelimit::Surface surface,
               const ratelimit::Decision& decision);
  void began(ratelimit::Surface surface);
  void ended(ratelimit::Surface surface, std::int64_t cpu_ns);

 private:
  struct Face {
    os::Gauge* live = nullptr;
    os::Counter* cpu_us = nullptr;
    std::array<std::atomic<os::Counter*>, 10> refused{};  // by kind
  };
  Face& face(ratelimit::Surface surface) { return faces_[static_cast<std::size_t>(surface)]; }
  os::Metrics& metrics_;
  std::array<Face, ratelimit::surface_count> faces_ = {};
  std::mutex mutex_;  // around by_name_
  std::map<std::pair<ratelimit::Surface, std::string>, Decisions> by_name_;
};

}  // namespace cairn::gate
