// SPDX-License-Identifier: Apache-2.0
// Counts and durations of requests by operation.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gate/route.h"
#include "os/metrics.h"

namespace cairn::gate {

/// A row for each route, made in the registry when the route is first used. Safe from any thread.
class RequestMetrics {
 public:
  /// `surface` is a label: "api", "objects". The registry outlives it.
  RequestMetrics(os::Metrics& metrics, std::string surface, const std::vector<Route>& routes);
  /// `route` past the end: a request that no row fits.
  void finished(std::size_t route, int status, std::int64_t duration_ns);

 private:
  struct Row {
    std::string operation;
    std::array<std::atomic<os::Counter*>, 6> by_class{};  // 1xx to 5xx, and the rest at 0
    std::atomic<os::Histogram*> duration{nullptr};
  };
  os::Metrics& metrics_;
  const std::string surface_;
  std::vector<Row> rows_;  // one more than there are routes
};

}  // namespace cairn::gate
