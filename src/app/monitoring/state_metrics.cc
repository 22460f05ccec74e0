// SPDX-License-Identifier: Apache-2.0
#include "app/monitoring/state_metrics.h"

#include <utility>
#include <vector>

#include "app/version.h"
#include "base/threads.h"
#include "os/log_counts.h"
#include "os/machine.h"
#include "os/metrics.h"
#include "os/process_metrics.h"

namespace cairn::app {
namespace {

using Samples = std::vector<os::Metrics::Sample>;

constexpr std::int64_t fresh_ms = 1'000;  // one look at all indices serves the families of a scrape

double number(std::uint64_t value) { return static_cast<double>(value); }

struct IndexFigures {
  std::string name;
  index::IndexStatistics statistics;
};

Samples one(double value) { return {{{}, value}}; }

}  // namespace

struct StateMetrics::State {
  explicit State(StateSources given) : sources(std::move(given)) {}

  using Figures = std::shared_ptr<const std::vector<IndexFigures>>;

  Figures indices() {
    const MutexLock lock(mutex);
    const std::int64_t now = sources.clock.unix_ms();
    if (figures && now >= read_ms && now - read_ms < fresh_ms) return figures;
    auto read = std::make_shared<std::vector<IndexFigures>>();
    for (const auto& index : sources.indices.all())
      read->push_back({index->name(), index->statistics()});
    figures = std::move(read);
    read_ms = now;
    return figures;
  }

  template <class Pick>
  Samples by_index(const Pick& pick) {
    std::vector<std::pair<std::string, double>> all;
    for (const IndexFigures& one : *indices()) all.emplace_back(one.name, pick(one.statistics));
    return os::largest_samples("index", std::move(all));
  }

  template <class Pick>
  Samples by_bucket(const Pick& pick) {
    std::vector<std::pair<std::string, double>> all;
    for (const s3::Bucket& bucket : sources.engine.list_buckets())
      if (const auto usage = sources.engine.usage(bucket.name))
        all.emplace_back(bucket.name, pick(*usage));
    return os::largest_samples("bucket", std::move(all));
  }

  double uncounted() const {
    double out = 0;
    for (const s3::Bucket& bucket : sources.engine.list_buckets())
      if (!sources.engine.usage(bucket.name)) ++out;
    return out;
  }

  Samples mirror_folders() const {
    Samples out;
    if (sources.mirror == nullptr) return out;
    const os::MirrorStatus status = sources.mirror->status();
    for (std::size_t side = 0; side < 2; ++side)
      if (!status.sides[side].folder.empty())
        out.push_back({{{"setting", side == 0 ? "data.dir" : "data.mirror"}},
                       status.sides[side].state == os::SideState::whole ? 1.0 : 0.0});
    return out;
  }

  Samples certificates() const {
    Samples out;
    const auto add = [&](const char* name, const net::Server* server) {
      const auto ends = server == nullptr ? std::nullopt : server->certificate_ends_ms();
      if (ends) out.push_back({{{"server", name}}, static_cast<double>(*ends / 1000)});
    };
    add("api", sources.api_server());
    add("objects", sources.objects_server());
    return out;
  }

  const StateSources sources;
  Mutex mutex;
  Figures figures CAIRN_GUARDED_BY(mutex);
  std::int64_t read_ms CAIRN_GUARDED_BY(mutex) = 0;
};

StateMetrics::StateMetrics(os::Metrics& metrics, StateSources sources)
    : state_(std::make_shared<State>(std::move(sources))) {
  os::add_process_metrics(metrics);
  metrics.gauges_from("cairn_build_info", "1, of the version that runs", [] {
    return Samples{{{{"version", version}}, 1}};
  });
  const auto read = [weak = std::weak_ptr(state_)](auto pick) -> os::Metrics::Samples {
    return [weak, pick] {
      const auto alive = weak.lock();
      return alive ? pick(*alive) : Samples{};
    };
  };
  const auto gauges = [&](const char* name, const char* help, auto pick) {
    metrics.gauges_from(name, help, read(pick));
  };
  using Index = index::IndexStatistics;
  using Bucket = objectstore::BucketUsage;
  metrics.counters_from("cairn_log_events_total",
                        "Events of the log, also of levels that are not written", [] {
                          Samples out;
                          for (const auto& [level, name] : {std::pair{os::LogLevel::info, "info"},
                                                            {os::LogLevel::warn, "warn"},
                                                            {os::LogLevel::error, "error"}})
                            out.push_back({{{"level", name}}, number(os::log_events(level))});
                          return out;
                        });
  gauges("cairn_ready", "1 while requests are served, 0 while the server starts or stops",
         [](State& s) { return one(s.sources.ready() ? 1 : 0); });
  gauges("cairn_indices", "Indices, hidden and closed ones too",
         [](State& s) { return one(number(s.indices()->size())); });
  gauges("cairn_index_documents", "Documents that an index holds",
         [](State& s) { return s.by_index([](const Index& i) { return number(i.documents); }); });
  gauges("cairn_index_deleted_documents",
         "Documents that are deleted and still take room until a merge",
         [](State& s) { return s.by_index([](const Index& i) { return number(i.deleted); }); });
  gauges("cairn_index_bytes", "Bytes of segments and log that an index has in the store",
         [](State& s) { return s.by_index([](const Index& i) { return number(i.size_bytes); }); });
  gauges(
      "cairn_index_memory_bytes", "Memory of an index, without the caches that all share",
      [](State& s) { return s.by_index([](const Index& i) { return number(i.memory_bytes); }); });
  gauges("cairn_index_segments", "Segments that searches of an index read",
         [](State& s) { return s.by_index([](const Index& i) { return number(i.segments); }); });
  gauges("cairn_buckets", "Buckets of the object storage",
         [](State& s) { return one(number(s.sources.engine.list_buckets().size())); });
  gauges("cairn_buckets_uncounted", "Buckets that are still being counted since the start",
         [](State& s) { return one(s.uncounted()); });
  gauges("cairn_bucket_objects", "Objects of a bucket: versions and delete markers each count",
         [](State& s) { return s.by_bucket([](const Bucket& b) { return number(b.versions); }); });
  gauges("cairn_bucket_bytes", "Bytes of all versions of a bucket, as clients sent them",
         [](State& s) { return s.by_bucket([](const Bucket& b) { return number(b.bytes); }); });
  gauges("cairn_memory_limit_bytes", "Memory beyond which searches and bulk requests are refused",
         [](State& s) { return one(number(s.sources.memory.limit_bytes())); });
  gauges("cairn_memory_used_bytes", "Memory of the process, as that limit counts it",
         [](State& s) { return one(number(s.sources.memory.used_bytes())); });
  metrics.counters_from("cairn_memory_refused_total",
                        "Requests that were refused for want of memory",
                        read([](State& s) { return one(number(s.sources.memory.tripped())); }));
  gauges("cairn_mirror_folder_whole",
         "1 while the folder holds all data, 0 while it lacks some, or its disk is lost",
         [](State& s) { return s.mirror_folders(); });
  gauges("cairn_disk_size_bytes", "Size of the file system of the data folder",
         [](State& s) { return one(number(os::disk_space(s.sources.data_dir).total_bytes)); });
  gauges("cairn_disk_available_bytes", "What of it this process may still write",
         [](State& s) { return one(number(os::disk_space(s.sources.data_dir).available_bytes)); });
  gauges("cairn_compute_slots", "Requests that may compute at a time",
         [](State& s) { return one(number(s.sources.compute.figures().slots)); });
  gauges("cairn_compute_running", "Requests that compute now",
         [](State& s) { return one(number(s.sources.compute.figures().computing)); });
  gauges("cairn_compute_waiting", "Requests that wait until they can compute",
         [](State& s) { return one(number(s.sources.compute.figures().waiting)); });
  metrics.counters_from(
      "cairn_compute_refused_total", "Requests that were refused since too many waited to compute",
      read([](State& s) { return one(number(s.sources.compute.figures().refused)); }));
  gauges("cairn_tls_certificate_expiry_timestamp_seconds",
         "When the certificate that a listener shows ends, in Unix time",
         [](State& s) { return s.certificates(); });
}

StateMetrics::~StateMetrics() = default;

}  // namespace cairn::app
