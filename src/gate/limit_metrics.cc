// SPDX-License-Identifier: Apache-2.0
#include "gate/limit_metrics.h"

#include <algorithm>

namespace cairn::gate {
namespace {

using ratelimit::Surface;

constexpr Surface surfaces[] = {Surface::platform, Surface::code_hosting, Surface::large_files,
                                Surface::objects};
static_assert(std::size(surfaces) == ratelimit::surface_count);

}  // namespace

LimitMetrics::LimitMetrics(os::Metrics& metrics) : metrics_(metrics) {
  for (const Surface surface : surfaces) {
    const os::MetricLabels labels = {{"surface", std::string(ratelimit::name_of(surface))}};
    face(surface).live =
        &metrics.gauge("cairn_ratelimit_requests_live",
                       "Requests that were admitted and are not answered yet", labels);
    face(surface).cpu_us =
        &metrics.counter("cairn_ratelimit_cpu_charged_microseconds_total",
                         "CPU time charged to those who asked, pools included", labels);
  }
}

const LimitMetrics::Decisions& LimitMetrics::decisions(Surface surface,
                                                       const std::string& resource) {
  const std::lock_guard lock(mutex_);
  const auto [row, fresh] = by_name_.try_emplace({surface, resource});
  if (!fresh) return row->second;
  const auto counter = [&](std::string result) {
    return &metrics_.counter("cairn_ratelimit_decisions_total", "Decisions of the limiter",
                             {{"surface", std::string(ratelimit::name_of(surface))},
                              {"resource", resource},
                              {"result", std::move(result)}});
  };
  row->second = {
      .resource = resource,
      .admitted = counter("admitted"),
      .refused = counter("refused"),
      .shadowed = counter("shadowed"),
      .near_limit = &metrics_.counter(
          "cairn_ratelimit_near_limit_total",
          "Requests admitted with four fifths of the limit used",
          {{"surface", std::string(ratelimit::name_of(surface))}, {"resource", resource}})};
  return row->second;
}

void LimitMetrics::decided(const Decisions& of, Surface surface,
                           const ratelimit::Decision& decision) {
  if (decision.admitted()) {
    (decision.shadowed ? of.shadowed : of.admitted)->add();
    const auto& window = decision.window;
    if (window && std::uint64_t{window->used} * 5 >= std::uint64_t{window->limit} * 4)
      of.near_limit->add();
    return;
  }
  of.refused->add();
  auto& slots = face(surface).refused;
  auto& slot = slots[std::min(static_cast<std::size_t>(decision.refusal), slots.size() - 1)];
  os::Counter* counter = slot.load(std::memory_order_acquire);
  if (counter == nullptr) {
    counter = &metrics_.counter("cairn_ratelimit_refused_total", "Refusals by what was exceeded",
                                {{"surface", std::string(ratelimit::name_of(surface))},
                                 {"kind", std::string(ratelimit::name_of(decision.refusal))}});
    slot.store(counter, std::memory_order_release);
  }
  counter->add();
}

void LimitMetrics::began(Surface surface) { face(surface).live->add(1); }

void LimitMetrics::ended(Surface surface, std::int64_t cpu_ns) {
  face(surface).live->add(-1);
  if (cpu_ns > 0) face(surface).cpu_us->add(static_cast<std::uint64_t>(cpu_ns) / 1000);
}

}  // namespace cairn::gate
