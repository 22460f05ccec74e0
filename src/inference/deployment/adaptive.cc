// SPDX-License-Identifier: Apache-2.0
// The filter and the decision.
#include "inference/deployment/adaptive.h"

#include <algorithm>
#include <cmath>

namespace cairn::inference {
namespace {

constexpr double scale_up_above = 0.9;     // of the time of all allocations
constexpr double scale_down_below = 0.85;  // of the time of one allocation fewer
constexpr double far_away = 100;           // squared distance in variances that is no noise

}  // namespace

void LoadFilter::add(double value, double variance, bool changed) {
  if (!has_value_) {
    has_value_ = true;
    changed_before_ = true;
    value_ = value;
    variance_ = variance;
    return;
  }
  const double distance = (value - value_) * (value - value_);
  const bool changes = changed || (detects_ && distance / (variance + variance_) > far_away);
  double process = variance / smoothing_;
  if (changes || changed_before_) process = value * value;
  changed_before_ = changes;
  const double sum = variance_ + process + variance;
  const double gain = sum > 0 ? (variance_ + process) / sum : 1;
  value_ += gain * (value - value_);
  variance_ = (1 - gain) * (variance_ + process);
}

double LoadFilter::lower() const { return value_ - std::sqrt(variance_); }
double LoadFilter::upper() const { return value_ + std::sqrt(variance_); }

void AdaptiveScaler::add(const LoadSample& sample) {
  if (sample.seconds <= 0) return;
  const double inputs = static_cast<double>(sample.inputs);
  const double rate = inputs / sample.seconds;
  const double known_rate = rate_.has_value() ? rate_.estimate() : rate;
  rate_.add(rate, std::max(1.0, known_rate * sample.seconds) / (sample.seconds * sample.seconds),
            false);
  if (sample.inputs > 0) {
    const double known = time_.has_value() ? time_.estimate() : sample.mean_seconds;
    time_.add(sample.mean_seconds, known * known / inputs, dynamics_changed_);
  }
  dynamics_changed_ = false;
}

std::int64_t AdaptiveScaler::needed(std::int64_t now, const AdaptiveAllocations& settings,
                                    std::int64_t unbounded_max) const {
  const std::int64_t least = settings.min_number_of_allocations.value_or(0);
  const std::int64_t most = settings.max_number_of_allocations.value_or(unbounded_max);
  std::int64_t needed = now;
  if (rate_.has_value()) {
    const double time_lower = time_.has_value() ? std::max(0.0, time_.lower()) : 1;
    const double time_upper = time_.has_value() ? time_.upper() : 1;
    const double lower = std::max(0.0, rate_.lower()) * time_lower;
    const double upper = rate_.upper() * time_upper;
    while (needed < most && lower > scale_up_above * static_cast<double>(needed)) ++needed;
    while (needed > 1 && upper < scale_down_below * static_cast<double>(needed - 1)) --needed;
  }
  return std::max(least, std::min(needed, most));
}

}  // namespace cairn::inference
