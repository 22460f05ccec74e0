// SPDX-License-Identifier: Apache-2.0
// How many requests came with credentials, hour by hour: counted by every request, so without a
// lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn::auth {

struct HourOfRequests {
  std::int64_t hour_ms = 0;  // its start; a whole hour of UTC
  std::uint64_t requests = 0;
};

/// The 24 hours up to the newest one that had a request. Safe from any thread; waits for nobody.
class HourlyRequests {
 public:
  static constexpr std::int64_t hour_ms = 3'600'000;
  static constexpr std::size_t hours_max = 24;

  /// `requests`: below 2^39, and so is what comes in an hour. Where the clock has gone back by a
  /// day or more, they are not counted.
  void add(std::int64_t now_ms, std::uint64_t requests = 1);
  /// Hours that had requests, the oldest first.
  std::vector<HourOfRequests> get() const;

 private:
  // One slot for each hour of a day: the hour since 1970 above its count.
  static constexpr int count_bits = 40;
  std::array<std::atomic<std::uint64_t>, hours_max> slots_ = {};
};

}  // namespace cairn::auth
