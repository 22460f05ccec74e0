// SPDX-License-Identifier: Apache-2.0
// Counters, gauges and histograms, shown in the Prometheus text format 0.0.4.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn::os {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// Only grows. add() is one relaxed atomic addition.
class Counter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void set(std::int64_t v) { value_.store(v, std::memory_order_relaxed); }
  void add(std::int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// Durations in fixed buckets from 0.1 ms to 100 s, three a decade.
class Histogram {
 public:
  static constexpr std::size_t bucket_count = 20;
  void observe_ns(std::int64_t ns);
  std::uint64_t count() const;
  std::uint64_t bucket(std::size_t i) const { return buckets_[i].load(std::memory_order_relaxed); }
  static double upper_bound_seconds(std::size_t i);  // the last is infinity
  double sum_seconds() const;

 private:
  std::atomic<std::uint64_t> buckets_[bucket_count]{};
  std::atomic<std::int64_t> sum_ns_{0};
};

/// Owns every metric of a process. Asking twice for one name and labels gives the same object,
/// which lives as long as the registry. Names follow Prometheus: cairn_<room>_<what>_<unit>.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Counter& counter(std::string_view name, std::string_view help, MetricLabels labels = {});
  Gauge& gauge(std::string_view name, std::string_view help, MetricLabels labels = {});
  Histogram& histogram(std::string_view name, std::string_view help, MetricLabels labels = {});
  /// A gauge that is read when shown. `read` must stay callable, and must not use the registry.
  void gauge_from(std::string_view name, std::string_view help, std::function<double()> read);
  /// Counters, or gauges, of one name that are read when shown, for owners who count in a way of
  /// their own. Nothing where `read` gives nothing. Asking again replaces `read`, for which the
  /// same holds as above. A name is used with one of these or with counter() and gauge(), not both.
  struct Sample {
    MetricLabels labels;
    double value;
  };
  using Samples = std::function<std::vector<Sample>()>;
  void counters_from(std::string_view name, std::string_view help, Samples read);
  void gauges_from(std::string_view name, std::string_view help, Samples read);
  std::string expose() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The registry of this process.
Metrics& metrics();

}  // namespace cairn::os
