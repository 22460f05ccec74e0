// SPDX-License-Identifier: Apache-2.0
// The journal of a bucket, of core.h: the row of a change goes into the change's own batch, so that
// both are there or neither is, and is numbered in the moment in which that batch joins the log.
#include <algorithm>

#include "base/bytes.h"
#include "objectstore/core/core.h"
#include "objectstore/journal/table_key.h"
#include "os/log.h"
#include "os/steps.h"
#include "s3/errors.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t journal_page_max = 10'000;
constexpr std::size_t rows_at_first = 1000;  // room for so many: a page may be much smaller
constexpr std::size_t time_bytes = 8;  // in front of the kept row

Error no_journal(const Bucket& bucket) {
  return {.kind = ErrorKind::not_found,
          .message = "bucket [" + bucket.record.bucket.name + "] has no journal"};
}

Result<DocumentPointer> journal_of(const Bucket& bucket) {
  DocumentPointer document = bucket.state()->document(document::journal_table);
  if (!document) return no_journal(bucket);
  return document;
}

std::optional<std::uint64_t> number_behind(std::string_view row, std::size_t prefix_bytes) {
  if (row.size() != prefix_bytes + 8) return std::nullopt;
  return ByteReader(row.substr(prefix_bytes)).u64be();
}

}  // namespace

// Where the key of the journal cannot be had, the batch says so instead: the bucket works on, and
// that the journal lacks a change is as durable as the change.
Status Core::note_change(const BucketState& state, ChangeKind kind, const s3::Object& object,
                         bool gone, const ChangeOrigin& origin, Change& change) {
  const DocumentPointer document = state.document(document::journal_table);
  if (!document) return ok_status();
  CAIRN_CHECK(journal_numbers_->make_room());
  const std::uint64_t id = document->generation();
  auto row = table_key(*document)->seal(options_.key_ring,
                                        encode_change(kind, object, gone, origin));
  if (!row.ok()) {
    change.batch.put(Table::system, table_fault_row(id), row.error().message);
    return ok_status();
  }
  std::string value;
  value.reserve(time_bytes + row->size());
  put_i64le(value, options_.clock->unix_ms());
  value += *row;
  change.batch.put_numbered(Table::system, journal_prefix(id), *journal_numbers_, std::move(value));
  return ok_status();
}

Result<JournalPage> Core::journal(const Bucket& bucket, std::uint64_t after, std::size_t limit,
                                  const os::Deadline& deadline) {
  CAIRN_TRY(const DocumentPointer document, journal_of(bucket));
  const auto key = table_key(*document);
  const std::string prefix = journal_prefix(document->generation());
  limit = std::min(limit, journal_page_max);
  CAIRN_TRY(const auto cursor, kv_->cursor(Table::system, store::after_prefix(prefix)));
  os::Steps steps(deadline, "read a journal");
  JournalPage page;
  page.rows.reserve(std::min(limit, rows_at_first));
  if (after == UINT64_MAX) return page;
  for (cursor->seek(journal_row(document->generation(), after + 1)); cursor->valid();
       cursor->next()) {
    CAIRN_CHECK(steps.take(store::steps_of_a_row));
    if (page.rows.size() == limit) {
      page.more = true;
      return page;
    }
    const auto number = number_behind(cursor->key(), prefix.size());
    ByteReader in(cursor->value());
    const auto at = in.i64le();
    if (!number || !at)
      return Error{.kind = ErrorKind::corrupt, .message = "a stored row of a journal is broken"};
    CAIRN_TRY(const std::string row,
              key->unseal(options_.key_ring, cursor->value().substr(time_bytes)));
    CAIRN_TRY(JournalRecord record, decode_change(row));
    record.at_ms = *at;
    page.rows.push_back({.number = *number, .record = std::move(record)});
  }
  CAIRN_CHECK(cursor->status());
  return page;
}

Result<bool> Core::remove_rows(const std::string& first, const std::string& end, std::size_t most,
                               const RowGoes& goes,
                               const os::Deadline& deadline) {
  KvBatch batch;
  std::size_t count = 0;
  {
    CAIRN_TRY(const auto cursor, kv_->cursor(Table::system, end));
    os::Steps steps(deadline, "remove rows of a table");
    for (cursor->seek(first); cursor->valid() && count < most && goes(cursor->key(), cursor->value());
         cursor->next(), ++count) {
      CAIRN_CHECK(steps.take(store::steps_of_a_row));
      batch.remove(Table::system, std::string(cursor->key()));
    }
    CAIRN_CHECK(cursor->status());
  }
  if (count > 0) CAIRN_CHECK(write(batch));
  return count == most;
}

Result<bool> Core::expire_journal(const Bucket& bucket, std::int64_t before_ms, std::uint64_t up_to,
                                  std::size_t most, const os::Deadline& deadline) {
  CAIRN_TRY(const DocumentPointer document, journal_of(bucket));
  const std::string prefix = journal_prefix(document->generation());
  const auto is_old = [&](std::string_view row, std::string_view value) {
    const auto number = number_behind(row, prefix.size());
    const auto at = ByteReader(value).i64le();
    return number && *number <= up_to && at && *at < before_ms;
  };
  return remove_rows(prefix, store::after_prefix(prefix), most, is_old, deadline);
}

// The cursor comes first: whatever it shows is of a table that a bucket had by then, so that a
// bucket that does not have it now has lost it.
Result<bool> Core::sweep_rows(std::string_view rows, std::size_t most,
                              const os::Deadline& deadline) {
  const std::string all(rows);
  std::string first = all;
  for (;;) {
    CAIRN_CHECK(deadline.check("sweep tables"));
    std::optional<std::uint64_t> id;
    {
      CAIRN_TRY(const auto cursor, kv_->cursor(Table::system, store::after_prefix(all)));
      cursor->seek(first);
      CAIRN_CHECK(cursor->status());
      if (!cursor->valid()) return false;
      id = ByteReader(cursor->key().substr(all.size())).u64be();
    }
    if (!id)
      return Error{.kind = ErrorKind::corrupt, .message = "the key of a table's row is broken"};
    std::string table = all;
    put_u64be(table, *id);
    const std::string end = store::after_prefix(table);
    const auto all_buckets = buckets();
    const bool stands =
        std::any_of(all_buckets.begin(), all_buckets.end(), [&](const BucketPointer& bucket) {
          const BucketView state = bucket->state();
          for (const auto name : {document::journal_table, document::inventory_table}) {
            const auto document = state->document(name);
            if (document && document->generation() == *id) return true;
          }
          return false;
        });
    if (!stands) {
      CAIRN_TRY(const bool more,
                remove_rows(table, end, most, [](std::string_view, std::string_view) { return true; }, deadline));
      if (more) return true;
    }
    first = end;
  }
}

Result<bool> Core::sweep_tables(std::size_t most, const os::Deadline& deadline) {
  for (const auto rows : {journal_rows, inventory_rows, inventory_state_rows, table_fault_rows}) {
    CAIRN_TRY(const bool more, sweep_rows(rows, most, deadline));
    if (more) return true;
  }
  return false;
}

Status Core::set_table_fault(std::uint64_t table_id, std::string_view reason) {
  CAIRN_TRY(const std::string before, table_fault(table_id));
  if (before == reason) return ok_status();
  KvBatch batch;
  if (reason.empty())
    batch.remove(Table::system, table_fault_row(table_id));
  else
    batch.put(Table::system, table_fault_row(table_id), std::string(reason));
  return write(batch);
}

Result<std::uint64_t> Core::last_journal_number(Bucket& bucket) {
  const std::unique_lock gate(bucket.gate);
  if (bucket.gone) return no_bucket(bucket);
  return journal_numbers_->next() - 1;
}

Result<std::string> Core::table_fault(std::uint64_t table_id) {
  std::string reason;
  CAIRN_TRY(const bool found, kv_->get(Table::system, table_fault_row(table_id), reason));
  return found ? reason : std::string();
}

Result<JournalPage> Engine::journal(std::string_view bucket, std::uint64_t after,
                                    std::size_t limit, const os::Deadline& deadline) {
  CAIRN_TRY(const BucketPointer found, user_bucket(*core_, bucket));
  return core_->journal(*found, after, limit, deadline);
}

Result<bool> Engine::expire_journal(std::string_view bucket, std::int64_t before_ms,
                                    std::uint64_t up_to, std::size_t most, const os::Deadline& deadline) {
  CAIRN_TRY(const BucketPointer found, user_bucket(*core_, bucket));
  return core_->expire_journal(*found, before_ms, up_to, most, deadline);
}

Result<bool> Engine::sweep_tables(std::size_t most, const os::Deadline& deadline) {
  return core_->sweep_tables(most, deadline);
}

Result<std::string> Engine::table_document(const s3::Encryption& how) const {
  return objectstore::table_document(core_->options().key_ring, how);
}

namespace {

Result<std::uint64_t> table_id(const Core& core, std::string_view bucket,
                               std::string_view document) {
  CAIRN_TRY(const BucketPointer found, user_bucket(core, bucket));
  const DocumentPointer table = found->state()->document(document);
  if (table) return table->generation();
  return Error{.kind = ErrorKind::not_found,
               .message = "bucket [" + std::string(bucket) + "] has no such table"};
}

}  // namespace

Result<std::string> Engine::table_fault(std::string_view bucket, std::string_view document) {
  CAIRN_TRY(const std::uint64_t id, table_id(*core_, bucket, document));
  return core_->table_fault(id);
}

Status Engine::set_table_fault(std::string_view bucket, std::string_view document,
                               std::string_view reason) {
  CAIRN_TRY(const std::uint64_t id, table_id(*core_, bucket, document));
  return core_->set_table_fault(id, reason);
}

}  // namespace cairn::objectstore
