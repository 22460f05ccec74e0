// SPDX-License-Identifier: Apache-2.0
#include "os/steps.h"

#include <atomic>

namespace cairn::os {
namespace {

constexpr std::uint64_t look_every = 4096;

std::atomic<std::uint64_t>& steps_of_process() {
  static std::atomic<std::uint64_t> steps{0};
  return steps;
}

}  // namespace

std::uint64_t Steps::total() { return steps_of_process().load(std::memory_order_relaxed); }

bool Steps::look() {
  next_look_ = taken_ + look_every;
  if (status_.ok()) status_ = deadline_.check(doing_);
  return status_.ok();
}

void Steps::add_to_total() { steps_of_process().fetch_add(taken_, std::memory_order_relaxed); }

}  // namespace cairn::os
