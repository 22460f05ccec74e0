// SPDX-License-Identifier: Apache-2.0
// Changes of objects and their versions, of core.h. A live current version is a row of `objects`,
// so that the usual read and listing meet nothing else; every other version and every delete marker
// is a row of `versions`. Whatever a change moves is one batch, under the lock of the key.
#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "base/checksum.h"
#include "objectstore/core/core.h"
#include "objectstore/core/upload_records.h"
#include "os/metrics.h"
#include "os/threads/blocking.h"
#include "s3/errors.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

os::Counter& changes(const char* kind) {
  return os::metrics().counter("cairn_objectstore_changes_total",
                               "Changes of objects that were made durable", {{"kind", kind}});
}

Error condition_failed(const char* header, bool absent) {
  Error error = s3::error("PreconditionFailed").with_detail("Condition", header);
  if (absent) return std::move(error).with_detail("Reason", "no object is there");
  return error;
}

Status check(const RemoveCondition& condition, const ObjectRecord* now) {
  CAIRN_CHECK(check_guard(Guard{.if_match = condition.if_match}, now));
  if (condition.if_size_bytes && (now == nullptr || now->object.size_bytes != *condition.if_size_bytes))
    return condition_failed("x-amz-if-match-size", now == nullptr);
  if (condition.if_modified_ms &&
      (now == nullptr || now->object.modified_ms / 1000 != *condition.if_modified_ms / 1000))
    return condition_failed("x-amz-if-match-last-modified-time", now == nullptr);
  return ok_status();
}

const ObjectRecord* record_of(const std::optional<Standing>& standing) {
  return standing ? &standing->record : nullptr;
}

Status check_removable(const s3::Object& object, bool bypass_governance, std::int64_t now_ms) {
  bool kept = object.legal_hold.value_or(false);
  if (object.retention && object.retention->until_ms > now_ms)
    kept = kept || object.retention->mode == s3::LockMode::compliance || !bypass_governance;
  if (!kept) return ok_status();
  return s3::error("AccessDenied", "Access Denied because object protected by object lock.");
}

Status check_lockable(const BucketState& state, const s3::Object& object) {
  if (state.bucket.object_lock.enabled || (!object.retention && !object.legal_hold))
    return ok_status();
  return s3::error("InvalidRequest", "Bucket is missing Object Lock Configuration");
}

void give_default_retention(const BucketState& state, s3::Object& object) {
  const auto& rule = state.bucket.object_lock.rule;
  if (!rule || object.retention) return;
  object.retention = s3::Retention{
      .mode = rule->mode,
      .until_ms = object.modified_ms + (rule->days + 365 * std::int64_t{rule->years}) * s3::day_ms};
}

std::string order_value(std::uint64_t order) { return body_row(order); }

}  // namespace

Status check_guard(const Guard& guard, const ObjectRecord* now) {
  if (guard.if_none_match && now != nullptr) return condition_failed("If-None-Match", false);
  if (!guard.if_match && !guard.if_serial) return ok_status();
  if (now == nullptr) return condition_failed("If-Match", true);
  if (guard.if_match && *guard.if_match != "*" && *guard.if_match != now->object.etag)
    return condition_failed("If-Match", false);
  if (guard.if_serial && *guard.if_serial != now->serial)
    return condition_failed("If-Match", false);
  return ok_status();
}

Status Core::apply_freeing(Change& change) {
  const Status done = apply(change);
  if (done.ok() || done.error().kind != ErrorKind::storage_full || !spare_->give()) return done;
  CAIRN_CHECK(kv_->recover());
  return apply(change);
}

Status Core::apply(Change& change) {
  if (change.batch.empty()) return ok_status();
  const Status written = write(change.batch);
  if (change.bucket != nullptr && !written.ok()) change.bucket->usage.doubt();
  CAIRN_CHECK(written);
  if (change.bucket != nullptr) change.bucket->usage.add(change.usage);
  collector_->released(change.released);
  change = Change{.bucket = change.bucket};
  return ok_status();
}

void Core::add_body(const StoredBody& body, std::uint64_t serial, Change& change) {
  if (!body.row.empty()) change.batch.put_view(Table::bodies, body_row(serial), body.row);
  for (const ExtentSpan& extent : body.extents)
    change.batch.put(Table::references, reference_row(extent.id, serial), {});
}

void Core::take_away(const ObjectRecord& old, Change& change) {
  --change.usage.versions;
  change.usage.bytes -= static_cast<std::int64_t>(old.object.size_bytes);
  for (const ExtentSpan& extent : old.extents) {
    change.batch.remove(Table::references, reference_row(extent.id, old.serial));
    change.released.push_back(extent);
  }
  if (old.in_row()) change.batch.remove(Table::bodies, body_row(old.serial));
  for (std::size_t i = 0; i < old.manifest.pieces; ++i)
    change.batch.remove(Table::bodies, piece_row(old.serial, i));
}

void Core::drop_version_row(std::uint64_t bucket_id, const Standing& version, Change& change) {
  const ObjectRecord& record = version.record;
  change.batch.remove(Table::versions, version_row(bucket_id, record.object.key, record.order));
  if (!record.named) change.batch.remove(Table::system, null_row(bucket_id, record.object.key));
}

/// The version "null" goes where it is not the live current one.
Status Core::take_null_away(std::uint64_t bucket_id, std::string_view key, Change& change) {
  CAIRN_TRY(const auto order, null_order(bucket_id, key));
  if (!order) return ok_status();
  CAIRN_TRY(const auto standing, find_version_row(bucket_id, key, *order));
  if (!standing)
    return Error{.kind = ErrorKind::corrupt, .message = "the row of a version is missing"};
  drop_version_row(bucket_id, *standing, change);
  take_away(standing->record, change);
  return ok_status();
}

Status Core::put_on_top(const Bucket& bucket, const Standing* old, ObjectRecord& record,
                        Change& change) {
  change.bucket = &bucket;
  ++change.usage.versions;
  change.usage.bytes += static_cast<std::int64_t>(record.object.size_bytes);
  const BucketView state = bucket.state();
  const std::uint64_t id = bucket.record.id;
  const std::string_view key = record.object.key;
  const s3::Versioning versioning = state->bucket.versioning;
  const std::string row = object_row(id, key);
  record.named = versioning == s3::Versioning::enabled;
  record.object.version_id =
      record.named ? version_id(record.order) : std::string(s3::null_version);
  if (!record.object.delete_marker) {
    CAIRN_CHECK(check_lockable(*state, record.object));
    give_default_retention(*state, record.object);
  }
  const bool replaces = old != nullptr && !record.named && !old->record.named;
  if (old != nullptr) {
    change.batch.remove(Table::objects, row);
    if (replaces) {
      take_away(old->record, change);
    } else {
      change.batch.put(Table::versions, version_row(id, key, old->record.order), old->value);
      if (!old->record.named)
        change.batch.put(Table::system, null_row(id, key), order_value(old->record.order));
    }
  }
  if (!record.named && !replaces && versioning != s3::Versioning::off)
    CAIRN_CHECK(take_null_away(id, key, change));
  if (!record.object.delete_marker) {
    if (std::string manifest = encode_manifest(record); record.has_manifest)
      change.batch.put(Table::bodies, body_row(record.serial), std::move(manifest));
    change.batch.put(Table::objects, row, encode(record));
    return ok_status();
  }
  change.batch.put(Table::versions, version_row(id, key, record.order), encode(record));
  if (!record.named) change.batch.put(Table::system, null_row(id, key), order_value(record.order));
  return ok_status();
}

Result<ObjectRecord> Core::commit_locked(Bucket& bucket, std::string_view key, std::string_view row,
                                         s3::Object object, const StoredBody& body,
                                         const Guard& guard, const ChangeOrigin& origin,
                                         bool& attempted) {
  CAIRN_TRY(const std::optional<Standing> old, find_row(row));
  CAIRN_CHECK(check_guard(guard, record_of(old)));
  CAIRN_TRY(const std::uint64_t serial, serials_->next());
  object.key = key;
  object.size_bytes = body.size_bytes;
  object.modified_ms = options_.clock->unix_ms();
  object.latest = true;
  object.delete_marker = false;
  ObjectRecord record{.object = std::move(object),
                      .serial = serial,
                      .body_crc = body.row_crc,
                      .extents = body.extents,
                      .order = serial,
                      .sealed_key = body.sealed_key};
  Change change;
  CAIRN_CHECK(put_on_top(bucket, old ? &*old : nullptr, record, change));
  add_body(body, serial, change);
  CAIRN_CHECK(note_change(*bucket.state(), ChangeKind::create, record.object, false, origin,
                          change));
  attempted = true;
  CAIRN_CHECK(apply(change));
  return record;
}

// Crash points of a put: before the commit the old version stands, and an extent that has a name
// already is swept at the next start; the commit is one synced batch of RocksDB, all or nothing;
// after it the new version stands, and the extents of a version that it replaced are removed by the
// collector, or, when the crash comes first, by the sweep.
Result<ObjectRecord> Core::commit(Bucket& bucket, std::string_view key, s3::Object object,
                                  const StoredBody& body, const Guard& guard,
                                  const os::Deadline& deadline, const ChangeOrigin& origin) {
  static os::Counter& count = changes("put");
  const std::string row = object_row(bucket.record.id, key);
  bool attempted = false;
  const auto locked = [&]() -> Result<ObjectRecord> {
    const std::shared_lock gate(bucket.gate);
    if (bucket.gone) return no_bucket(bucket);
    const auto lock = locks_.lock(row);
    CAIRN_CHECK(deadline.check("put an object"));
    return commit_locked(bucket, key, row, std::move(object), body, guard, origin, attempted);
  };
  Result<ObjectRecord> record = locked();
  if (record.ok()) {
    count.add();
    return record;
  }
  for (const ExtentSpan& extent : body.extents) {
    if (attempted || body.shared)
      collector_->suspect(extent.id);
    else
      (void)extents_->remove(extent.id);
  }
  return record;
}

Status Core::note_emptied(std::uint64_t bucket_id, std::string_view key, Change& change) {
  const std::string uploads = upload_key_prefix(bucket_id, key);
  CAIRN_TRY(const auto cursor, kv_->cursor(Table::system, store::after_prefix(uploads)));
  cursor->seek(uploads);
  if (!cursor->valid()) return cursor->status();
  CAIRN_TRY(const std::uint64_t serial, serials_->next());
  change.batch.put(Table::system, emptied_row(bucket_id, key), order_value(serial));
  return ok_status();
}

/// The live version below a version that was the latest becomes the current one.
Status Core::promote_below(std::uint64_t bucket_id, const Standing& removed, Change& change) {
  const std::string& key = removed.record.object.key;
  const std::string prefix = version_key_prefix(bucket_id, key);
  const std::string gone = version_row(bucket_id, key, removed.record.order);
  CAIRN_TRY(const auto cursor, kv_->cursor(Table::versions, store::after_prefix(prefix)));
  cursor->seek(prefix);
  if (cursor->valid() && cursor->key() == gone) cursor->next();
  CAIRN_CHECK(cursor->status());
  if (!cursor->valid()) return ok_status();
  CAIRN_TRY(ObjectRecord record, decode_object(cursor->value(), key));
  if (record.object.delete_marker) return ok_status();
  Standing below{.record = std::move(record), .value = std::string(cursor->value())};
  drop_version_row(bucket_id, below, change);
  change.batch.put(Table::objects, object_row(bucket_id, key), std::move(below.value));
  return ok_status();
}

Result<Removed> Core::remove_current(const Bucket& bucket, const RemoveEntry& entry,
                                     const RemoveParams& params, Change& change) {
  change.bucket = &bucket;
  const std::string row = object_row(bucket.record.id, entry.key);
  CAIRN_TRY(const std::optional<Standing> old, find_row(row));
  CAIRN_CHECK(check(entry.condition, record_of(old)));
  if (params.judge && !old) return Removed{};
  if (params.judge) CAIRN_CHECK(params.judge(old->record.object));
  if (old) CAIRN_CHECK(note_emptied(bucket.record.id, entry.key, change));
  const BucketView state = bucket.state();
  if (state->bucket.versioning == s3::Versioning::off) {
    if (!old) return Removed{};
    change.batch.remove(Table::objects, row);
    take_away(old->record, change);
    CAIRN_CHECK(note_change(*state, ChangeKind::remove, old->record.object, true, params.origin,
                            change));
    return Removed{.existed = true};
  }
  CAIRN_TRY(const std::uint64_t serial, serials_->next());
  ObjectRecord marker{.object = {.key = entry.key,
                                 .modified_ms = options_.clock->unix_ms(),
                                 .owner = params.owner,
                                 .delete_marker = true},
                      .serial = serial,
                      .order = serial};
  CAIRN_CHECK(put_on_top(bucket, old ? &*old : nullptr, marker, change));
  CAIRN_CHECK(note_change(*state, ChangeKind::remove, marker.object, false, params.origin, change));
  return Removed{
      .existed = old.has_value(), .delete_marker = true, .version_id = marker.object.version_id};
}

Result<Removed> Core::remove_version(const Bucket& bucket, const RemoveEntry& entry,
                                     const RemoveParams& params, Change& change) {
  change.bucket = &bucket;
  const std::uint64_t id = bucket.record.id;
  CAIRN_TRY(const std::optional<Standing> standing, look_for(bucket, entry.key, entry.version));
  CAIRN_CHECK(check(entry.condition, record_of(standing)));
  Removed removed{.version_id = entry.version};
  if (!standing) return removed;
  const ObjectRecord& record = standing->record;
  if (params.judge) CAIRN_CHECK(params.judge(record.object));
  CAIRN_CHECK(check_removable(record.object, params.bypass_governance, retention_now_ms()));
  removed.existed = true;
  removed.delete_marker = record.object.delete_marker;
  if (standing->in_versions) {
    drop_version_row(id, *standing, change);
  } else {
    CAIRN_CHECK(note_emptied(id, entry.key, change));
    change.batch.remove(Table::objects, object_row(id, entry.key));
  }
  take_away(record, change);
  if (standing->latest) CAIRN_CHECK(promote_below(id, *standing, change));
  CAIRN_CHECK(note_change(*bucket.state(), ChangeKind::remove, record.object, true, params.origin,
                          change));
  return removed;
}

Result<Removed> Core::remove_locked(const Bucket& bucket, const RemoveEntry& entry,
                                    const RemoveParams& params, Change& change) {
  if (entry.version.empty()) return remove_current(bucket, entry, params, change);
  return remove_version(bucket, entry, params, change);
}

Result<Removed> Core::remove(Bucket& bucket, const RemoveEntry& entry, const RemoveParams& params,
                             const os::Deadline& deadline) {
  const std::shared_lock gate(bucket.gate);
  if (bucket.gone) return no_bucket(bucket);
  const auto lock = locks_.lock(object_row(bucket.record.id, entry.key));
  CAIRN_CHECK(deadline.check("delete an object"));
  Change change;
  CAIRN_TRY(const Removed removed, remove_locked(bucket, entry, params, change));
  if (params.only_try) return removed;
  CAIRN_CHECK(apply_freeing(change));
  changes("delete").add(removed.existed ? 1 : 0);
  return removed;
}

Result<std::vector<Result<Removed>>> Core::remove_all(Bucket& bucket,
                                                      const std::vector<RemoveEntry>& entries,
                                                      const RemoveParams& params,
                                                      const os::Deadline& deadline) {
  std::vector<std::string> rows;
  for (const RemoveEntry& entry : entries) rows.push_back(object_row(bucket.record.id, entry.key));
  const std::shared_lock gate(bucket.gate);
  if (bucket.gone) return no_bucket(bucket);
  const auto locks = locks_.lock(std::vector<std::string_view>(rows.begin(), rows.end()));
  CAIRN_CHECK(deadline.check("delete objects"));
  Change change;
  std::vector<Result<Removed>> all;
  std::set<std::string_view> in_change;  // a step sees a key as it was before it
  std::uint64_t count = 0;
  for (const RemoveEntry& entry : entries) {
    if (!in_change.insert(entry.key).second) {
      CAIRN_CHECK(apply_freeing(change));
      in_change = {entry.key};
    }
    all.push_back(remove_locked(bucket, entry, params, change));
    const Result<Removed>& last = all.back();
    if (!last.ok() && last.error().code.empty()) return last.error();
    if (last.ok() && last->existed) ++count;
  }
  CAIRN_CHECK(apply_freeing(change));
  changes("delete").add(count);
  return all;
}

Result<bool> Core::remove(Bucket& bucket, std::string_view key, const Guard& guard,
                          const os::Deadline& deadline) {
  const std::string row = object_row(bucket.record.id, key);
  const std::shared_lock gate(bucket.gate);
  const auto lock = locks_.lock(row);
  CAIRN_CHECK(deadline.check("delete an object"));
  CAIRN_TRY(const std::optional<Standing> old, find_row(row));
  CAIRN_CHECK(check_guard(guard, record_of(old)));
  if (!old) return false;
  Change change;
  CAIRN_CHECK(remove_current(bucket, {.key = std::string(key)}, {}, change));
  CAIRN_CHECK(apply_freeing(change));
  changes("delete").add();
  return true;
}

Result<std::vector<bool>> Core::remove_all(Bucket& bucket, const std::vector<std::string>& keys,
                                           const os::Deadline& deadline) {
  std::map<std::string_view, std::size_t> places;  // a key named twice is taken away once
  std::vector<RemoveEntry> entries;
  for (const std::string& key : keys)
    if (places.emplace(key, entries.size()).second) entries.push_back({.key = key});
  CAIRN_TRY(const auto removed, remove_all(bucket, entries, {}, deadline));
  std::vector<bool> existed;
  for (const std::string& key : keys) {
    const Result<Removed>& one = removed[places.at(key)];
    if (!one.ok()) return one.error();
    existed.push_back(one->existed);
  }
  return existed;
}

Result<std::optional<ObjectRecord>> Core::change(
    Bucket& bucket, std::string_view key, std::string_view version,
    const std::function<Status(const BucketState&, s3::Object&)>& change,
    const os::Deadline& deadline, const ChangeOrigin& origin) {
  const std::shared_lock gate(bucket.gate);
  if (bucket.gone) return no_bucket(bucket);
  const std::string row = object_row(bucket.record.id, key);
  const auto lock = locks_.lock(row);
  CAIRN_CHECK(deadline.check("change an object"));
  CAIRN_TRY(std::optional<Standing> standing, look_for(bucket, key, version));
  if (!standing || standing->record.object.delete_marker) return std::optional<ObjectRecord>();
  ObjectRecord& record = standing->record;
  const BucketView state = bucket.state();
  const s3::Object before = record.object;
  CAIRN_CHECK(change(*state, record.object));
  if (record.object.retention != before.retention || record.object.legal_hold != before.legal_hold)
    CAIRN_CHECK(check_lockable(*state, record.object));
  Change step;
  const Table table = standing->in_versions ? Table::versions : Table::objects;
  step.batch.put(table,
                 standing->in_versions ? version_row(bucket.record.id, key, record.order) : row,
                 encode(record));
  if (encode_columns(before) != encode_columns(record.object))
    CAIRN_CHECK(note_change(*state, ChangeKind::update_metadata, record.object, false, origin,
                            step));
  CAIRN_CHECK(apply(step));
  changes("change").add();
  return std::optional(std::move(record));
}

// The version goes to the other key as it is: its serial, and with it its bytes, its references and
// its manifest stay. Crash points: before the batch the old key stands, after it the new one.
Result<ObjectRecord> Core::rename(Bucket& bucket, std::string_view from, std::string_view to,
                                  const RenameParams& params, const os::Deadline& deadline) {
  const std::uint64_t id = bucket.record.id;
  const std::string from_row = object_row(id, from), to_row = object_row(id, to);
  const std::shared_lock gate(bucket.gate);
  if (bucket.gone) return no_bucket(bucket);
  if (bucket.state()->bucket.versioning != s3::Versioning::off)
    return s3::error("InvalidRequest", "Objects of a bucket with versions are not renamed.");
  const auto locks = locks_.lock(std::vector<std::string_view>{from_row, to_row});
  CAIRN_CHECK(deadline.check("rename an object"));
  CAIRN_TRY(std::optional<Standing> source, find_row(from_row));
  if (!source) return s3::error("NoSuchKey").with_detail("Key", std::string(from));
  CAIRN_TRY(const std::optional<Standing> target, find_row(to_row));
  if (params.judge)
    CAIRN_CHECK(params.judge(source->record.object, target ? &target->record.object : nullptr));
  if (from == to) return std::move(source->record);
  Change change{.bucket = &bucket};
  CAIRN_CHECK(note_emptied(id, from, change));
  change.batch.remove(Table::objects, from_row);
  if (target) take_away(target->record, change);
  change.batch.put(Table::objects, to_row, std::move(source->value));
  const BucketView state = bucket.state();
  CAIRN_CHECK(note_change(*state, ChangeKind::remove, source->record.object, true, params.origin,
                          change));
  source->record.object.key = to;
  CAIRN_CHECK(note_change(*state, ChangeKind::create, source->record.object, false, params.origin,
                          change));
  CAIRN_CHECK(apply(change));
  changes("rename").add();
  return std::move(source->record);
}

// The source is pinned from the look at it until its references under the copy are durable: the
// collector leaves pinned extents, and once they are free it asks for references again.
Result<ObjectRecord> Core::copy(
    Bucket& from, std::string_view from_key, Bucket& to, std::string_view to_key,
    const std::function<Status(const ObjectRecord&, s3::Object&)>& change, const Guard& guard,
    const os::Deadline& deadline) {
  static os::Counter& count = changes("copy");
  CAIRN_TRY(const auto source, open_body(from, from_key));
  if (!source) return s3::error("NoSuchKey").with_detail("Key", std::string(from_key));
  s3::Object object = source->record().object;
  object.acl.clear();
  object.retention.reset();
  object.legal_hold.reset();
  object.restore.reset();
  object.archive_tier.clear();
  object.replication_status.clear();
  CAIRN_CHECK(change(source->record(), object));
  CAIRN_TRY(ObjectRecord record,
            commit(to, to_key, std::move(object), shared_body(*source), guard, deadline));
  count.add();
  return record;
}

}  // namespace cairn::objectstore
