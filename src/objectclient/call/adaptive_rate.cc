// SPDX-License-Identifier: Apache-2.0
// A token bucket whose rate follows the replies.
#include "objectclient/call/adaptive_rate.h"

#include <algorithm>
#include <cmath>

namespace cairn::objectclient {
namespace {

constexpr double capacity_min = 1;
constexpr double fill_rate_min = 0.5;
constexpr double smooth = 0.8;  // share of the newest measurement
constexpr double beta = 0.7;    // what is left after a throttled reply
constexpr double scale = 0.4;

double half_second(double now_s) { return std::floor(now_s * 2) / 2; }

}  // namespace

double cubic_rate(double last_max_rate, double since_s) {
  const double window = std::cbrt(last_max_rate * (1 - beta) / scale);
  const double x = since_s - window;
  return scale * x * x * x + last_max_rate;
}

AdaptiveRate::AdaptiveRate(double now_s) : bucket_s_(std::floor(now_s)), last_throttle_s_(now_s) {}

double AdaptiveRate::acquire(double now_s) {
  const std::lock_guard lock(mutex_);
  if (!enabled_) return 0;
  refill(now_s);
  if (tokens_ < 1) return (1 - tokens_) / fill_rate_;
  tokens_ -= 1;
  return 0;
}

void AdaptiveRate::update(double now_s, bool throttled) {
  const std::lock_guard lock(mutex_);
  measure(now_s);
  double rate = 0;
  if (throttled) {
    const double before = enabled_ ? std::min(measured_, fill_rate_) : measured_;
    last_max_rate_ = before;
    last_throttle_s_ = now_s;
    rate = before * beta;
    enabled_ = true;
  } else {
    rate = cubic_rate(last_max_rate_, now_s - last_throttle_s_);
  }
  set_rate(std::min(rate, 2 * measured_), now_s);
}

bool AdaptiveRate::enabled() const {
  const std::lock_guard lock(mutex_);
  return enabled_;
}

double AdaptiveRate::fill_rate() const {
  const std::lock_guard lock(mutex_);
  return fill_rate_;
}

double AdaptiveRate::measured_rate() const {
  const std::lock_guard lock(mutex_);
  return measured_;
}

void AdaptiveRate::refill(double now_s) {
  if (refilled_s_)
    tokens_ = std::min(capacity_, tokens_ + std::max(now_s - *refilled_s_, 0.0) * fill_rate_);
  refilled_s_ = now_s;
}

void AdaptiveRate::measure(double now_s) {
  const double bucket = half_second(now_s);
  requests_ += 1;
  if (bucket <= bucket_s_) return;
  measured_ = requests_ / (bucket - bucket_s_) * smooth + measured_ * (1 - smooth);
  requests_ = 0;
  bucket_s_ = bucket;
}

void AdaptiveRate::set_rate(double rate, double now_s) {
  refill(now_s);
  fill_rate_ = std::max(rate, fill_rate_min);
  capacity_ = std::max(rate, capacity_min);
  tokens_ = std::min(tokens_, capacity_);
}

}  // namespace cairn::objectclient
