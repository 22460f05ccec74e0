// SPDX-License-Identifier: Apache-2.0
// What an index does by itself: refreshing, flushing and merging when that is due; and its figures.
#include <algorithm>

#include "index/engine/index_impl.h"
#include "index/settings/settings.h"

namespace cairn::index {

Status Index::Impl::refresh_if_due(const os::Deadline& deadline) {
  const std::int64_t now = shared.clock.unix_ms();
  bool due = false;
  {
    const MutexLock lock(state_mutex);
    if (is_gone()) return ok_status();
    const auto interval = refresh_interval_ms(settings);
    const bool idle = now - last_search_ms >= search_idle_ms();
    const std::int64_t every = interval.value_or(1000);
    const bool wanted = refresh_waiters > 0 || (interval ? every >= 0 : !idle);
    due = has_news() && wanted && now - last_refresh_ms >= std::max<std::int64_t>(every, 0);
    due |= table->builder.memory_bytes() >= shared.options.builder_bytes;
  }
  return due ? refresh(deadline) : ok_status();
}

Status Index::Impl::maintain_stored(const os::Deadline& deadline) {
  const std::int64_t now = shared.clock.unix_ms();
  bool due = false;
  {
    const MutexLock lock(state_mutex);
    if (is_gone() || lost) return ok_status();
    due = log_bytes >= shared.options.flush_bytes ||
          log_objects >= shared.options.flush_log_objects ||
          (oldest_unflushed_ms != 0 && now - oldest_unflushed_ms >= shared.options.flush_age_ms);
    const std::int64_t kept_ms =
        setting_ms(settings, "gc_deletes").value_or(shared.options.tombstone_ms);
    for (auto at = tombstones.begin(); at != tombstones.end();)
      at = now - at->second.deleted_ms > kept_ms ? tombstones.erase(at) : std::next(at);
  }
  if (due) CAIRN_CHECK(flush(deadline));
  // One that is due as soon as another has ended is late, and does not hold itself back.
  bool did = false;
  CAIRN_CHECK(merge_stored({.paced = true}, deadline, did));
  while (did) CAIRN_CHECK(merge_stored({}, deadline, did));
  return collect(deadline);
}

Status Index::Impl::maintain(const os::Deadline& deadline) {
  CAIRN_CHECK(refresh_if_due(deadline));
  return maintain_stored(deadline);
}

bool Index::Impl::is_busy() {
  const MutexLock lock(state_mutex);
  if (is_gone()) return false;
  return writes != refreshed || writes != flushed || !tombstones.empty();
}

void Index::Impl::end() {
  const MutexLock lock(state_mutex);
  removed = true;
  state_changed.notify_all();
}

void Shared::show_caches() const {
  os::metrics().gauges_from(
      "cairn_index_cache_bytes", "Memory that caches of segments and filters hold",
      [pages = std::weak_ptr(cache), bits = std::weak_ptr(filters)] {
        std::vector<os::Metrics::Sample> out;
        if (const auto kept = pages.lock())
          out.push_back({{{"cache", "pages"}}, static_cast<double>(kept->bytes())});
        if (const auto kept = bits.lock())
          out.push_back({{{"cache", "filters"}}, static_cast<double>(kept->bytes())});
        return out;
      });
}

IndexStatistics Index::Impl::statistics() {
  IndexStatistics out;
  const MutexLock lock(state_mutex);
  for (const auto& s : segments) {
    out.documents += s->segment->doc_count() - s->deleted_count;
    out.deleted += s->deleted_count;
    out.size_bytes += s->segment->file().size();
    out.memory_bytes += s->segment->memory_bytes() + s->deleted.memory_bytes();
    ++out.segments;
  }
  for (const auto& in : {table, sealing}) {
    if (in == nullptr || in->sealed_as != nullptr) continue;
    out.documents += in->builder.doc_count() - in->deleted_count;
    out.memory_bytes += in->builder.memory_bytes();
  }
  out.size_bytes += log_bytes;
  out.max_seq_no = next_seq_no - 1;
  return out;
}

}  // namespace cairn::index
