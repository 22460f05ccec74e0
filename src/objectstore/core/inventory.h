// SPDX-License-Identifier: Apache-2.0
// The inventory of a bucket: a row for each version and delete marker that is there. It is filled from
// what the bucket holds, and then kept up to date from the bucket's journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "objectstore/core/core.h"
#include "objectstore/journal/journal_record.h"
#include "os/deadline.h"

namespace cairn::objectstore {

enum class InventoryPhase : std::uint8_t { creating, backfilling, active };

/// How far an inventory is: kept with its rows, in the same batches, so that a step that a crash
/// cuts is done again from where the last one ended.
struct InventoryState {
  InventoryPhase phase = InventoryPhase::creating;
  std::uint64_t applied = 0;  // number of the last row of the journal that it heeds
  std::uint64_t listed = 0;   // versions that the backfill came by
  std::string key_marker = {};
  std::string version_marker = {};
};

std::string encode(const InventoryState& state);
/// Errors: corrupt.
Result<InventoryState> decode_inventory_state(std::string_view bytes);

struct InventoryRow {
  std::uint64_t number = 0;  // of the journal's row that it comes from; 0: from the backfill
  JournalRecord record;
};

struct InventoryPage {
  std::vector<InventoryRow> rows;  // by key, then by version id
  std::string next = {};           // where to go on; empty at the end
};

/// The inventory of one bucket. Its steps are for one thread at a time; reading is safe from any.
class Inventory {
 public:
  /// Errors: NoSuchBucket; not_found (without a code), where the bucket has no inventory.
  static Result<Inventory> find(Engine& engine, std::string_view bucket);

  /// Errors: corrupt.
  Result<InventoryState> state() const;
  /// Takes up to `most` versions, or rows of the journal, and makes what they say durable with how
  /// far that was. True where there is more to do by now.
  /// Errors: those of the journal and of TableKey.
  Result<bool> step(std::size_t most, const os::Deadline& deadline);
  /// Rows behind `after`, a page's `next`, at most 10,000.
  /// Errors: those of TableKey.
  Result<InventoryPage> read(std::string_view after, std::size_t limit,
                             const os::Deadline& deadline) const;

 private:
  Inventory(Core& core, BucketPointer bucket, DocumentPointer document)
      : core_(core), bucket_(std::move(bucket)), document_(std::move(document)) {}
  std::uint64_t id() const { return document_->generation(); }
  Result<bool> backfill(InventoryState state, std::size_t most, const os::Deadline& deadline);
  Result<bool> follow(InventoryState state, std::size_t most, const os::Deadline& deadline);
  Status put_row(std::uint64_t number, const s3::Object& object, KvBatch& batch) const;
  Status save(const InventoryState& state, KvBatch& batch);

  Core& core_;
  BucketPointer bucket_;
  DocumentPointer document_;
};

}  // namespace cairn::objectstore
