// SPDX-License-Identifier: Apache-2.0
// A limit by the hour over the last hour: twelve slots of five minutes, and the one under way.
//
// Invariant: never more than the cap within any sixty minutes. What is counted leaves between sixty
// and sixty-five minutes later. Pure; times are milliseconds.
#pragma once

#include <array>
#include <cstdint>

#include "ratelimit/counters/two_counters.h"

namespace cairn::ratelimit {

struct HourRing {
  static constexpr std::uint32_t slots = 12;
  std::uint32_t slot;  // the last that was touched
  std::array<std::uint16_t, slots + 1> counts;

  void roll(std::uint32_t now) {
    if (!is_past(slot, now)) return;
    const std::uint32_t passed = now - slot;  // huge where `slot` is much later: all is over
    for (std::uint32_t i = 1; i <= passed && i <= counts.size(); ++i) at(slot + i) = 0;
    slot = now;
  }
  std::uint32_t total() const {
    std::uint32_t sum = 0;
    for (const std::uint16_t count : counts) sum += count;
    return sum;
  }
  void add() { at(slot) = saturating_add(at(slot), 1); }
  /// Milliseconds until one more fits under `cap`; one slot where none ever will.
  std::uint64_t wait_ms(std::uint32_t cap, const SlotTime& now) const {
    std::uint32_t left = total();
    if (left < cap) return 0;
    if (cap == 0) return now.length_ms;
    for (std::uint32_t i = 1; i <= counts.size(); ++i) {  // the slot after next takes the oldest
      left -= counts[(slot + i) % counts.size()];
      if (left < cap) return std::uint64_t{i} * now.length_ms - now.elapsed_ms;
    }
    return now.length_ms;
  }

 private:
  std::uint16_t& at(std::uint32_t which) { return counts[which % counts.size()]; }
};

}  // namespace cairn::ratelimit
