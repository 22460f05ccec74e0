// SPDX-License-Identifier: Apache-2.0
#include "app/upkeep/table_upkeep.h"

#include <string>

#include "objectstore/core/inventory.h"
#include "objectstore/journal/table_key.h"
#include "os/log.h"
#include "s3/operations/metadata_operations.h"
#include "s3api/access/bucket_documents.h"

namespace cairn::app {
namespace {

constexpr std::size_t rows_of_a_step = 4000;
constexpr int steps_of_a_round = 40;  // of the copies of a bucket, before it is the others' turn

bool is_end_of_work(const Error& error) {
  return error.kind == ErrorKind::cancelled || error.kind == ErrorKind::timeout;
}

// Deleted meanwhile, or configured anew: the next round sees.
bool is_gone(const Error& error) {
  return error.code == "NoSuchBucket" || error.kind == ErrorKind::not_found;
}

Status keep_inventory(objectstore::Engine& engine, const std::string& bucket,
                      const os::Deadline& deadline) {
  for (bool more = true; more;) {
    CAIRN_CHECK(deadline.check("keep an inventory"));
    CAIRN_TRY(auto inventory, objectstore::Inventory::find(engine, bucket));
    CAIRN_TRY(more, inventory.step(rows_of_a_step, deadline));
  }
  return engine.set_table_fault(bucket, objectstore::document::inventory_table, "");
}

Status expire(objectstore::Engine& engine, const std::string& bucket,
              const objectstore::BucketState& state, std::int64_t now_ms, std::uint64_t up_to,
              const os::Deadline& deadline) {
  const auto kept = s3api::document_of<s3::MetadataConfiguration>(
      state, s3::document::metadata_configuration);
  if (kept == nullptr) return ok_status();
  const auto& days = kept->journal_table_configuration.record_expiration.days;
  if (!days) return ok_status();
  for (bool more = true; more;) {
    CAIRN_TRY(more, engine.expire_journal(bucket, now_ms - *days * s3::day_ms, up_to,
                                          rows_of_a_step, deadline));
  }
  return ok_status();
}

// Rows of the journal stay until the inventory and the searchable copies have heeded them.
Result<bool> keep_bucket(objectstore::Engine& engine, tables::Tables* copies,
                         const std::string& bucket, const objectstore::BucketState& state,
                         std::int64_t now_ms, const os::Deadline& deadline) {
  if (state.document(objectstore::document::inventory_table)) {
    const Status kept = keep_inventory(engine, bucket, deadline);
    if (!kept.ok() && !is_end_of_work(kept.error()) && !is_gone(kept.error()))
      CAIRN_CHECK(engine.set_table_fault(bucket, objectstore::document::inventory_table,
                                         kept.error().message));
    CAIRN_CHECK(kept);
  }
  std::uint64_t up_to = UINT64_MAX;
  if (copies != nullptr) {
    auto followed = tables::Followed::more;
    for (int i = 0; i < steps_of_a_round && followed == tables::Followed::more; ++i) {
      CAIRN_TRY(followed, copies->follow(bucket, deadline));
    }
    if (followed != tables::Followed::all) return followed == tables::Followed::more;
    up_to = copies->needs_behind(bucket);
  }
  CAIRN_CHECK(expire(engine, bucket, state, now_ms, up_to, deadline));
  return false;
}

void sweep_copies(tables::Tables& copies, const os::Deadline& deadline) {
  const Status swept = copies.sweep(deadline);
  if (!swept.ok() && !is_end_of_work(swept.error()))
    os::log(os::LogLevel::warn, "app", "indices of tables that are gone were not swept",
            {{"reason", swept.error().message}});
}

}  // namespace

Result<bool> keep_tables(objectstore::Engine& engine, tables::Tables* copies, std::int64_t now_ms,
                         const os::Deadline& deadline) {
  bool busy = false;
  for (const s3::Bucket& bucket : engine.list_buckets()) {
    CAIRN_CHECK(deadline.check("keep tables"));
    const auto state = engine.bucket(bucket.name);
    if (!state.ok() || !(*state)->document(objectstore::document::journal_table)) continue;
    const auto done = keep_bucket(engine, copies, bucket.name, **state, now_ms, deadline);
    busy |= done.ok() && *done;
    if (done.ok() || is_gone(done.error())) continue;
    if (is_end_of_work(done.error())) return done.error();
    os::log(os::LogLevel::warn, "app", "the tables of a bucket are not up to date",
            {{"bucket", bucket.name}, {"reason", done.error().message}});
  }
  for (bool more = true; more;) {
    const auto swept = engine.sweep_tables(rows_of_a_step, deadline);
    if (!swept.ok()) {
      if (is_end_of_work(swept.error())) return swept.error();
      os::log(os::LogLevel::warn, "app", "tables that are gone were not swept",
              {{"reason", swept.error().message}});
    }
    more = swept.ok() && *swept;
  }
  if (copies != nullptr) sweep_copies(*copies, deadline);
  CAIRN_CHECK(deadline.check("keep tables"));
  return busy;
}

}  // namespace cairn::app
