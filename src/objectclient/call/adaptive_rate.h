// SPDX-License-Identifier: Apache-2.0
// The client's own brake: after the first throttled reply, requests are sent at a rate that falls
// by a third with each such reply and grows back along a cubic curve.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

namespace cairn::objectclient {

/// Times are seconds of one steady clock. Safe from any thread; never waits.
/// Source: the adaptive retry mode of the vendor's SDKs; the curve is that of CUBIC (RFC 9438).
class AdaptiveRate {
 public:
  explicit AdaptiveRate(double now_s);

  /// Takes the right to send one request: 0, or how many seconds until there is one (and then
  /// nothing was taken).
  double acquire(double now_s);
  /// After each reply.
  void update(double now_s, bool throttled);

  bool enabled() const;
  double fill_rate() const;      // requests a second
  double measured_rate() const;  // requests a second, smoothed

 private:
  void refill(double now_s);
  void measure(double now_s);
  void set_rate(double rate, double now_s);

  mutable std::mutex mutex_;
  bool enabled_ = false;
  double fill_rate_ = 0;
  double capacity_ = 0;
  double tokens_ = 0;
  std::optional<double> refilled_s_ = {};
  double measured_ = 0;
  double bucket_s_;  // the half second that is being counted
  double requests_ = 0;
  double last_max_rate_ = 0;
  double last_throttle_s_;
};

/// The rate `since_s` seconds after a throttled reply, where the rate had been `last_max_rate`.
double cubic_rate(double last_max_rate, double since_s);

}  // namespace cairn::objectclient
