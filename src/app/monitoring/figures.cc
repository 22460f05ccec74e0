// SPDX-License-Identifier: Apache-2.0
#include "app/monitoring/figures.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "gate/refused_count.h"
#include "inference/token_count.h"
#include "os/cpu.h"
#include "os/machine.h"

namespace cairn::app {
namespace {

using Durations = std::array<std::uint64_t, os::Histogram::bucket_count>;

/// The counter of changes of documents that index/engine/work_counts has made.
os::Counter& changed_documents(const char* kind) {
  return os::metrics().counter("cairn_index_operations_total",
                               "Changes of documents that were written", {{"kind", kind}});
}

/// By the bucket that it lies in, and evenly within; the last bucket counts as its beginning.
std::optional<double> quantile_ms(const Durations& counts, double quantile) {
  std::uint64_t all = 0;
  for (const std::uint64_t count : counts) all += count;
  if (all == 0) return std::nullopt;
  const double rank = quantile * static_cast<double>(all);
  double passed = 0, from_s = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto here = static_cast<double>(counts[i]);
    const bool is_last = i + 1 == counts.size();
    const double to_s = is_last ? from_s : os::Histogram::upper_bound_seconds(i);
    if (here > 0 && passed + here >= rank)
      return 1'000 * (from_s + (to_s - from_s) * std::max(rank - passed, 0.0) / here);
    passed += here;
    from_s = to_s;
  }
  return 1'000 * from_s;
}

void add_traffic(FigureTotals& to, const net::Traffic& traffic) {
  for (const os::Counter* each : traffic.requests) to.requests += each->value();
  to.errors += traffic.requests[5]->value();
  to.received_bytes += traffic.received_bytes.value();
  to.sent_bytes += traffic.sent_bytes.value();
  for (std::size_t i = 0; i < to.durations.size(); ++i)
    to.durations[i] += traffic.seconds.bucket(i);
}

}  // namespace

FigureRates rates_between(const FigureTotals& before, const FigureTotals& after) {
  FigureRates out;
  const double seconds = static_cast<double>(after.at_ns - before.at_ns) / 1e9;
  if (seconds <= 0) return out;
  const auto rate = [&](std::uint64_t was, std::uint64_t is) {
    return static_cast<double>(is - std::min(was, is)) / seconds;
  };
  out.requests = rate(before.requests, after.requests);
  out.errors = rate(before.errors, after.errors);
  out.limited = rate(before.limited, after.limited);
  out.received_bytes = rate(before.received_bytes, after.received_bytes);
  out.sent_bytes = rate(before.sent_bytes, after.sent_bytes);
  out.documents = rate(before.documents, after.documents);
  out.deleted = rate(before.deleted, after.deleted);
  out.tokens = rate(before.tokens, after.tokens);
  out.cpu_cores = static_cast<double>(after.cpu_ms - before.cpu_ms) / 1e3 / seconds;
  Durations durations = {};
  for (std::size_t i = 0; i < durations.size(); ++i)
    durations[i] = after.durations[i] - std::min(before.durations[i], after.durations[i]);
  out.p50_ms = quantile_ms(durations, 0.5);
  out.p99_ms = quantile_ms(durations, 0.99);
  return out;
}

FigureReader::FigureReader(const os::ComputePool& compute, std::string data_dir,
                           const os::Clock& clock)
    : compute_(compute),
      data_dir_(std::move(data_dir)),
      clock_(clock),
      api_("api"),
      objects_("objects"),
      indexed_(changed_documents("index")),
      deleted_(changed_documents("delete")),
      merging_(os::metrics().gauge("cairn_index_merges_running", "Merges that are under way")),
      syncing_(
          os::metrics().gauge("cairn_connectors_syncs_running", "Sync runs that are under way")) {}

FigureTotals FigureReader::totals() const {
  FigureTotals out;
  out.at_ns = clock_.steady_ns();
  add_traffic(out, api_);
  add_traffic(out, objects_);
  out.limited = gate::refused_in_all().value();
  out.documents = indexed_.value();
  out.deleted = deleted_.value();
  out.tokens = inference::tokens_in_all().value();
  out.cpu_ms = os::process_cpu_ms();
  return out;
}

api::History::Sample FigureReader::sample(const FigureTotals& before,
                                          const FigureTotals& now) const {
  using Series = api::History::Series;
  const FigureRates rates = rates_between(before, now);
  const os::DiskSpace disk = os::disk_space(data_dir_);
  api::History::Sample out;
  out.fill(std::numeric_limits<float>::quiet_NaN());
  const auto set = [&out](Series series, double value) {
    out[static_cast<std::size_t>(series)] = static_cast<float>(value);
  };
  const auto count = [&](Series series, auto value) { set(series, static_cast<double>(value)); };
  set(Series::requests_per_second, rates.requests);
  set(Series::errors_per_second, rates.errors);
  set(Series::limited_per_second, rates.limited);
  if (rates.p50_ms) set(Series::latency_p50_ms, *rates.p50_ms);
  if (rates.p99_ms) set(Series::latency_p99_ms, *rates.p99_ms);
  set(Series::received_bytes_per_second, rates.received_bytes);
  set(Series::sent_bytes_per_second, rates.sent_bytes);
  set(Series::cpu_cores, rates.cpu_cores);
  set(Series::documents_per_second, rates.documents);
  set(Series::deleted_documents_per_second, rates.deleted);
  set(Series::tokens_per_second, rates.tokens);
  count(Series::connections, api_.open.value() + objects_.open.value());
  count(Series::memory_resident_bytes, os::resident_bytes());
  count(Series::disk_used_bytes, disk.total_bytes - disk.free_bytes);
  count(Series::disk_available_bytes, disk.available_bytes);
  count(Series::syncs_running, syncing_.value());
  count(Series::merges_running, merging_.value());
  count(Series::compute_running, compute_.computing());
  count(Series::compute_waiting, compute_.waiting());
  return out;
}

}  // namespace cairn::app
