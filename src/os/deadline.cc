// SPDX-License-Identifier: Apache-2.0
// Deadlines on the steady clock.
#include "os/deadline.h"

#include <algorithm>

#include "os/threads/blocking.h"

namespace cairn::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Beyond this (about 100 years) an instant is never: additions cannot overflow.
constexpr std::int64_t longest_ms = 100LL * 366 * 24 * 3600 * 1000;

}  // namespace

Deadline Deadline::in_ms(std::int64_t ms, std::stop_token stop) {
  if (ms >= longest_ms) return never(std::move(stop));
  return {steady_clock::now() + milliseconds(std::max<std::int64_t>(ms, 0)), std::move(stop)};
}

Deadline Deadline::from_wait_ms(std::int64_t ms, std::stop_token stop) {
  return ms < 0 ? never(std::move(stop)) : in_ms(ms, std::move(stop));
}

std::int64_t Deadline::remaining_ms() const {
  if (stopped()) return 0;
  if (is_never()) return INT64_MAX;
  const auto left = at_ - steady_clock::now();
  if (left <= steady_clock::duration::zero()) return 0;
  return std::chrono::ceil<milliseconds>(left).count();  // never 0 before the time
}

Deadline Deadline::sooner_ms(std::int64_t ms) const {
  Deadline other = in_ms(ms, stop_);
  return other.at_ < at_ ? other : *this;
}

Status Deadline::check(std::string_view doing) const {
  if (stopped()) {
    return Error{.kind = ErrorKind::cancelled, .message = "stopped while " + std::string(doing)};
  }
  if (passed()) {
    return Error{.kind = ErrorKind::timeout,
                 .message = "the time allowed passed while " + std::string(doing)};
  }
  return ok_status();
}

bool sleep_ms(std::int64_t ms, const Deadline& deadline) {
  const auto wake = Deadline::in_ms(ms).at();
  const auto until = std::min(wake, deadline.at());
  const Blocking blocking;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any changed;
  if (until == Deadline::Time::max()) {
    changed.wait(lock, deadline.stop(), [] { return false; });
  } else {
    changed.wait_until(lock, deadline.stop(), until, [] { return false; });
  }
  return !deadline.stopped() && wake <= deadline.at();
}

}  // namespace cairn::os
