// SPDX-License-Identifier: Apache-2.0
// What went on: a fixed list of series, each kept for an hour, a day and a week at the step that
// fits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "format/json.h"

namespace cairn::api {

/// Some 120 KiB, all of it from the start. Safe from any thread.
class History {
 public:
  enum class Series : std::uint8_t {
    requests_per_second,
    errors_per_second,
    limited_per_second,
    latency_p50_ms,
    latency_p99_ms,
    received_bytes_per_second,
    sent_bytes_per_second,
    connections,
    cpu_cores,
    memory_resident_bytes,
    disk_used_bytes,
    disk_available_bytes,
    documents_per_second,
    deleted_documents_per_second,
    tokens_per_second,
    syncs_running,
    merges_running,
    compute_running,
    compute_waiting,
  };
  static constexpr std::size_t series_count = 19;
  /// By Series, under the names that they have in the API.
  static std::span<const std::string_view> series_names();
  using Sample = std::array<float, series_count>;  // NaN: not known
  static constexpr std::int64_t sample_every_ms = 10'000;

  enum class Range : std::uint8_t { hour, day, week };
  static std::optional<Range> range_of(std::string_view name);  // 1h, 24h, 7d

  History();
  /// What was at this moment (Unix time). Steps that nothing was said of are unknown.
  void add(std::int64_t now_ms, const Sample& sample);
  /// {"step_ms", "from_ms", "metrics": {name: [number or null, …]}}: full steps, the last ended
  /// last; of names that are series.
  Json shown(Range range, const std::vector<std::string>& names) const;

  std::string save() const;
  /// Takes up what save() gave, also of a program with other series. Errors: corrupt; nothing
  /// changes then.
  Status restore(std::string_view bytes);

 private:
  static constexpr std::size_t range_count = 3;
  /// Full steps of one length, by their number since 1970, in a ring.
  struct Ring {
    std::int64_t step_ms = 0;
    std::size_t steps = 0;
    std::int64_t open = -1;          // the step that is not full yet; -1: none
    std::vector<float> values = {};  // of step n at n % steps, all series of a step together
    std::array<double, series_count> sum = {};
    std::array<std::uint32_t, series_count> count = {};
    std::array<float, series_count> largest = {};

    void add(std::int64_t step, const Sample& sample);
    void close();
    float* at(std::int64_t step);
    const float* at(std::int64_t step) const;
  };

  mutable Mutex mutex_;
  std::array<Ring, range_count> rings_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::api
