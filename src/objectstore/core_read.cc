// SPDX-License-Identifier: Apache-2.0
// Reading and listing, of core.h.
#include <algorithm>

#include "base/checksum.h"
#include "objectstore/core.h"
#include "os/metrics.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

/// A cursor over the rows of one bucket that shows their keys.
class KeysOfBucket {
 public:
  KeysOfBucket(KvCursor& rows, std::uint64_t bucket_id) : rows_(rows), bucket_id_(bucket_id) {}
  void seek(std::string_view key) { rows_.seek(object_row(bucket_id_, key)); }
  void next() { rows_.next(); }
  bool valid() const { return rows_.valid(); }
  std::string_view key() const { return rows_.key().substr(object_row_key_at); }
  Status status() const { return rows_.status(); }

 private:
  KvCursor& rows_;
  std::uint64_t bucket_id_;
};

Error lost_body(const ObjectRecord& record, std::string_view what) {
  return {.kind = ErrorKind::corrupt,
          .message = "the body of [" + record.object.key + "] " + std::string(what)};
}

}  // namespace

OpenBody::OpenBody(Extents& extents, Pins& pins, ObjectRecord record)
    : extents_(extents), pins_(pins), record_(std::move(record)) {
  pins_.add(record_.extents);
}

OpenBody::~OpenBody() { pins_.drop(record_.extents); }

Result<std::string_view> OpenBody::read(std::uint64_t offset, std::uint64_t most) {
  if (record_.extents.empty())
    return std::string_view(row_).substr(std::min<std::uint64_t>(offset, row_.size()), most);
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < record_.extents.size(); ++i) {
    const ExtentSpan& extent = record_.extents[i];
    if (offset < begin + extent.size_bytes) {
      if (reading_ != i) {
        CAIRN_TRY(reader_, extents_.open(extent));
        reading_ = i;
      }
      return reader_->read(offset - begin, most);
    }
    begin += extent.size_bytes;
  }
  return std::string_view();
}

Result<std::unique_ptr<OpenBody>> Core::open_body(const Bucket& bucket, std::string_view key) {
  static os::Counter& reads =
      os::metrics().counter("cairn_objectstore_reads_total", "Bodies of objects that were opened");
  reads.add();
  const std::string row = object_row(bucket.record.id, key);
  std::optional<std::uint64_t> failed_serial;
  for (;;) {
    CAIRN_TRY(std::optional<ObjectRecord> record, find_row(row));
    if (!record) return std::unique_ptr<OpenBody>();
    const std::uint64_t serial = record->serial;
    const bool in_row = record->extents.empty() && record->object.size_bytes > 0;
    auto body = std::make_unique<OpenBody>(*extents_, pins_, std::move(*record));
    if (in_row) {
      CAIRN_TRY(const bool found, kv_->get(Table::bodies, body_row(serial), body->row()));
      if (found) {
        if (crc32c(body->row()) != body->record().body_crc)
          return lost_body(body->record(), "does not verify");
        return body;
      }
      // Replaced between the two reads, or really gone: a record seen twice decides.
      if (failed_serial == serial) return lost_body(body->record(), "is missing");
      failed_serial = serial;
      continue;
    }
    if (body->record().extents.empty()) return body;
    // The pins hold from here on. If the record still stands now, its extents were referenced after
    // they were pinned, and the keeper leaves them until this body is closed.
    CAIRN_TRY(const std::optional<ObjectRecord> again, find_row(row));
    if (again && again->serial == serial) return body;
  }
}

Result<std::string> Core::list(const Bucket& bucket, const s3::ListParams& params,
                               const ListVisitor& visitor, const os::Deadline& deadline) {
  const std::string first = object_row(bucket.record.id, params.prefix);
  CAIRN_TRY(const auto rows, kv_->cursor(Table::objects, store::after_prefix(first)));
  KeysOfBucket cursor(*rows, bucket.record.id);
  return store::fold_keys(
      cursor,
      {.prefix = params.prefix,
       .start_after = params.start_after,
       .delimiter = params.delimiter,
       .limit = params.limit},
      deadline, [&](std::string_view key) { return visitor.object(key, rows->value()); },
      visitor.prefix);
}

}  // namespace cairn::objectstore
