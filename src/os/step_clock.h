// SPDX-License-Identifier: Apache-2.0
// For tests: a clock that goes by work instead of time.
#pragma once

#include <cstdint>
#include <utility>

#include "os/deadline.h"

namespace cairn::os {

/// Goes by the steps that `Steps` counts in this whole process: each takes a microsecond, far longer
/// than on any machine. So a test says after how much work a deadline passes, and sees how much was
/// still done, on a machine of any speed. At most one lives at a time; it outlives its deadlines.
class StepClock {
 public:
  /// Its deadline passes `at_us` steps from now (as its stop does: it reads cancelled), or never.
  explicit StepClock(std::int64_t at_us = INT64_MAX);
  ~StepClock();
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;

  const Deadline& deadline() const { return deadline_; }
  std::int64_t now_us() const;   // steps that were counted since it began
  std::int64_t late_us() const;  // of these, those behind the deadline; 0 before it

 private:
  const std::int64_t at_us_;
  const Deadline deadline_;
};

/// In which work for nobody shall end.
inline constexpr std::int64_t ends_within_us = 100'000;

/// What some work does in all, and what with a deadline that passes half-way.
struct HalfWay {
  Status whole = ok_status();
  Status cut = ok_status();
  std::int64_t whole_us = 0;
  std::int64_t late_us = 0;  // counted behind the deadline

  /// Whether the work was long enough to tell, was done, and was cut soon.
  bool ends_soon() const {
    return whole.ok() && !cut.ok() && late_us <= ends_within_us && late_us <= whole_us / 4;
  }
};

/// `prepare()` before each of the two; `work(deadline)` gives a Status.
template <class Prepare, class Work>
HalfWay cut_half_way(Prepare prepare, Work work) {
  HalfWay out;
  prepare();
  {
    const StepClock clock;
    out.whole = work(clock.deadline());
    out.whole_us = clock.now_us();
  }
  prepare();
  const StepClock clock(out.whole_us / 2);
  out.cut = work(clock.deadline());
  out.late_us = clock.late_us();
  return out;
}
template <class Work>
HalfWay cut_half_way(Work work) {
  return cut_half_way([] {}, std::move(work));
}

}  // namespace cairn::os
