// SPDX-License-Identifier: Apache-2.0
// The last reading of a thread serves requests that begin soon after it.
#include "gate/cpu_meter.h"

#include <algorithm>

#include "os/clock.h"
#include "os/threads/pool.h"

namespace cairn::gate {
namespace {

struct Reading {
  std::int64_t at_ns = 0;  // steady; 0: none yet
  std::int64_t thread_ns = 0;
  std::int64_t since_ns = 0;  // charged to requests after it
};
thread_local Reading last;

std::int64_t or_now(std::int64_t now_ns) {
  return now_ns != 0 ? now_ns : os::system_clock().steady_ns();
}

/// The cheapest of a few readings: others may run in between.
std::int64_t cost_of_reading() {
  std::int64_t best = 10'000;
  for (int i = 0; i < 8; ++i) {
    const std::int64_t before = os::system_clock().steady_ns();
    static_cast<void>(os::thread_cpu_ns());
    best = std::min(best, os::system_clock().steady_ns() - before);
  }
  return std::max<std::int64_t>(best, 1);
}

}  // namespace

std::int64_t CpuMeter::short_ns() {
  static const std::int64_t ns =
      std::clamp<std::int64_t>(cost_of_reading() * 100, 20'000, 1'000'000);
  return ns;
}

void CpuMeter::begin(std::int64_t now_ns) {
  began_ns_ = or_now(now_ns);
  pool_ns_ = os::pool_cpu_ns();
  if (last.at_ns == 0 || began_ns_ - last.at_ns > 2 * short_ns())
    last = {.at_ns = began_ns_, .thread_ns = os::thread_cpu_ns()};
  thread_ns_ = last.thread_ns + last.since_ns;
}

std::int64_t CpuMeter::end(std::int64_t now_ns) {
  if (began_ns_ == 0) return 0;
  now_ns = or_now(now_ns);
  const std::int64_t lasted = std::max<std::int64_t>(now_ns - began_ns_, 0);
  began_ns_ = 0;
  const std::int64_t pool = os::pool_cpu_ns() - pool_ns_;
  if (lasted < short_ns()) {
    last.since_ns += lasted;
    return lasted + pool;
  }
  last = {.at_ns = now_ns, .thread_ns = os::thread_cpu_ns()};
  return std::clamp<std::int64_t>(last.thread_ns - thread_ns_, 0, lasted) + pool;
}

}  // namespace cairn::gate
