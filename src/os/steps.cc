// SPDX-License-Identifier: Apache-2.0
#include "os/steps.h"

#include <algorithm>
#include <atomic>

#include "os/step_clock.h"

namespace cairn::os {
namespace {

constexpr std::uint64_t look_every = 4096;

std::atomic<std::uint64_t>& steps_of_process() {
  static std::atomic<std::uint64_t> steps{0};
  return steps;
}

// The clock of a test. Others see nothing of it but `there`.
struct Tested {
  std::atomic<bool> there{false};
  std::atomic<std::int64_t> now_us{0};
  std::atomic<std::int64_t> at_us{INT64_MAX};
  std::mutex mutex;
  std::stop_source stop;  // under mutex
};

Tested& tested() {
  static Tested clock;
  return clock;
}

void tell_tests(std::uint64_t steps) {
  Tested& clock = tested();
  if (!clock.there.load(std::memory_order_relaxed)) return;
  const auto count = static_cast<std::int64_t>(steps);
  if (clock.now_us.fetch_add(count) + count < clock.at_us.load()) return;
  std::stop_source stop(std::nostopstate);
  {
    const std::lock_guard lock(clock.mutex);
    stop = clock.stop;
  }
  stop.request_stop();
}

Deadline begin_clock(std::int64_t at_us) {
  Tested& clock = tested();
  const std::lock_guard lock(clock.mutex);
  clock.stop = std::stop_source();
  clock.now_us = 0;
  clock.at_us = at_us;
  clock.there = true;
  return Deadline::never(clock.stop.get_token());
}

}  // namespace

StepClock::StepClock(std::int64_t at_us) : at_us_(at_us), deadline_(begin_clock(at_us)) {}
StepClock::~StepClock() { tested().there = false; }
std::int64_t StepClock::now_us() const { return tested().now_us.load(); }
std::int64_t StepClock::late_us() const {
  return std::max<std::int64_t>(now_us() - std::min(at_us_, now_us()), 0);
}

std::uint64_t Steps::total() { return steps_of_process().load(std::memory_order_relaxed); }

bool Steps::look() {
  tell_tests(taken_ - (next_look_ - look_every));
  next_look_ = taken_ + look_every;
  if (status_.ok()) status_ = deadline_.check(doing_);
  return status_.ok();
}

void Steps::add_to_total() {
  steps_of_process().fetch_add(taken_, std::memory_order_relaxed);
  tell_tests(taken_ - (next_look_ - look_every));
}

}  // namespace cairn::os
