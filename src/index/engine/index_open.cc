// SPDX-License-Identifier: Apache-2.0
// Beginning, opening and restoring an index: CURRENT, take-over, replay, and cleaning up.
#include <set>

#include "base/checksum.h"
#include "index/definition.h"
#include "index/engine/index_impl.h"
#include "index/errors.h"
#include "index/settings/settings.h"

namespace cairn::index {
namespace {

// More epochs than this without a flush make the next start slow.
constexpr std::uint64_t epochs_kept = 8;

}  // namespace

Index::Impl::Impl(std::shared_ptr<Shared> all, std::string index_name, std::string index_uuid)
    : shared_owner(std::move(all)),
      shared(*shared_owner),
      name(std::move(index_name)),
      uuid(std::move(index_uuid)),
      prefix("index/data/" + uuid + "/") {}

Status Index::Impl::start_new(const Json& mapping_json, const Json& given_settings,
                              const os::Deadline& deadline) {
  created_ms = shared.clock.unix_ms();
  CAIRN_TRY(auto checked,
            check_definition(mapping_json, given_settings, shared.options.total_fields_limit));
  analyzers = std::move(checked.analyzers);
  {
    const MutexLock lock(state_mutex);
    settings = std::move(checked.settings);
    mapping = std::move(checked.mapping);
    applied = floor = {.epoch = 1, .number = 0};
    current_view = make_view();
  }
  CAIRN_TRY(const Manifest manifest, manifest_now({.epoch = 1, .number = 0}, {}));
  const std::string bytes = encode_manifest(manifest);
  Current first{.epoch = 1,
                .version = manifest.version,
                .writer = shared.writer,
                .manifest = manifest_name(manifest, bytes)};
  CAIRN_CHECK(shared.store.put(key(first.manifest), bytes, deadline));
  // Nobody knows of this index until its name is written: nothing can be in the way.
  CAIRN_TRY(auto put, shared.store.put(key("CURRENT"), first.encode(), deadline));
  set_current(std::move(first), std::move(put.etag));
  const MutexLock lock(state_mutex);
  recovery = {
      .kind = Recovery::Kind::created, .begun_ms = created_ms, .ended_ms = shared.clock.unix_ms()};
  return ok_status();
}

Status Index::Impl::start_restored(const Manifest& from, const FetchObject& fetch,
                                   const os::Deadline& deadline) {
  const std::int64_t begun_ms = shared.clock.unix_ms();
  const auto copy = [&](const ObjectEntry& entry) -> Status {
    CAIRN_TRY(const auto upload, shared.store.begin_upload(key(entry.name), deadline));
    std::uint64_t size = 0;
    std::uint32_t checksum = 0;
    CAIRN_CHECK(fetch({.name = entry.name, .size_bytes = entry.size_bytes, .crc32c = entry.crc32c},
                      [&](std::string_view bytes) {
                        size += bytes.size();
                        checksum = crc32c(bytes, checksum);
                        return upload->write(bytes);
                      }));
    if (size != entry.size_bytes || checksum != entry.crc32c)
      return corrupt_object(entry.name, "the copy in the snapshot has other bytes");
    CAIRN_CHECK(upload->finish());
    return ok_status();
  };
  for (const SegmentEntry& s : from.segments) {
    CAIRN_CHECK(copy(s.object));
    if (!s.deletes.name.empty()) CAIRN_CHECK(copy(s.deletes));
  }
  Manifest own = from;
  own.version = 1;
  own.name = name;
  own.uuid = uuid;
  own.floor = {.epoch = 1, .number = 0};
  own.note.clear();
  const std::string bytes = encode_manifest(own);
  const Current first{
      .epoch = 1, .version = 1, .writer = shared.writer, .manifest = manifest_name(own, bytes)};
  CAIRN_CHECK(shared.store.put(key(first.manifest), bytes, deadline));
  CAIRN_CHECK(shared.store.put(key("CURRENT"), first.encode(), deadline));
  CAIRN_CHECK(open(deadline));
  const MutexLock lock(state_mutex);
  recovery.kind = Recovery::Kind::restored;
  recovery.begun_ms = begun_ms;
  return ok_status();
}

Status Index::Impl::open(const os::Deadline& deadline) {
  const std::int64_t begun_ms = shared.clock.unix_ms();
  CAIRN_CHECK(load_manifest(deadline));
  CAIRN_CHECK(take_over(deadline));
  CAIRN_CHECK(replay(deadline));
  CAIRN_CHECK(clean(deadline));
  bool many = false;
  {
    const MutexLock lock(state_mutex);
    current_view = make_view();
    many = applied.epoch - floor.epoch >= epochs_kept;
  }
  if (many) CAIRN_CHECK(flush(deadline));
  CAIRN_CHECK(seal());
  const MutexLock lock(state_mutex);
  recovery.kind = Recovery::Kind::opened;
  recovery.begun_ms = begun_ms;
  recovery.ended_ms = shared.clock.unix_ms();
  return ok_status();
}

Status Index::Impl::load_manifest(const os::Deadline& deadline, const OpenSegments& known) {
  CAIRN_TRY(const Manifest manifest, read_manifest(deadline));
  for (const SegmentEntry& entry : manifest.segments)
    CAIRN_CHECK(load_segment(entry, known, deadline));
  return ok_status();
}

Result<Manifest> Index::Impl::read_manifest(const os::Deadline& deadline) {
  const std::string current_key = key("CURRENT");
  auto found = shared.store.get(current_key, deadline);
  if (!found && found.error().kind == ErrorKind::not_found)
    return corrupt_object(current_key, "it is missing");
  if (!found) return std::move(found).error();
  current_etag = found->info.etag;  // also of one that cannot be read: another one may follow
  CAIRN_TRY(Current now, Current::decode(found->bytes, current_key));
  set_current(std::move(now), std::move(found->info.etag));
  const std::string manifest_key = key(current.manifest);
  auto bytes = shared.store.get(manifest_key, deadline);
  if (!bytes && bytes.error().kind == ErrorKind::not_found)
    return corrupt_object(manifest_key, "it is missing");
  if (!bytes) return std::move(bytes).error();
  CAIRN_TRY(Manifest manifest, decode_manifest(bytes->bytes, current.manifest, manifest_key));
  last_version = std::max(current.version, manifest.version);
  created_ms = manifest.created_ms;
  const Json* index_settings = manifest.settings.find("index");
  const Json* analysis = index_settings == nullptr ? nullptr : index_settings->find("analysis");
  CAIRN_TRY(analyzers, text::Analyzers::parse(analysis == nullptr ? Json() : *analysis));
  CAIRN_TRY(auto made, Mapping::parse(manifest.mapping, MappingLimits::kept(), analyzers));
  {
    const MutexLock lock(state_mutex);
    settings = manifest.settings.is_object() ? manifest.settings : Json::object();
    mapping = std::move(made);
    next_seq_no = manifest.max_seq_no + 1;
    floor = manifest.floor;
    note = sealed_note = flushed_note = manifest.note;
    segments.clear();
  }
  return manifest;
}

Status Index::Impl::load_segment(const SegmentEntry& entry, const OpenSegments& known,
                                 const os::Deadline& deadline) {
  auto live = std::make_shared<LiveSegment>();
  if (const auto open = known.find(entry.object.name); open != known.end()) {
    live->segment = open->second;
  } else {
    CAIRN_TRY(live->segment, Segment::open(store_file(shared.store, key(entry.object.name),
                                                      entry.object.size_bytes, shared.cache),
                                           entry.hot_offset, deadline));
  }
  const std::uint32_t documents = live->segment->doc_count();
  if (documents != entry.documents)
    return corrupt_object(key(entry.object.name), "it has another number of documents");
  live->deleted = BitSet(documents);
  if (!entry.deletes.name.empty()) {
    const std::string deletes_key = key(entry.deletes.name);
    auto bytes = shared.store.get(deletes_key, deadline);
    if (!bytes && bytes.error().kind == ErrorKind::not_found)
      return corrupt_object(deletes_key, "it is missing");
    if (!bytes) return std::move(bytes).error();
    if (crc32c(bytes->bytes) != entry.deletes.crc32c)
      return corrupt_object(deletes_key, "its checksum differs");
    CAIRN_TRY(live->deleted, decode_deletes(bytes->bytes, documents, deletes_key));
    live->deleted_count = live->deleted.count();
    live->visible = std::make_shared<const BitSet>(live->deleted);
    live->visible_count = live->deleted_count;
  }
  live->persisted = true;
  live->persisted_deletes = live->deleted_count;
  live->entry = entry;
  const MutexLock lock(state_mutex);
  recovery.objects += entry.deletes.name.empty() ? 1 : 2;
  recovery.bytes += entry.object.size_bytes + entry.deletes.size_bytes;
  segments.push_back(std::move(live));
  return ok_status();
}

// From here on CURRENT names this process: what an earlier owner still writes to it fails.
Status Index::Impl::take_over(const os::Deadline& deadline) {
  Current next = current;
  next.epoch = current.epoch + 1;
  next.version = ++last_version;
  next.writer = shared.writer;
  return write_current(next, deadline);
}

// Epoch by epoch, each up to its fence. Where the fence is missing it is written now, so that a
// stalled owner of that epoch finds its next number taken.
Status Index::Impl::replay(const os::Deadline& deadline) {
  LogPosition from;
  {
    const MutexLock lock(state_mutex);
    from = floor;
  }
  for (std::uint64_t epoch = from.epoch; epoch < current.epoch; ++epoch) {
    LogPosition at{.epoch = epoch, .number = epoch == from.epoch ? from.number + 1 : 1};
    for (;; ++at.number) {
      const std::string object = key(log_key(at));
      auto found = shared.store.get(object, deadline);
      if (!found && found.error().kind == ErrorKind::not_found) {
        const LogObject fence{
            .position = at, .nonce = shared.random.bytes(16), .fence = true, .records = {}};
        auto put = shared.store.put(object, encode_log(fence), deadline, {.if_none_match = true});
        if (put) break;
        if (put.error().kind != ErrorKind::precondition_failed) return std::move(put).error();
        found = shared.store.get(object, deadline);
      }
      if (!found) return std::move(found).error();
      CAIRN_TRY(LogObject log, decode_log(found->bytes, object));
      if (log.fence) break;
      CAIRN_CHECK(replay_object(found->bytes, std::move(log), deadline));
    }
  }
  const MutexLock lock(state_mutex);
  applied = {.epoch = current.epoch, .number = 0};
  // Of an index that was closed: what was told of it before is not told again by its old face.
  changed_at = ++shared.changes;
  return ok_status();
}

Status Index::Impl::replay_object(std::string_view bytes, LogObject log,
                                  const os::Deadline& deadline) {
  for (LogRecord& record : log.records) CAIRN_CHECK(replay_record(std::move(record), deadline));
  const MutexLock lock(state_mutex);
  applied = log.position;
  log_bytes += bytes.size();
  recovery.operations += log.records.size();
  ++log_objects;
  ++writes;
  if (oldest_unflushed_ms == 0) oldest_unflushed_ms = shared.clock.unix_ms();
  return ok_status();
}

Status Index::Impl::replay_record(LogRecord record, const os::Deadline& deadline) {
  if (record.kind == LogRecord::Kind::mapping || record.kind == LogRecord::Kind::settings) {
    CAIRN_TRY(const Json change, parse_json(record.source));
    const MutexLock lock(state_mutex);
    if (record.kind == LogRecord::Kind::mapping) {
      CAIRN_TRY(mapping, mapping->merged(change, MappingLimits::kept()));
    } else {
      CAIRN_TRY(settings, change_settings(settings, change));
    }
    return ok_status();
  }
  CAIRN_TRY(const auto before, locate(record.id, deadline));
  // What a flush or merge has kept is not done twice, nor what a call has that failed later.
  if (before && before->seq_no >= record.seq_no) return ok_status();
  {
    const MutexLock lock(state_mutex);
    const auto grave = tombstones.find(record.id);
    if (grave != tombstones.end() && grave->second.seq_no >= record.seq_no) return ok_status();
  }
  std::optional<ParsedDocument> document;
  if (record.kind == LogRecord::Kind::index) {
    std::shared_ptr<const Mapping> with;
    {
      const MutexLock lock(state_mutex);
      with = mapping;
    }
    CAIRN_TRY(document,
              parse_document(
                  record.id, std::move(record.source), std::move(record.semantic), std::move(with),
                  {.mapping = MappingLimits::kept(), .bytes = SIZE_MAX, .metadata = true}));
    CAIRN_CHECK(keep_routing(*document, record.routing));
  }
  bool full = false;
  {
    const MutexLock lock(state_mutex);
    if (before && before->table != nullptr) {
      before->table->mark_deleted(before->doc);
      before->table->ids.erase(record.id);
    } else if (before) {
      before->segment->mark_deleted(before->doc);
    }
    next_seq_no = std::max(next_seq_no, record.seq_no + 1);
    if (!document) {
      tombstones[record.id] = {
          .version = record.version, .seq_no = record.seq_no, .deleted_ms = shared.clock.unix_ms()};
      return ok_status();
    }
    mapping = document->mapping;
    const std::uint32_t doc =
        table->builder.add(std::move(*document), record.version, record.seq_no);
    table->versions.push_back({.version = record.version, .seq_no = record.seq_no});
    table->deleted.push_back(false);
    table->ids[record.id] = doc;
    tombstones.erase(record.id);
    full = table->builder.memory_bytes() >= shared.options.builder_bytes;
    if (full) ++writes;
  }
  if (full) CAIRN_CHECK(refresh(deadline));
  return ok_status();
}

// Deletes what no manifest names: leavings of flushes and merges that did not end.
Status Index::Impl::clean(const os::Deadline& deadline) {
  std::set<std::string> used = {key("CURRENT"), key(current.manifest)};
  LogPosition upto;
  {
    const MutexLock lock(state_mutex);
    upto = floor;
    for (const auto& s : segments) {
      used.insert(key(s->entry.object.name));
      if (!s->entry.deletes.name.empty()) used.insert(key(s->entry.deletes.name));
    }
  }
  {
    // Somebody copies what an index had that was closed meanwhile.
    const MutexLock lock(pins->mutex);
    for (const std::string& object : pins->keys) used.insert(key(object));
  }
  std::vector<std::string> unused;
  CAIRN_CHECK(
      store::for_each_object(shared.store, prefix, deadline, [&](const store::ObjectInfo& info) {
        const auto position = log_position(std::string_view(info.key).substr(prefix.size()));
        if (position ? *position <= upto : !used.contains(info.key)) unused.push_back(info.key);
        return ok_status();
      }));
  if (!unused.empty()) CAIRN_CHECK(shared.store.remove_batch(unused, deadline));
  return ok_status();
}

}  // namespace cairn::index
