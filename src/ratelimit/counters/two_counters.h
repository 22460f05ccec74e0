// SPDX-License-Identifier: Apache-2.0
// A limit by the minute in two numbers: what this slot of time has, and what the one before had,
// which counts for the share of it that lies within the last minute.
//
// Invariant: never more than the cap is admitted within one slot. Against a log of every event the
// estimate errs by what lay unevenly in the slot before: who sends the whole cap at the very end of
// a slot, and then as fast as the estimate lets them, has up to twice the cap within one minute.
// Pure; times are milliseconds.
#pragma once

#include <cstdint>
#include <limits>

namespace cairn::ratelimit {

/// Where a moment lies in the slots of one length.
struct SlotTime {
  std::uint32_t slot = 0;
  std::uint32_t elapsed_ms = 0;
  std::uint32_t length_ms = 1;
};
inline SlotTime slot_time(std::int64_t now_ms, std::uint32_t length_ms) {
  const auto now = static_cast<std::uint64_t>(now_ms);
  return {static_cast<std::uint32_t>(now / length_ms), static_cast<std::uint32_t>(now % length_ms),
          length_ms};
}

/// Adds without wrapping.
template <class Number>
Number saturating_add(Number a, std::uint64_t b) {
  constexpr std::uint64_t most = std::numeric_limits<Number>::max();
  return b >= most - a ? static_cast<Number>(most) : static_cast<Number>(a + b);
}

/// True where counters of `slot` are not those of `now`. They are those of the slot after it where
/// another thread looked at the clock a little later; then they are left alone.
inline bool is_past(std::uint32_t slot, std::uint32_t now) {
  return slot != now && slot != now + 1;
}
/// Brings the two counters of a past slot to `now`. Only the last slot has something to say.
template <class Number>
void shift(std::uint32_t slot, std::uint32_t now, Number& current, Number& previous) {
  previous = slot + 1 == now ? current : Number{0};
  current = 0;
}
template <class Number>
void roll(std::uint32_t& slot, std::uint32_t now, Number& current, Number& previous) {
  if (!is_past(slot, now)) return;
  shift(slot, now, current, previous);
  slot = now;
}

/// True where `add` more fit under `cap`. The counters are those of `at`.
inline bool fits(std::uint64_t current, std::uint64_t previous, std::uint64_t add,
                 std::uint64_t cap, const SlotTime& at) {
  if (previous + current + add <= cap) return true;  // even if all of it counts
  const std::uint64_t left = at.length_ms - at.elapsed_ms;
  return previous * left + (current + add) * at.length_ms <= cap * at.length_ms;
}

/// What the last minute had, by the estimate, rounded up.
inline std::uint64_t estimate(std::uint64_t current, std::uint64_t previous, const SlotTime& at) {
  const std::uint64_t left = at.length_ms - at.elapsed_ms;
  return current + (previous * left + at.length_ms - 1) / at.length_ms;
}

/// Milliseconds until `add` fit, if nothing else comes; one slot where they never will.
inline std::uint64_t wait_ms(std::uint64_t current, std::uint64_t previous, std::uint64_t add,
                             std::uint64_t cap, const SlotTime& at) {
  if (add > cap) return at.length_ms;
  if (fits(current, previous, add, cap, at)) return 0;
  const std::uint64_t length = at.length_ms;
  // previous * (length - e) <= room * length, for the elapsed time e
  const auto enough = [&](std::uint64_t before, std::uint64_t room) {
    const std::uint64_t left = before == 0 ? length : room * length / before;
    return left >= length ? 0 : length - left;
  };
  if (current + add <= cap) return enough(previous, cap - current - add) - at.elapsed_ms;
  return length - at.elapsed_ms + enough(current, cap - add);
}

}  // namespace cairn::ratelimit
