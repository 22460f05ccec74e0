// SPDX-License-Identifier: Apache-2.0
// Making what was written visible, and making segments of it: refresh, flush, merge, manifests.
#include <algorithm>

#include "base/checksum.h"
#include "base/ids.h"
#include "index/engine/index_impl.h"
#include "index/engine/merge_policy.h"
#include "index/errors.h"
#include "index/segment/merge.h"
#include "index/settings/settings.h"
#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::index {
namespace {

// The deletions that searches see: what a merge leaves out, so that no search sees a document go
// before its new version comes.
BitSet visible_bits(const LiveSegment& s) {
  return s.visible != nullptr ? *s.visible : BitSet(s.segment->doc_count());
}

std::shared_ptr<LiveSegment> live_segment(std::shared_ptr<const Segment> segment) {
  auto out = std::make_shared<LiveSegment>();
  out->deleted = BitSet(segment->doc_count());
  out->segment = std::move(segment);
  return out;
}

/// Counts a merge while it runs.
class MergeWatch {
 public:
  explicit MergeWatch(const os::Clock& clock) : clock_(clock), begin_ns_(clock.steady_ns()) {
    work_counts().merging.add(1);
  }
  ~MergeWatch() {
    work_counts().merging.add(-1);
    work_counts().merge_ns.add(static_cast<std::uint64_t>(clock_.steady_ns() - begin_ns_));
  }
  MergeWatch(const MergeWatch&) = delete;
  MergeWatch& operator=(const MergeWatch&) = delete;

 private:
  const os::Clock& clock_;
  const std::int64_t begin_ns_;
};

}  // namespace

std::shared_ptr<const View> Index::Impl::make_view() {
  auto state = std::make_shared<ViewState>();
  state->index_name = name;
  state->mapping = mapping;
  state->options = shared.options;
  if (setting(settings, "max_terms_count"))
    state->options.max_terms = index::setting_number(settings, "max_terms_count");
  if (setting(settings, "max_regex_length"))
    state->options.max_regex_length = index::setting_number(settings, "max_regex_length");
  state->clock = &shared.clock;
  state->filters = shared.filters;
  for (const auto& s : segments) {
    const std::uint32_t live = s->segment->doc_count() - s->visible_count;
    if (live == 0) continue;
    state->segments.push_back({.segment = s->segment, .deleted = s->visible, .live = live});
  }
  return std::make_shared<const View>(std::move(state));
}

bool Index::Impl::has_news() { return writes != refreshed; }

Result<LogPosition> Index::Impl::seal() {
  const MutexLock one_at_a_time(refresh_mutex);
  std::shared_ptr<MemTable> sealed;
  LogPosition position;
  std::uint64_t sealed_writes = 0;
  std::string note_then;
  std::vector<bool> deleted;
  {
    const MutexLock lock(state_mutex);
    if (removed) return gone();
    position = applied;
    sealed_writes = writes;
    note_then = note;
    if (!has_news() && current_view != nullptr) return position;
    // From here on searches see these deletions, and the documents of this table.
    for (const auto& s : segments) {
      if (s->visible_count == s->deleted_count) continue;
      s->visible = std::make_shared<const BitSet>(s->deleted);
      s->visible_count = s->deleted_count;
    }
    sealed = table;
    deleted = sealed->deleted;
    sealed->builder.close();
    sealing = sealed;
    table = std::make_shared<MemTable>();
  }
  std::shared_ptr<LiveSegment> made;
  if (sealed->builder.doc_count() > 0) {
    std::string bytes;
    SegmentOut out([&](std::string_view piece) { return bytes += piece, ok_status(); });
    CAIRN_CHECK(sealed->builder.write(out));
    bytes.shrink_to_fit();
    // Nothing is waited for, and nobody else has these documents.
    CAIRN_TRY(auto segment, Segment::open(memory_file("(in memory)", std::move(bytes)),
                                          out.hot_offset(), os::Deadline::never()));
    made = live_segment(std::move(segment));
  }
  const MutexLock lock(state_mutex);
  if (made != nullptr) {
    auto visible = std::make_shared<BitSet>(made->segment->doc_count());
    for (std::uint32_t doc = 0; doc < deleted.size(); ++doc) {
      if (!deleted[doc]) continue;
      visible->set(doc);
      ++made->visible_count;
    }
    if (made->visible_count > 0) made->visible = std::move(visible);
    for (std::uint32_t doc = 0; doc < sealed->deleted.size(); ++doc)
      if (sealed->deleted[doc]) made->mark_deleted(doc);
    sealed->sealed_as = made;
    segments.push_back(made);
  }
  sealing = nullptr;
  refreshed = sealed_writes;
  sealed_note = std::move(note_then);
  last_refresh_ms = shared.clock.unix_ms();
  current_view = make_view();
  state_changed.notify_all();
  return position;
}

Status Index::Impl::refresh(const os::Deadline& deadline) {
  work_counts().refreshes.add();
  CAIRN_CHECK(seal());
  return merge_memory(deadline);
}

Status Index::Impl::refresh_for_searches(const os::Deadline& deadline) {
  {
    const std::int64_t now = shared.clock.unix_ms();
    const MutexLock lock(state_mutex);
    if (now - last_search_ms >= search_idle_ms()) return ok_status();
  }
  return refresh(deadline);
}

std::int64_t Index::Impl::search_idle_ms() {
  const auto own = setting_ms(settings, "search.idle.after");
  if (!own) return shared.options.search_idle_ms;
  return *own < 0 ? INT64_MAX : *own;
}

std::shared_ptr<const View> Index::Impl::view() {
  const std::int64_t now = shared.clock.unix_ms();
  bool stale = false;
  {
    const MutexLock lock(state_mutex);
    const bool idle = now - last_search_ms >= search_idle_ms();
    stale = current_view == nullptr ||
            (idle && has_news() && !refresh_interval_ms(settings).has_value());
    last_search_ms = now;
    if (!stale) return current_view;
  }
  if (const auto sealed = seal(); !sealed)
    os::log(os::LogLevel::warn, "index", "refresh_failed",
            {{"index", name}, {"error", sealed.error().message}});
  const MutexLock lock(state_mutex);
  if (current_view == nullptr) current_view = make_view();
  return current_view;
}

void Index::Impl::replace(const std::vector<std::shared_ptr<LiveSegment>>& from,
                          const std::shared_ptr<LiveSegment>& to) {
  // Deletions that came while the merge ran go on to the new segment, hidden ones as hidden ones.
  std::shared_ptr<BitSet> hidden;
  for (const auto& s : from) {
    if (s->visible == nullptr || to == nullptr) continue;
    for (std::uint32_t doc = s->visible->next(0); doc != UINT32_MAX;
         doc = s->visible->next(doc + 1)) {
      if (s->merged_map[doc] == UINT32_MAX) continue;
      if (hidden == nullptr) hidden = std::make_shared<BitSet>(to->segment->doc_count());
      hidden->set(s->merged_map[doc]);
    }
  }
  if (hidden != nullptr) {
    to->visible_count = hidden->count();
    to->visible = std::move(hidden);
  }
  for (const auto& s : from) {
    for (std::uint32_t doc = s->deleted.next(0); doc != UINT32_MAX; doc = s->deleted.next(doc + 1))
      if (to != nullptr && s->merged_map[doc] != UINT32_MAX) to->mark_deleted(s->merged_map[doc]);
    s->merged_into = to;
  }
  // The new one stands where the first of the old ones stood.
  const auto first = std::find(segments.begin(), segments.end(), from.front());
  if (to != nullptr) *first = to;
  std::erase_if(segments, [&](const auto& s) {
    return s != to && std::find(from.begin(), from.end(), s) != from.end();
  });
  if (current_view != nullptr) current_view = make_view();
}

// Many small segments in memory become one.
Status Index::Impl::merge_memory(const os::Deadline& deadline) {
  const MutexLock one_at_a_time(refresh_mutex);
  std::shared_ptr<const Mapping> fields;
  std::vector<std::shared_ptr<LiveSegment>> from;
  std::vector<MergeInput> inputs;
  {
    const MutexLock lock(state_mutex);
    std::vector<std::shared_ptr<LiveSegment>> all;
    std::vector<MergeCandidate> candidates;
    for (const auto& s : segments) {
      if (s->persisted || s->merging) continue;
      all.push_back(s);
      candidates.push_back({.bytes = s->segment->file().size(),
                            .documents = s->segment->doc_count(),
                            .deleted = s->visible_count});
    }
    const MergePolicy policy{.floor_bytes = 64u << 10,
                             .max_bytes = shared.options.flush_bytes * 4,
                             .factor = shared.options.merge_factor};
    for (const std::size_t i : pick_merge(candidates, policy)) from.push_back(all[i]);
    if (from.size() < 2) return ok_status();
    fields = mapping;
    for (const auto& s : from) {
      s->merging = true;
      inputs.push_back({.segment = s->segment, .deleted = visible_bits(*s)});
    }
  }
  const auto merge = [&]() -> Status {
    DocumentMaps maps = map_documents(inputs);
    std::string bytes;
    SegmentOut out([&](std::string_view piece) { return bytes += piece, ok_status(); });
    CAIRN_CHECK(merge_segments(inputs, maps, *fields, out, deadline));
    bytes.shrink_to_fit();
    CAIRN_TRY(auto segment, Segment::open(memory_file("(in memory)", std::move(bytes)),
                                          out.hot_offset(), deadline));
    const auto to = live_segment(std::move(segment));
    const MutexLock lock(state_mutex);
    for (std::size_t i = 0; i < from.size(); ++i) from[i]->merged_map = std::move(maps[i]);
    replace(from, to);
    return ok_status();
  };
  const Status status = merge();
  const MutexLock lock(state_mutex);
  for (const auto& s : from) s->merging = false;
  return status;
}

// A segment in memory that has nothing hidden has the bytes that it would have in the store.
Status Index::Impl::write_as_it_is(const Segment& segment, SegmentEntry& entry,
                                   store::Upload& upload, const os::Deadline& deadline) {
  constexpr std::uint64_t piece_bytes = 1u << 20;
  const std::uint64_t size = segment.file().size();
  for (std::uint64_t at = 0; at < size; at += piece_bytes) {
    CAIRN_TRY(const Bytes piece,
              segment.file().read_once(at, std::min(piece_bytes, size - at), deadline));
    entry.object.crc32c = crc32c(piece.view, entry.object.crc32c);
    CAIRN_CHECK(upload.write(piece.view));
  }
  entry.object.size_bytes = size;
  entry.hot_offset = segment.hot_offset();
  entry.documents = segment.doc_count();
  return ok_status();
}

Status Index::Impl::write_merged(const std::vector<MergeInput>& inputs, DocumentMaps& maps,
                                 const Mapping& fields, SegmentEntry& entry,
                                 const UploadPiece& write, const os::Deadline& deadline) {
  std::string buffer;
  SegmentOut out([&](std::string_view piece) -> Status {
    buffer += piece;
    if (buffer.size() < (1u << 20)) return ok_status();
    const Status status = write(buffer);
    buffer.clear();
    return status;
  });
  CAIRN_CHECK(merge_segments(inputs, maps, fields, out, deadline));
  CAIRN_CHECK(write(buffer));
  entry.object.size_bytes = out.size();
  entry.object.crc32c = out.checksum();
  entry.hot_offset = out.hot_offset();
  entry.documents = out.footer().doc_count;
  return ok_status();
}

Result<std::shared_ptr<LiveSegment>> Index::Impl::merge_to_store(
    const std::vector<std::shared_ptr<LiveSegment>>& from, std::uint64_t bytes_per_second,
    const os::Deadline& deadline) {
  std::vector<MergeInput> inputs;
  std::shared_ptr<const Mapping> fields;
  {
    const MutexLock lock(state_mutex);
    fields = mapping;
    for (const auto& s : from)
      inputs.push_back({.segment = s->segment, .deleted = visible_bits(*s)});
  }
  DocumentMaps maps = map_documents(inputs);
  const bool any = std::any_of(maps.begin(), maps.end(), [](const auto& map) {
    return std::any_of(map.begin(), map.end(), [](std::uint32_t d) { return d != UINT32_MAX; });
  });
  std::shared_ptr<LiveSegment> to;
  if (any) {
    SegmentEntry entry;
    entry.object.name = "seg/" + ulid(shared.clock.unix_ms(), shared.random.bytes(10)) + ".seg";
    const std::string object = key(entry.object.name);
    orphan_candidates.push_back(entry.object.name);
    CAIRN_TRY(const auto upload, shared.store.begin_upload(object, deadline));
    const bool as_it_is = inputs.size() == 1 && inputs[0].segment->file().in_memory() &&
                          inputs[0].deleted.count() == 0;
    MergePace pace(shared.clock, bytes_per_second, in_haste);
    const UploadPiece write_paced = [&](std::string_view piece) -> Status {
      CAIRN_CHECK(upload->write(piece));
      return pace.wrote(piece.size(), deadline);
    };
    if (as_it_is)
      CAIRN_CHECK(write_as_it_is(*inputs[0].segment, entry, *upload, deadline));
    else
      CAIRN_CHECK(write_merged(inputs, maps, *fields, entry, write_paced, deadline));
    CAIRN_CHECK(upload->finish());
    CAIRN_TRY(auto segment,
              Segment::open(store_file(shared.store, object, entry.object.size_bytes, shared.cache),
                            entry.hot_offset, deadline));
    to = live_segment(std::move(segment));
    to->persisted = true;
    to->entry = std::move(entry);
  }
  const MutexLock lock(state_mutex);
  for (std::size_t i = 0; i < from.size(); ++i) from[i]->merged_map = std::move(maps[i]);
  return to;
}

Result<Manifest> Index::Impl::manifest_now(LogPosition new_floor, std::string with_note) {
  const MutexLock lock(state_mutex);
  if (removed || !loaded) return gone();
  Manifest out{.version = ++last_version,
               .name = name,
               .uuid = uuid,
               .created_ms = created_ms,
               .mapping = mapping->to_json(),
               .settings = settings,
               .segments = {},
               .max_seq_no = next_seq_no - 1,
               .floor = new_floor,
               .note = std::move(with_note)};
  for (const auto& s : segments)
    if (s->persisted) out.segments.push_back(s->entry);
  return out;
}

void Index::Impl::set_current(Current now, std::string etag) {
  current = std::move(now);
  current_etag = std::move(etag);
  const MutexLock lock(state_mutex);
  current_version = current.version;
  changed_at = ++shared.changes;
}

// Changes CURRENT from what it is known to be. Finds out what happened where the answer is lost.
Status Index::Impl::write_current(const Current& next, const os::Deadline& deadline) {
  const std::string object = key("CURRENT");
  const auto lost_to_other = [&]() -> Status {
    const MutexLock lock(state_mutex);
    lost = "index [" + name + "] has been taken over by another process; restart this one";
    return Error{.kind = ErrorKind::unavailable, .message = *lost};
  };
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (current_etag.empty()) {
      CAIRN_TRY(const auto found, shared.store.get(object, deadline));
      CAIRN_TRY(const Current is, Current::decode(found.bytes, object));
      if (is.writer == next.writer && is.version == next.version && is.manifest == next.manifest) {
        set_current(next, found.info.etag);
        return ok_status();
      }
      if (is.writer != current.writer || is.epoch != current.epoch) return lost_to_other();
      // An earlier attempt of this process may have come through late: what it named is replaced.
      current_etag = found.info.etag;
    }
    auto put = shared.store.put(object, next.encode(), deadline, {.if_match = current_etag});
    if (put) {
      set_current(next, put->etag);
      return ok_status();
    }
    current_etag.clear();
    if (put.error().kind == ErrorKind::storage_full) return std::move(put).error();
    if (put.error().kind != ErrorKind::precondition_failed && deadline.passed())
      return std::move(put).error();
    if (put.error().kind != ErrorKind::precondition_failed && attempt > 0)
      return std::move(put).error();
  }
  return Error{.kind = ErrorKind::unavailable,
               .message = "the manifest of index [" + name + "] could not be written"};
}

Status Index::Impl::publish(const Manifest& manifest, const os::Deadline& deadline) {
  const std::string bytes = encode_manifest(manifest);
  const std::string manifest_key = manifest_name(manifest, bytes);
  orphan_candidates.push_back(manifest_key);
  auto put = shared.store.put(key(manifest_key), bytes, deadline, {.if_none_match = true});
  // The name holds the checksum: what is there has these bytes.
  if (!put && put.error().kind != ErrorKind::precondition_failed) return std::move(put).error();
  if (!current.manifest.empty()) orphan_candidates.push_back(current.manifest);
  Current next = current;
  next.version = manifest.version;
  next.manifest = manifest_key;
  CAIRN_CHECK(write_current(next, deadline));
  // Only now is it certain what of earlier attempts nobody refers to.
  std::set<std::string> used = {manifest_key};
  for (const SegmentEntry& entry : manifest.segments) {
    used.insert(entry.object.name);
    used.insert(entry.deletes.name);
  }
  for (const std::string& object : orphan_candidates)
    if (!used.contains(object)) garbage.push_back({{}, object, shared.clock.unix_ms()});
  orphan_candidates.clear();
  return ok_status();
}

// Writes the deletions of stored segments that the manifest does not know yet.
Status Index::Impl::write_deletes(Manifest& manifest, const os::Deadline& deadline) {
  for (SegmentEntry& entry : manifest.segments) {
    std::shared_ptr<const BitSet> bits;
    std::uint32_t count = 0;
    {
      const MutexLock lock(state_mutex);
      for (const auto& s : segments) {
        if (!s->persisted || s->entry.object.name != entry.object.name) continue;
        if (s->visible_count == s->persisted_deletes) continue;
        bits = s->visible;
        count = s->visible_count;
      }
    }
    if (bits == nullptr) continue;
    const std::string bytes = encode_deletes(*bits);
    const std::string stem = entry.object.name.substr(4, entry.object.name.size() - 8);
    const ObjectEntry object{.name = "del/" + stem + "." +
                                     ulid(shared.clock.unix_ms(), shared.random.bytes(10)) + ".del",
                             .size_bytes = bytes.size(),
                             .crc32c = crc32c(bytes)};
    orphan_candidates.push_back(object.name);
    if (!entry.deletes.name.empty()) orphan_candidates.push_back(entry.deletes.name);
    CAIRN_CHECK(shared.store.put(key(object.name), bytes, deadline));
    entry.deletes = object;
    entry.deleted = count;
  }
  return ok_status();
}

Status Index::Impl::flush(const os::Deadline& deadline) {
  const Haste haste(in_haste);
  std::optional<os::Blocking> waiting(std::in_place);
  const MutexLock one_at_a_time(publish_mutex);
  waiting.reset();  // what follows computes
  return flush_locked(deadline);
}

Status Index::Impl::flush_locked(const os::Deadline& deadline) {
  {
    // All of it is in the store, and nothing of it here: a manifest of now would name nothing.
    const MutexLock lock(state_mutex);
    if (!loaded) return ok_status();
  }
  CAIRN_TRY(const LogPosition position, seal());
  std::vector<std::shared_ptr<LiveSegment>> from;
  std::uint64_t flushing = 0;
  std::string flushing_note;
  {
    const MutexLock lock(state_mutex);
    if (position == floor && flushed == refreshed) return ok_status();
    if (lost) return Error{.kind = ErrorKind::unavailable, .message = *lost};
    flushing = refreshed;
  }
  {
    // No merge in memory may take these segments meanwhile.
    const MutexLock no_merge(refresh_mutex);
    const MutexLock lock(state_mutex);
    for (const auto& s : segments)
      if (!s->persisted) from.push_back(s);
    for (const auto& s : from) s->merging = true;
    flushing_note = sealed_note;
  }
  const auto write = [&]() -> Status {
    std::shared_ptr<LiveSegment> to;
    if (!from.empty()) {
      CAIRN_TRY(to, merge_to_store(from, 0, deadline));
    }
    CAIRN_TRY(Manifest manifest, manifest_now(position, flushing_note));
    CAIRN_CHECK(write_deletes(manifest, deadline));
    if (to != nullptr) manifest.segments.push_back(to->entry);
    CAIRN_CHECK(publish(manifest, deadline));
    const MutexLock lock(state_mutex);
    for (const SegmentEntry& entry : manifest.segments) {
      for (const auto& s : segments) {
        if (!s->persisted || s->entry.object.name != entry.object.name) continue;
        s->entry = entry;
        s->persisted_deletes = entry.deleted;
      }
    }
    if (!from.empty()) replace(from, to);
    floor = position;
    flushed = flushing;
    flushed_note = flushing_note;
    work_counts().flushes.add();
    log_bytes = 0;
    log_objects = applied.number >= position.number ? applied.number - position.number : 0;
    oldest_unflushed_ms = writes == flushing ? 0 : shared.clock.unix_ms();
    return ok_status();
  };
  const Status status = write();
  {
    const MutexLock lock(state_mutex);
    for (const auto& s : from) s->merging = false;
  }
  CAIRN_CHECK(status);
  drop_log(position, deadline);
  return ok_status();
}

// Deletes what the log holds up to the floor. What is left over goes at the next start.
void Index::Impl::drop_log(LogPosition upto, const os::Deadline& deadline) {
  std::vector<std::string> keys;
  const auto listed = store::for_each_object(
      shared.store, key("wal/"), deadline, [&](const store::ObjectInfo& info) {
        const auto position = log_position(std::string_view(info.key).substr(prefix.size()));
        if (position && *position <= upto) keys.push_back(info.key);
        return ok_status();
      });
  if (!listed || keys.empty()) return;
  if (const auto gone_now = shared.store.remove_batch(keys, deadline); !gone_now)
    os::log(os::LogLevel::warn, "index", "log_not_deleted",
            {{"index", name}, {"error", gone_now.error().message}});
}

std::uint64_t Index::Impl::merge_rate() {
  const MutexLock lock(state_mutex);
  const bool throttles = setting(settings, "merge.scheduler.auto_throttle") != "false";
  return throttles ? shared.options.merge_bytes_per_second : 0;
}

Status Index::Impl::merge_stored(const MergeOrder& order, const os::Deadline& deadline, bool& did) {
  did = false;
  // Whoever waits for a merge of all waits for one that is under way first.
  std::optional<Haste> haste;
  if (!order.paced) haste.emplace(in_haste);
  std::optional<os::Blocking> waiting(std::in_place);
  const MutexLock one_at_a_time(publish_mutex);
  waiting.reset();  // what follows computes
  std::vector<std::shared_ptr<LiveSegment>> from;
  LogPosition keep;
  std::string keep_note;
  {
    const MutexLock lock(state_mutex);
    if (lost || is_gone()) return ok_status();
    keep = floor;
    keep_note = flushed_note;
    std::vector<std::shared_ptr<LiveSegment>> all;
    std::vector<MergeCandidate> candidates;
    for (const auto& s : segments) {
      if (!s->persisted) continue;
      all.push_back(s);
      candidates.push_back({.bytes = s->entry.object.size_bytes,
                            .documents = s->segment->doc_count(),
                            .deleted = s->visible_count});
    }
    if (order.only_deletes) {
      constexpr std::uint64_t allowed = 10;  // one in so many may be deleted
      for (std::size_t i = 0; i < all.size(); ++i)
        if (candidates[i].deleted * allowed > candidates[i].documents) from.push_back(all[i]);
    } else if (order.at_most > 0) {
      const bool deletions = std::any_of(candidates.begin(), candidates.end(),
                                         [](const MergeCandidate& c) { return c.deleted > 0; });
      if (all.size() > order.at_most || deletions) from = all;
    } else {
      for (const std::size_t i :
           pick_merge(candidates, {.floor_bytes = shared.options.segment_bytes_floor,
                                  .max_bytes = shared.options.segment_bytes_max,
                                  .factor = shared.options.merge_factor}))
        from.push_back(all[i]);
    }
  }
  if (from.empty()) return ok_status();
  const MergeWatch watch(shared.clock);
  CAIRN_TRY(const auto to, merge_to_store(from, order.paced ? merge_rate() : 0, deadline));
  CAIRN_TRY(Manifest manifest, manifest_now(keep, keep_note));
  std::erase_if(manifest.segments, [&](const SegmentEntry& entry) {
    return std::any_of(from.begin(), from.end(),
                       [&](const auto& s) { return s->entry.object.name == entry.object.name; });
  });
  if (to != nullptr) manifest.segments.push_back(to->entry);
  CAIRN_CHECK(publish(manifest, deadline));
  work_counts().merges.add();
  if (to != nullptr) work_counts().merged_bytes.add(to->entry.object.size_bytes);
  const std::int64_t now = shared.clock.unix_ms();
  const MutexLock lock(state_mutex);
  for (const auto& s : from) {
    garbage.push_back({s->segment, s->entry.object.name, now});
    if (!s->entry.deletes.name.empty()) garbage.push_back({{}, s->entry.deletes.name, now});
  }
  replace(from, to);
  did = true;
  return ok_status();
}

Status Index::Impl::force_merge(std::size_t at_most, const os::Deadline& deadline) {
  CAIRN_CHECK(flush(deadline));
  bool did = false;
  CAIRN_CHECK(merge_stored({.at_most = std::max<std::size_t>(at_most, 1)}, deadline, did));
  return collect(deadline);
}

Status Index::Impl::expunge_deletes(const os::Deadline& deadline) {
  CAIRN_CHECK(flush(deadline));
  bool did = false;
  CAIRN_CHECK(merge_stored({.only_deletes = true}, deadline, did));
  return collect(deadline);
}

// Deletes objects that nothing refers to any more: no manifest, no view, no checkpoint; and, where
// other processes read the index too, no manifest of a while ago.
Status Index::Impl::collect(const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock one_at_a_time(publish_mutex);
  if (garbage.empty()) return ok_status();
  std::vector<std::string> keys;
  std::vector<Garbage> kept;
  const std::int64_t replaced_before = shared.clock.unix_ms() - shared.options.keep_replaced_ms;
  {
    const MutexLock lock(pins->mutex);
    for (const Garbage& one : garbage) {
      const bool is_old = one.since_ms <= replaced_before;
      if (is_old && one.user.expired() && !pins->keys.contains(one.object))
        keys.push_back(key(one.object));
      else
        kept.push_back(one);
    }
  }
  if (keys.empty()) return ok_status();
  CAIRN_CHECK(shared.store.remove_batch(keys, deadline));
  garbage = std::move(kept);
  return ok_status();
}

}  // namespace cairn::index
