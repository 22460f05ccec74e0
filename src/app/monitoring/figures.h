// SPDX-License-Identifier: Apache-2.0
// The figures of the overview and of its history, read from counters that are there.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "api/events/history.h"
#include "net/server/traffic.h"
#include "os/clock.h"
#include "os/metrics.h"
#include "os/threads/compute_pool.h"

namespace cairn::app {

/// What has been counted since the start, at one moment.
struct FigureTotals {
  std::int64_t at_ns = 0;  // on the steady clock
  std::uint64_t requests = 0, errors = 0, limited = 0;
  std::uint64_t received_bytes = 0, sent_bytes = 0;
  std::uint64_t documents = 0, deleted = 0, tokens = 0;
  std::int64_t cpu_ms = 0;
  std::array<std::uint64_t, os::Histogram::bucket_count> durations = {};  // of requests
};

/// How many a second between two moments, and how long requests took.
struct FigureRates {
  double requests = 0, errors = 0, limited = 0;
  double received_bytes = 0, sent_bytes = 0;
  double documents = 0, deleted = 0, tokens = 0;
  double cpu_cores = 0;
  std::optional<double> p50_ms = {}, p99_ms = {};  // nothing without requests
};
FigureRates rates_between(const FigureTotals& before, const FigureTotals& after);

/// Safe from any thread. Reads some thirty counters; asks nothing of the rooms.
class FigureReader {
 public:
  /// All outlive it.
  FigureReader(const os::ComputePool& compute, std::string data_dir, const os::Clock& clock);

  FigureTotals totals() const;
  std::int64_t syncs_running() const { return syncing_.value(); }
  std::int64_t merges_running() const { return merging_.value(); }
  /// One sample of the history: `before` is what was counted at the last one.
  api::History::Sample sample(const FigureTotals& before, const FigureTotals& now) const;

 private:
  const os::ComputePool& compute_;
  const std::string data_dir_;
  const os::Clock& clock_;
  const net::Traffic api_, objects_;
  const os::Counter &indexed_, &deleted_;
  const os::Gauge &merging_, &syncing_;
};

}  // namespace cairn::app
