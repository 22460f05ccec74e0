// SPDX-License-Identifier: Apache-2.0
// Units of time and of counters that several files reckon with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cairn::ratelimit {

inline constexpr std::int64_t ms_ns = 1'000'000;
inline constexpr std::int64_t second_ns = 1'000'000'000;

/// The nearest number that a counter can hold.
inline std::uint32_t clamp_u32(std::int64_t n) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(n, 0, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace cairn::ratelimit
