// SPDX-License-Identifier: Apache-2.0
// Appending, of core.h. An object grows by one extent and one part each time, under the serial that
// it has: references, extents and pieces of the manifest that are there stay as they are, so that a
// step writes what is new of them and the record, however large the object is. Who holds the record
// of before goes on reading what it names.
#include "base/encode.h"
#include "base/hash.h"
#include "objectstore/core/core.h"
#include "objectstore/engine_writer.h"
#include "os/metrics.h"
#include "s3/errors.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t parts_max = s3::part_number_max;

Error replaced_meanwhile() {
  return s3::error("OperationAborted",
                   "Another object took the place of the one that was appended to. Ask for its "
                   "size, and append again.");
}

Status check_unversioned(const Bucket& bucket) {
  if (bucket.state()->bucket.versioning == s3::Versioning::off) return ok_status();
  return s3::error("InvalidRequest", "Objects of a bucket with versions are not appended to.");
}

// New with each append, also where the same bytes come again; never an MD5 of the object.
std::string etag_behind(const s3::Object& before, const s3::Part& part, std::size_t parts) {
  return to_hex(md5(before.etag + '/' + part.etag)) + "-" + std::to_string(parts);
}

// What was there becomes the first part, where it was made in one go.
void add_part(const AppendParams& params, s3::Part part, std::int64_t now_ms,
              ObjectRecord& record) {
  s3::Object& object = record.object;
  auto checksum = params.checksum ? params.checksum(object, part) : std::nullopt;
  if (part_count(record) == 0)
    object.parts.push_back({.number = 1,
                            .size_bytes = object.size_bytes,
                            .etag = object.etag,
                            .modified_ms = object.modified_ms,
                            .checksum = object.checksum});
  part.number = static_cast<int>(part_count(record) + 1);
  part.modified_ms = now_ms;
  object.checksum = std::move(checksum);
  object.etag = etag_behind(object, part, static_cast<std::size_t>(part.number));
  object.size_bytes += part.size_bytes;
  object.modified_ms = now_ms;
  object.parts.push_back(std::move(part));
}

}  // namespace

bool is_small_body(const ObjectRecord& record) {
  return record.extents.empty() && !record.has_manifest;
}

Status check_append(const ObjectRecord* there, const AppendParams& params, std::uint64_t bytes) {
  const std::uint64_t size = there != nullptr ? there->object.size_bytes : 0;
  if (params.offset != size)
    return s3::error("InvalidWriteOffset")
        .with_detail("WriteOffset", std::to_string(params.offset))
        .with_detail("ObjectSize", std::to_string(size));
  if (there == nullptr) return ok_status();
  if (part_count(*there) >= parts_max) return s3::error("TooManyParts");
  if (bytes > s3::object_bytes_max - size)
    return s3::error("EntityTooLarge")
        .with_detail("ProposedSize", std::to_string(size + bytes))
        .with_detail("MaxSizeAllowed", std::to_string(s3::object_bytes_max));
  return params.judge ? params.judge(there->object) : ok_status();
}

Result<std::optional<ObjectRecord>> Core::look(const Bucket& bucket, std::string_view key) {
  CAIRN_CHECK(check_unversioned(bucket));
  CAIRN_TRY(auto standing,
            read_whole(Table::objects, object_row(bucket.record.id, key), key, Manifests::needed));
  if (!standing) return std::optional<ObjectRecord>();
  return std::optional(std::move(standing->record));
}

/// The object is stored again under a serial of its own: it is made, or all of it was in a row.
Result<ObjectRecord> Core::append_anew(Bucket& bucket, const std::string& row,
                                       const std::optional<Standing>& old, const Appending& appended,
                                       bool& attempted) {
  const StoredBody& body = appended.body;
  CAIRN_TRY(const std::uint64_t serial, serials_->next());
  ObjectRecord record{
      .object = old ? old->record.object : described(appended.put, appended.encryption),
      .serial = serial,
      .body_crc = body.row_crc,
      .extents = body.extents,
      .order = serial,
      .sealed_key = body.sealed_key};
  s3::Object& object = record.object;
  object.key = row.substr(object_row_key_at);
  if (object.size_bytes > 0) {
    add_part(appended.params, appended.part, options_.clock->unix_ms(), record);
  } else {
    object.etag = appended.part.etag;
    object.checksum = appended.part.checksum;
    object.size_bytes = appended.part.size_bytes;
    object.parts.clear();
    object.modified_ms = options_.clock->unix_ms();
  }
  Change change;
  CAIRN_CHECK(put_on_top(bucket, old ? &*old : nullptr, record, change));
  add_body(body, serial, change);
  CAIRN_CHECK(note_change(*bucket.state(), ChangeKind::create, object, false, appended.put.origin,
                          change));
  attempted = true;
  CAIRN_CHECK(apply(change));
  return record;
}

/// The object keeps its serial. Uploads in progress see by the note that it changed.
Result<ObjectRecord> Core::append_behind(Bucket& bucket, const std::string& row,
                                         ObjectRecord record, const Appending& appended,
                                         bool& attempted) {
  add_part(appended.params, appended.part, options_.clock->unix_ms(), record);
  Change change{.bucket = &bucket,
                .usage = {.bytes = static_cast<std::int64_t>(appended.part.size_bytes)}};
  for (const ExtentSpan& extent : appended.body.extents) {
    record.extents.push_back(extent);
    change.batch.put(Table::references, reference_row(extent.id, record.serial), {});
  }
  if (std::string piece = encode_piece(record); !piece.empty())
    change.batch.put(Table::bodies, piece_row(record.serial, record.manifest.pieces - 1),
                     std::move(piece));
  change.batch.put(Table::objects, row, encode(record));
  CAIRN_CHECK(note_emptied(bucket.record.id, record.object.key, change));
  CAIRN_CHECK(note_change(*bucket.state(), ChangeKind::create, record.object, false,
                          appended.put.origin, change));
  attempted = true;
  CAIRN_CHECK(apply(change));
  return record;
}

Result<ObjectRecord> Core::append_locked(Bucket& bucket, const std::string& row,
                                         const Appending& appended, bool& attempted) {
  CAIRN_CHECK(check_unversioned(bucket));
  const std::string_view key = std::string_view(row).substr(object_row_key_at);
  CAIRN_TRY(std::optional<Standing> old, read_whole(Table::objects, row, key, Manifests::needed));
  const ObjectRecord* const there = old ? &old->record : nullptr;
  CAIRN_CHECK(check_guard(guard_of(appended.put.condition), there));
  CAIRN_CHECK(check_append(there, appended.params, appended.part.size_bytes));
  // The bytes were sealed under its key, or stored with its body before them.
  if ((there != nullptr ? there->serial : 0) != appended.serial) return replaced_meanwhile();
  if (appended.holds_all) return append_anew(bucket, row, old, appended, attempted);
  return append_behind(bucket, row, std::move(old->record), appended, attempted);
}

// Crash points of an append: before the commit the object stands as it was, and an extent that has
// a name already is swept at the next start; the commit is one synced batch of RocksDB, all or
// nothing; after it the object stands with what was appended.
Result<ObjectRecord> Core::append(Bucket& bucket, std::string_view key, const Appending& appended,
                                  const os::Deadline& deadline) {
  static os::Counter& count =
      os::metrics().counter("cairn_objectstore_changes_total",
                            "Changes of objects that were made durable", {{"kind", "append"}});
  const std::string row = object_row(bucket.record.id, key);
  bool attempted = false;
  const auto locked = [&]() -> Result<ObjectRecord> {
    const std::shared_lock gate(bucket.gate);
    if (bucket.gone) return no_bucket(bucket);
    const auto lock = locks_.lock(row);
    CAIRN_CHECK(deadline.check("append to an object"));
    return append_locked(bucket, row, appended, attempted);
  };
  Result<ObjectRecord> record = locked();
  if (record.ok()) {
    count.add();
    return record;
  }
  for (const ExtentSpan& extent : appended.body.extents) {
    if (attempted)
      collector_->suspect(extent.id);
    else
      static_cast<void>(extents_->remove(extent.id).ok());  // else the sweep takes it
  }
  return record;
}

}  // namespace cairn::objectstore
