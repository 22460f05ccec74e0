// SPDX-License-Identifier: Apache-2.0
#include "index/engine/work_counts.h"

#include <vector>

#include "index/segment/cache_counts.h"
#include "os/striped_counter.h"

namespace cairn::index {
namespace {

os::Metrics::Sample cache_sample(const char* cache, const char* result,
                                 const os::StripedCounter& counter) {
  return {{{"cache", cache}, {"result", result}}, static_cast<double>(counter.value())};
}

os::Counter& operations(const char* kind) {
  return os::metrics().counter("cairn_index_operations_total",
                               "Changes of documents that were written", {{"kind", kind}});
}

}  // namespace

WorkCounts::WorkCounts()
    : refreshes(os::metrics().counter("cairn_index_refreshes_total",
                                      "How often what was written became visible to searches")),
      flushes(os::metrics().counter("cairn_index_flushes_total",
                                    "How often segments were written so that a log could go")),
      merges(os::metrics().counter("cairn_index_merges_total",
                                   "Merges of stored segments that came to their end")),
      merge_ns(os::metrics().seconds("cairn_index_merge_seconds_total",
                                     "How long merges took, rests of their pace included")),
      merged_bytes(
          os::metrics().counter("cairn_index_merged_bytes_total", "Bytes that merges wrote")),
      merging(os::metrics().gauge("cairn_index_merges_running", "Merges that are under way")),
      indexed(operations("index")),
      deleted(operations("delete")) {
  os::metrics().counters_from(
      "cairn_index_cache_requests_total",
      "Looks at caches of segments and filters, by whether it was there", [] {
        const CacheCounts &pages = page_cache_counts(), &filters = filter_cache_counts();
        return std::vector<os::Metrics::Sample>{cache_sample("pages", "hit", pages.hits),
                                                cache_sample("pages", "miss", pages.misses),
                                                cache_sample("filters", "hit", filters.hits),
                                                cache_sample("filters", "miss", filters.misses)};
      });
}

WorkCounts& work_counts() {
  static WorkCounts& counts = *new WorkCounts;  // shown until the process ends
  return counts;
}

}  // namespace cairn::index
