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

enum class MetricKind { counter, gauge, histogram };

/// Owns every metric of a process. Asking twice for one name and labels gives the same object,
/// which lives as long as the registry. Names follow Prometheus: cairn_<room>_<what>_<unit>.
/// A family that has `series_max` series gives one more for all that come later, whose labels all
/// say "_other": nobody who makes names can make it grow without end.
class Metrics {
 public:
  static constexpr std::size_t series_max = 5'000;
  static constexpr std::string_view other = "_other";

  Metrics();
  ~Metrics();
  /// Shows the family before it has a series, so that who reads knows that nothing has happened.
  void declare(MetricKind kind, std::string_view name, std::string_view help);
  Counter& counter(std::string_view name, std::string_view help, MetricLabels labels = {});
  /// A counter of nanoseconds that is shown in seconds.
  Counter& seconds(std::string_view name, std::string_view help, MetricLabels labels = {});
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

// Names that users make, as labels: of endpoints, indices, buckets. How many of one kind are shown
// is bounded for the whole process.
inline constexpr std::size_t shown_names_default = 200;
/// Called at the start. 0: none is shown.
void limit_shown_names(std::size_t most);
std::size_t shown_names_max();
/// The name, or "_other" where so many of that kind were shown before it. For what counts: a name
/// that is shown once stays. Safe from any thread.
std::string shown_name(std::string_view kind, std::string_view name);
/// One value of each of many names: the largest are shown, all others together are "_other". For
/// what is read when shown.
std::vector<Metrics::Sample> largest_samples(std::string_view label,
                                             std::vector<std::pair<std::string, double>> all);

}  // namespace cairn::os
