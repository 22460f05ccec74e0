// SPDX-License-Identifier: Apache-2.0
#include "auth/hourly_requests.h"

#include <algorithm>

namespace cairn::auth {

void HourlyRequests::add(std::int64_t now_ms, std::uint64_t requests) {
  if (now_ms < 0) return;
  const auto hour = static_cast<std::uint64_t>(now_ms / hour_ms);
  std::atomic<std::uint64_t>& slot = slots_[hour % hours_max];
  std::uint64_t before = slot.load(std::memory_order_relaxed);
  while (before >> count_bits < hour) {
    if (slot.compare_exchange_weak(before, (hour << count_bits) | requests,
                                   std::memory_order_relaxed))
      return;
  }
  if (before >> count_bits == hour) slot.fetch_add(requests, std::memory_order_relaxed);
}

std::vector<HourOfRequests> HourlyRequests::get() const {
  std::vector<HourOfRequests> out;
  std::int64_t newest = 0;
  for (const auto& slot : slots_) {
    const std::uint64_t read = slot.load(std::memory_order_relaxed);
    const std::uint64_t requests = read & ((std::uint64_t{1} << count_bits) - 1);
    if (requests == 0) continue;
    out.push_back({static_cast<std::int64_t>(read >> count_bits) * hour_ms, requests});
    newest = std::max(newest, out.back().hour_ms);
  }
  const std::int64_t day_ms = std::int64_t{hours_max} * hour_ms;
  std::erase_if(out, [&](const HourOfRequests& one) { return one.hour_ms <= newest - day_ms; });
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.hour_ms < b.hour_ms; });
  return out;
}

}  // namespace cairn::auth
