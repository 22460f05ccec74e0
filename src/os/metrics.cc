// SPDX-License-Identifier: Apache-2.0
// The registry and its text form.
#include "os/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/core.h>

#include "base/assert.h"
#include "base/threads.h"

namespace cairn::os {
namespace {

std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"' && quotes)
      out += "\\\"";
    else
      out += c;
  }
  return out;
}

std::string number_text(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", v);
}

// `a="x",b="y"`
std::string label_text(const MetricLabels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    if (!out.empty()) out += ',';
    out += name + "=\"" + escaped(value, true) + "\"";
  }
  return out;
}

std::string sample(std::string_view name, std::string_view labels, std::string_view value) {
  if (labels.empty()) return fmt::format("{} {}\n", name, value);
  return fmt::format("{}{{{}}} {}\n", name, labels, value);
}

void expose_histogram(std::string& out, const std::string& name, const std::string& labels,
                      const Histogram& histogram) {
  const std::string prefix = labels.empty() ? "" : labels + ",";
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < Histogram::bucket_count; ++i) {
    total += histogram.bucket(i);
    const std::string bound = number_text(Histogram::upper_bound_seconds(i));
    out += sample(name + "_bucket", prefix + "le=\"" + bound + "\"", std::to_string(total));
  }
  out += sample(name + "_sum", labels, number_text(histogram.sum_seconds()));
  out += sample(name + "_count", labels, std::to_string(total));  // equal to the last bucket
}

using Kind = MetricKind;

/// The series of these labels, or the one of all that came too late.
template <class Series>
Series& series_of(std::map<std::string, Series>& all, MetricLabels labels) {
  std::string text = label_text(labels);
  if (all.size() >= Metrics::series_max && !all.contains(text)) {
    for (auto& [name, value] : labels) value = Metrics::other;
    text = label_text(labels);
  }
  return all[std::move(text)];
}

}  // namespace

double Histogram::upper_bound_seconds(std::size_t i) {
  constexpr double bounds[bucket_count] = {
      0.0001, 0.0002, 0.0005, 0.001, 0.002,
      0.005,  0.01,   0.02,   0.05,  0.1,
      0.2,    0.5,    1,      2,     5,
      10,     20,     50,     100,   std::numeric_limits<double>::infinity()};
  return bounds[i];
}

void Histogram::observe_ns(std::int64_t ns) {
  constexpr std::int64_t bounds[bucket_count - 1] = {
      100'000,        200'000,        500'000,        1'000'000,      2'000'000,
      5'000'000,      10'000'000,     20'000'000,     50'000'000,     100'000'000,
      200'000'000,    500'000'000,    1'000'000'000,  2'000'000'000,  5'000'000'000,
      10'000'000'000, 20'000'000'000, 50'000'000'000, 100'000'000'000};
  const auto at = std::lower_bound(std::begin(bounds), std::end(bounds), ns) - std::begin(bounds);
  buckets_[at].fetch_add(1, std::memory_order_relaxed);
  sum_ns_.fetch_add(std::max<std::int64_t>(ns, 0), std::memory_order_relaxed);
}

std::uint64_t Histogram::count() const {
  std::uint64_t total = 0;
  for (const auto& bucket : buckets_) total += bucket.load(std::memory_order_relaxed);
  return total;
}

double Histogram::sum_seconds() const {
  return static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) / 1e9;
}

struct Metrics::Impl {
  struct Family {
    Kind kind;
    std::string help;
    bool nanoseconds = false;  // counters, shown in seconds
    // By label text. Exactly the map of the kind has entries; addresses stay.
    std::map<std::string, Counter> counters;
    std::map<std::string, Gauge> gauges;
    std::map<std::string, Histogram> histograms;
    std::function<double()> read;
    Samples read_all;
  };

  Family& family(std::string_view name, std::string_view help, Kind kind) CAIRN_REQUIRES(mutex) {
    const auto [at, is_new] = families.try_emplace(std::string(name));
    if (is_new) {
      at->second.kind = kind;
      at->second.help = help;
    }
    CAIRN_ASSERT(at->second.kind == kind);  // one name, one kind
    return at->second;
  }

  static void expose_kept(std::string& out, const std::string& name, const Family& family);

  mutable Mutex mutex;
  std::map<std::string, Family, std::less<>> families CAIRN_GUARDED_BY(mutex);
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

void Metrics::declare(Kind kind, std::string_view name, std::string_view help) {
  const MutexLock lock(impl_->mutex);
  impl_->family(name, help, kind);
}

Counter& Metrics::counter(std::string_view name, std::string_view help, MetricLabels labels) {
  const MutexLock lock(impl_->mutex);
  return series_of(impl_->family(name, help, Kind::counter).counters, std::move(labels));
}

Counter& Metrics::seconds(std::string_view name, std::string_view help, MetricLabels labels) {
  const MutexLock lock(impl_->mutex);
  Impl::Family& family = impl_->family(name, help, Kind::counter);
  family.nanoseconds = true;
  return series_of(family.counters, std::move(labels));
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, MetricLabels labels) {
  const MutexLock lock(impl_->mutex);
  return series_of(impl_->family(name, help, Kind::gauge).gauges, std::move(labels));
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, MetricLabels labels) {
  const MutexLock lock(impl_->mutex);
  return series_of(impl_->family(name, help, Kind::histogram).histograms, std::move(labels));
}

void Metrics::gauge_from(std::string_view name, std::string_view help,
                         std::function<double()> read) {
  const MutexLock lock(impl_->mutex);
  impl_->family(name, help, Kind::gauge).read = std::move(read);
}

void Metrics::counters_from(std::string_view name, std::string_view help, Samples read) {
  const MutexLock lock(impl_->mutex);
  impl_->family(name, help, Kind::counter).read_all = std::move(read);
}

void Metrics::gauges_from(std::string_view name, std::string_view help, Samples read) {
  const MutexLock lock(impl_->mutex);
  impl_->family(name, help, Kind::gauge).read_all = std::move(read);
}

void Metrics::Impl::expose_kept(std::string& out, const std::string& name, const Family& family) {
  constexpr std::string_view kinds[] = {"counter", "gauge", "histogram"};
  out += fmt::format("# HELP {} {}\n", name, escaped(family.help, false));
  out += fmt::format("# TYPE {} {}\n", name, kinds[static_cast<int>(family.kind)]);
  for (const auto& [labels, counter] : family.counters) {
    const std::string value = family.nanoseconds
                                  ? number_text(static_cast<double>(counter.value()) / 1e9)
                                  : std::to_string(counter.value());
    out += sample(name, labels, value);
  }
  for (const auto& [labels, gauge] : family.gauges)
    out += sample(name, labels, std::to_string(gauge.value()));
  for (const auto& [labels, histogram] : family.histograms)
    expose_histogram(out, name, labels, histogram);
}

// What is read when shown may take its time: whoever makes a series meanwhile does not wait for it.
// Families are never taken away, so the place among them stays good.
std::string Metrics::expose() const {
  std::string out;
  MutexLock lock(impl_->mutex);
  for (auto at = impl_->families.begin(); at != impl_->families.end(); ++at) {
    const std::string& name = at->first;
    Impl::expose_kept(out, name, at->second);
    const std::function<double()> read = at->second.read;
    const Samples read_all = at->second.read_all;
    if (!read && !read_all) continue;
    lock.unlock();
    if (read) out += sample(name, "", number_text(read()));
    if (read_all)
      for (const Sample& each : read_all())
        out += sample(name, label_text(each.labels), number_text(each.value));
    lock.lock();
  }
  return out;
}

Metrics& metrics() {
  static Metrics registry;
  return registry;
}

namespace {

std::atomic<std::size_t> names_max{shown_names_default};

struct ShownNames {
  Mutex mutex;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> by_kind
      CAIRN_GUARDED_BY(mutex);
};

}  // namespace

void limit_shown_names(std::size_t most) { names_max.store(most, std::memory_order_relaxed); }
std::size_t shown_names_max() { return names_max.load(std::memory_order_relaxed); }

std::string shown_name(std::string_view kind, std::string_view name) {
  static ShownNames shown;
  const MutexLock lock(shown.mutex);
  auto& names = shown.by_kind[std::string(kind)];
  if (names.contains(name)) return std::string(name);
  if (names.size() >= shown_names_max()) return std::string(Metrics::other);
  return *names.emplace(name).first;
}

std::vector<Metrics::Sample> largest_samples(std::string_view label,
                                             std::vector<std::pair<std::string, double>> all) {
  const std::size_t most = std::min(shown_names_max(), all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(),
                    [](const auto& a, const auto& b) {
                      return a.second != b.second ? a.second > b.second : a.first < b.first;
                    });
  std::vector<Metrics::Sample> out;
  double rest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < most)
      out.push_back({{{std::string(label), std::move(all[i].first)}}, all[i].second});
    else
      rest += all[i].second;
  }
  if (most < all.size()) out.push_back({{{std::string(label), std::string(Metrics::other)}}, rest});
  return out;
}

}  // namespace cairn::os
