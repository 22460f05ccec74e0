// SPDX-License-Identifier: Apache-2.0
// Until when a call may wait. Every call that can wait takes one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

#include "base/result.h"

namespace cairn::os {

/// An instant on the steady clock, or never; with a stop token that ends the wait early, so that
/// even `never()` ends at shutdown or when the caller goes away. A small value: copy it.
class Deadline {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static Deadline never(std::stop_token stop = {}) { return {Time::max(), std::move(stop)}; }
  static Deadline in_ms(std::int64_t ms, std::stop_token stop = {});
  /// The time value of an API: -1 never, 0 at once, else milliseconds.
  static Deadline from_wait_ms(std::int64_t ms, std::stop_token stop = {});

  bool is_never() const { return at_ == Time::max(); }
  bool stopped() const { return stop_.stop_requested(); }
  bool passed() const {
    return stopped() || (!is_never() && std::chrono::steady_clock::now() >= at_);
  }
  std::int64_t remaining_ms() const;  // 0 when passed; INT64_MAX for never
  Time at() const { return at_; }
  const std::stop_token& stop() const { return stop_; }
  /// The earlier of this and `ms` from now; same stop token.
  Deadline sooner_ms(std::int64_t ms) const;
  /// The same instant, ended early by another stop token.
  Deadline with_stop(std::stop_token stop) const { return {at_, std::move(stop)}; }

  /// timeout or cancelled once passed, with `doing` in the message; success before.
  Status check(std::string_view doing) const;

 private:
  Deadline(Time at, std::stop_token stop) : at_(at), stop_(std::move(stop)) {}
  Time at_;
  std::stop_token stop_;
};

/// Waits until `ready()` or the deadline; wakes on notify and on stop. True when ready.
/// `lock` is held around `ready`.
template <class Lock, class Ready>
bool wait(std::condition_variable_any& changed, Lock& lock, const Deadline& deadline, Ready ready) {
  if (deadline.is_never()) return changed.wait(lock, deadline.stop(), ready);
  return changed.wait_until(lock, deadline.stop(), deadline.at(), ready);
}

/// Sleeps until the deadline or for `ms`, whichever is sooner. False when the deadline ended it.
bool sleep_ms(std::int64_t ms, const Deadline& deadline);

}  // namespace cairn::os
