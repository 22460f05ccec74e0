// SPDX-License-Identifier: Apache-2.0
// Reading and listing, of core.h.
#include "base/checksum.h"
#include "objectstore/core.h"
#include "os/metrics.h"

namespace cairn::objectstore {
namespace {

// A folded prefix with few keys below it is walked past; one with more is skipped by a seek.
constexpr int steps_before_seek = 8;

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
  CAIRN_CHECK(deadline.check("list objects"));
  if (params.limit == 0) return std::string();
  const std::string first = object_row(bucket.record.id, params.prefix);
  CAIRN_TRY(const auto cursor, kv_->cursor(Table::objects, after_prefix(first)));
  // A start that is a folded prefix itself stands for all below it.
  std::string start = object_row(bucket.record.id, params.start_after);
  const std::size_t folds_from = object_row_key_at + params.prefix.size();
  const bool start_is_folded =
      !params.delimiter.empty() && start.size() > folds_from && start.starts_with(first) &&
      start.find(params.delimiter, folds_from) == start.size() - params.delimiter.size();
  if (params.start_after.empty() || start < first)
    cursor->seek(first);
  else
    cursor->seek(start_is_folded ? after_prefix(start) : start + '\0');

  std::size_t shown = 0;
  std::string last;
  while (cursor->valid()) {
    CAIRN_CHECK(deadline.check("list objects"));
    if (shown == params.limit) return last;
    ++shown;
    const std::string_view row = cursor->key();
    const std::size_t fold =
        params.delimiter.empty() ? std::string_view::npos : row.find(params.delimiter, folds_from);
    if (fold == std::string_view::npos) {
      last = row.substr(object_row_key_at);
      CAIRN_CHECK(visitor.object(last, cursor->value()));
      cursor->next();
      continue;
    }
    const std::string folded(row.substr(0, fold + params.delimiter.size()));
    last = folded.substr(object_row_key_at);
    visitor.prefix(last);
    for (int i = 0; i < steps_before_seek && cursor->valid() && cursor->key().starts_with(folded);
         ++i)
      cursor->next();
    if (cursor->valid() && cursor->key().starts_with(folded)) cursor->seek(after_prefix(folded));
  }
  CAIRN_CHECK(cursor->status());
  return std::string();
}

}  // namespace cairn::objectstore
