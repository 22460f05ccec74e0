// SPDX-License-Identifier: Apache-2.0
// How many allocations a deployment needs: an estimate of its load from noisy samples. Pure.
// Source: the algorithm of the search platform's adaptive allocations, in docs/reference.
#pragma once

#include <cstdint>
#include <optional>

#include "inference/endpoint.h"

namespace cairn::inference {

/// Follows one value through measurements of known variance (a Kalman filter in one dimension).
class LoadFilter {
 public:
  /// `detects`: a measurement far from the estimate is taken for a change of the value itself.
  LoadFilter(double smoothing, bool detects) : smoothing_(smoothing), detects_(detects) {}

  /// `changed`: the caller knows that the value itself has changed.
  void add(double value, double variance, bool changed);
  bool has_value() const { return has_value_; }
  double estimate() const { return value_; }
  double lower() const;
  double upper() const;

 private:
  double smoothing_;
  bool detects_;
  bool has_value_ = false;
  bool changed_before_ = false;
  double value_ = 0;
  double variance_ = 0;
};

/// The load of one interval.
struct LoadSample {
  double seconds = 0;        // length of the interval
  std::uint64_t inputs = 0;  // finished in it
  double mean_seconds = 0;   // an allocation's time for one input; looked at where inputs > 0
};

/// The scaling of one deployment. Used by one thread at a time.
class AdaptiveScaler {
 public:
  void add(const LoadSample& sample);
  /// The number of allocations that the load asks for, within the bounds of `settings`, where
  /// `unbounded_max` stands for an absent maximum.
  std::int64_t needed(std::int64_t now, const AdaptiveAllocations& settings,
                      std::int64_t unbounded_max) const;
  /// Tells that the number was changed: times per input may differ from now on.
  void scaled() { dynamics_changed_ = true; }

 private:
  LoadFilter rate_{100, true};   // inputs per second
  LoadFilter time_{100, false};  // seconds per input
  bool dynamics_changed_ = false;
};

}  // namespace cairn::inference
