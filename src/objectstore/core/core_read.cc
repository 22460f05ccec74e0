// SPDX-License-Identifier: Apache-2.0
// Reading and listing, of core.h.
#include <algorithm>

#include "base/checksum.h"
#include "objectstore/core/core.h"
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

OpenBody::OpenBody(Extents& extents, ExtentPins& pins, ObjectRecord record)
    : extents_(extents), pins_(pins), record_(std::move(record)) {
  pins_.add(record_.extents);
}

OpenBody::~OpenBody() { pins_.drop(record_.extents); }

StoredBody shared_body(OpenBody& body) {
  const ObjectRecord& record = body.record();
  return {.size_bytes = record.object.size_bytes,
          .row = body.row(),
          .row_crc = record.body_crc,
          .extents = record.extents,
          .sealed_key = record.sealed_key,
          .shared = true};
}

Status OpenBody::open_extent(std::size_t number) {
  if (reading_ == number) return ok_status();
  CAIRN_TRY(reader_, extents_.open(record_.extents[number]));
  reading_ = number;
  return ok_status();
}

/// Bodies in rows are small: an encrypted one is decrypted whole, once.
Result<std::string_view> OpenBody::read_row(std::uint64_t offset, std::uint64_t most) {
  if (cipher_ && plain_.empty()) {
    const std::string_view sealed = row_;
    for (std::size_t at = 0; at < sealed.size(); at += sealed_chunk_bytes)
      CAIRN_CHECK(cipher_->unseal(0, at / sealed_chunk_bytes, sealed.substr(at, sealed_chunk_bytes),
                                  plain_));
  }
  const std::string_view bytes = cipher_ ? plain_ : row_;
  return bytes.substr(std::min<std::uint64_t>(offset, bytes.size()), most);
}

Result<std::string_view> OpenBody::read_sealed(std::uint64_t offset, std::uint64_t most) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < record_.extents.size(); ++i) {
    const ExtentSpan& extent = record_.extents[i];
    const std::uint64_t count = plain_bytes(extent.size_bytes);
    if (offset >= begin + count) {
      begin += count;
      continue;
    }
    CAIRN_CHECK(open_extent(i));
    const std::uint64_t first = (offset - begin) / plain_chunk_bytes;
    const std::uint64_t end = std::min(most, begin + count - offset) + (offset - begin);
    const std::uint64_t chunks = (end + plain_chunk_bytes - 1) / plain_chunk_bytes - first;
    CAIRN_TRY(const std::string_view sealed,
              reader_->read(first * sealed_chunk_bytes, chunks * sealed_chunk_bytes));
    plain_.clear();
    for (std::size_t at = 0; at < sealed.size(); at += sealed_chunk_bytes)
      CAIRN_CHECK(cipher_->unseal(extent.id, first + at / sealed_chunk_bytes,
                                  sealed.substr(at, sealed_chunk_bytes), plain_));
    return std::string_view(plain_).substr(offset - begin - first * plain_chunk_bytes, most);
  }
  return std::string_view();
}

Result<std::string_view> OpenBody::read(std::uint64_t offset, std::uint64_t most) {
  if (most == 0) return std::string_view();
  if (record_.extents.empty()) return read_row(offset, most);
  if (cipher_) return read_sealed(offset, most);
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < record_.extents.size(); ++i) {
    const ExtentSpan& extent = record_.extents[i];
    if (offset < begin + extent.size_bytes) {
      CAIRN_CHECK(open_extent(i));
      return reader_->read(offset - begin, most);
    }
    begin += extent.size_bytes;
  }
  return std::string_view();
}

Result<std::optional<FileBytes>> OpenBody::file(std::uint64_t offset, std::uint64_t most,
                                                std::int64_t fresh_ms) {
  std::uint64_t begin = 0;
  if (cipher_ || most == 0) return std::optional<FileBytes>();
  for (std::size_t i = 0; i < record_.extents.size(); ++i) {
    const ExtentSpan& extent = record_.extents[i];
    if (offset >= begin + extent.size_bytes) {
      begin += extent.size_bytes;
      continue;
    }
    if (!extents_.verified().is_fresh(extent.id, fresh_ms)) break;
    CAIRN_CHECK(open_extent(i));
    if (reader_->descriptor() < 0) break;
    return std::optional(FileBytes{.descriptor = reader_->descriptor(),
                                   .offset = offset - begin,
                                   .count = std::min(most, begin + extent.size_bytes - offset)});
  }
  return std::optional<FileBytes>();
}

/// True where the version still had its references after its extents were pinned: the collector
/// then leaves them until they are let go.
Result<bool> Core::still_stands(const ObjectRecord& record) {
  std::string none;
  return kv_->get(Table::references, reference_row(record.extents.front().id, record.serial), none);
}

Result<std::unique_ptr<OpenBody>> Core::open_body(const Bucket& bucket, std::string_view key,
                                                  std::string_view version) {
  static os::Counter& reads =
      os::metrics().counter("cairn_objectstore_reads_total", "Bodies of objects that were opened");
  reads.add();
  std::optional<std::uint64_t> failed_serial;
  for (;;) {
    std::optional<Standing> standing;
    if (version.empty()) {
      CAIRN_TRY(standing, find_row(object_row(bucket.record.id, key)));
    } else {
      CAIRN_TRY(standing, find_version(bucket, key, version));
    }
    if (!standing || standing->record.object.delete_marker) return std::unique_ptr<OpenBody>();
    standing->record.object.latest = standing->latest;
    const std::uint64_t serial = standing->record.serial;
    auto body = std::make_unique<OpenBody>(*extents_, pins_, std::move(standing->record));
    bool stands = true;
    if (body->record().in_row()) {
      CAIRN_TRY(stands, kv_->get(Table::bodies, body_row(serial), body->row()));
      if (stands && crc32c(body->row()) != body->record().body_crc)
        return lost_body(body->record(), "does not verify");
    } else if (!body->record().extents.empty()) {
      CAIRN_TRY(stands, still_stands(body->record()));
    }
    if (stands) return body;
    // Replaced between the two reads, or really gone: a record seen twice decides.
    if (failed_serial == serial) return lost_body(body->record(), "is missing");
    failed_serial = serial;
  }
}

Status Core::unlock(OpenBody& body, const std::optional<std::string>& customer_key) {
  const ObjectRecord& record = body.record();
  const s3::Encryption& how = record.object.encryption;
  if (how.method == s3::EncryptionMethod::none && !customer_key) return ok_status();
  CAIRN_TRY(std::string key,
            open_data_key(options_.key_ring, how, record.sealed_key, customer_key));
  body.unlock(BodyCipher(std::move(key)));
  return ok_status();
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
