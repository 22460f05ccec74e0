// SPDX-License-Identifier: Apache-2.0
// Lazily made metrics: the registry gives the same object for the same name and labels, so two
// threads that make one at a time agree.
#include "gate/request_metrics.h"

#include <algorithm>

namespace cairn::gate {

RequestMetrics::RequestMetrics(os::Metrics& metrics, std::string surface,
                               const std::vector<Route>& routes)
    : metrics_(metrics), surface_(std::move(surface)), rows_(routes.size() + 1) {
  for (std::size_t i = 0; i < routes.size(); ++i) rows_[i].operation = routes[i].operation;
  rows_.back().operation = "unknown";
}

void RequestMetrics::finished(std::size_t route, int status, std::int64_t duration_ns) {
  Row& row = rows_[std::min(route, rows_.size() - 1)];
  const std::size_t status_class =
      status >= 100 && status < 600 ? static_cast<std::size_t>(status) / 100 : 0;
  os::Counter* counter = row.by_class[status_class].load(std::memory_order_acquire);
  if (counter == nullptr) {
    counter = &metrics_.counter(
        "cairn_http_requests_total", "Requests answered",
        {{"surface", surface_},
         {"operation", row.operation},
         {"status", status_class == 0 ? "other" : std::to_string(status_class) + "xx"}});
    row.by_class[status_class].store(counter, std::memory_order_release);
  }
  counter->add();
  os::Histogram* duration = row.duration.load(std::memory_order_acquire);
  if (duration == nullptr) {
    duration = &metrics_.histogram("cairn_http_request_duration_seconds",
                                   "From the head of a request to the end of its reply",
                                   {{"surface", surface_}, {"operation", row.operation}});
    row.duration.store(duration, std::memory_order_release);
  }
  duration->observe_ns(duration_ns);
}

}  // namespace cairn::gate
