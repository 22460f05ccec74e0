// SPDX-License-Identifier: Apache-2.0
#include "objectstore/core/inventory.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "objectstore/journal/table_key.h"
#include "os/steps.h"
#include "s3/errors.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint8_t state_version = 1;
constexpr std::size_t inventory_page_max = 10'000;
constexpr std::size_t rows_of_room = 1000;  // a page may be much smaller
constexpr std::size_t number_bytes = 8;  // in front of the kept row

Error broken_inventory() {
  return {.kind = ErrorKind::corrupt, .message = "a stored row of an inventory is broken"};
}

std::string inventory_row(std::uint64_t id, const s3::Object& object) {
  return inventory_prefix(id)
      .append(escaped_key(object.key))
      .append(escaped_key_end)
      .append(object.version_id);
}

}  // namespace

std::string encode(const InventoryState& state) {
  std::string out;
  put_u8(out, state_version);
  put_u8(out, static_cast<std::uint8_t>(state.phase));
  put_varint(out, state.applied);
  put_varint(out, state.listed);
  put_string(out, state.key_marker);
  put_string(out, state.version_marker);
  return out;
}

Result<InventoryState> decode_inventory_state(std::string_view bytes) {
  ByteReader in(bytes);
  const auto version = in.u8();
  const auto phase = in.u8();
  const auto applied = in.varint();
  const auto listed = in.varint();
  const auto key = in.string();
  const auto marker = in.string();
  if (!marker || !in.at_end() || *version != state_version ||
      *phase > static_cast<std::uint8_t>(InventoryPhase::active))
    return broken_inventory();
  return InventoryState{.phase = static_cast<InventoryPhase>(*phase),
                        .applied = *applied,
                        .listed = *listed,
                        .key_marker = std::string(*key),
                        .version_marker = std::string(*marker)};
}

Result<Inventory> Inventory::find(Engine& engine, std::string_view name) {
  Core& core = engine.core();
  CAIRN_TRY(BucketPointer bucket, user_bucket(core, name));
  DocumentPointer document = bucket->state()->document(document::inventory_table);
  if (!document)
    return Error{.kind = ErrorKind::not_found,
                 .message = "bucket [" + std::string(name) + "] has no inventory"};
  return Inventory(core, std::move(bucket), std::move(document));
}

Result<InventoryState> Inventory::state() const {
  std::string value;
  CAIRN_TRY(const bool found, core_.kv().get(Table::system, inventory_state_row(id()), value));
  if (!found) return InventoryState{};
  return decode_inventory_state(value);
}

// Rows of the journal from before the backfill are left out: whatever they tell of is there to be
// listed. That none of them is still on its way, the gate says.
Result<bool> Inventory::step(std::size_t most, const os::Deadline& deadline) {
  CAIRN_TRY(InventoryState now, state());
  if (now.phase == InventoryPhase::creating) {
    CAIRN_TRY(now.applied, core_.last_journal_number(*bucket_));
    now.phase = InventoryPhase::backfilling;
  }
  if (now.phase == InventoryPhase::backfilling) return backfill(std::move(now), most, deadline);
  return follow(std::move(now), most, deadline);
}

Status Inventory::put_row(std::uint64_t number, const s3::Object& object, KvBatch& batch) const {
  CAIRN_TRY(const std::string row,
            table_key(*document_)->seal(core_.options().key_ring,
                                        encode_change(ChangeKind::create, object, false, {})));
  std::string value;
  value.reserve(number_bytes + row.size());
  put_u64le(value, number);
  value += row;
  batch.put(Table::system, inventory_row(id(), object), std::move(value));
  return ok_status();
}

Status Inventory::save(const InventoryState& state, KvBatch& batch) {
  batch.put(Table::system, inventory_state_row(id()), encode(state));
  return core_.kv().write(batch);
}

// What changes while it is listed is told by the journal too, and so comes right afterwards.
Result<bool> Inventory::backfill(InventoryState state, std::size_t most,
                                 const os::Deadline& deadline) {
  CAIRN_TRY(const auto page, core_.list_versions(*bucket_,
                                                 {.key_marker = state.key_marker,
                                                  .version_id_marker = state.version_marker,
                                                  .limit = most},
                                                 deadline));
  KvBatch batch;
  for (const s3::Object& version : page.versions) CAIRN_CHECK(put_row(0, version, batch));
  state.listed += page.versions.size();
  if (page.truncated) {
    state.key_marker = page.next_key_marker;
    state.version_marker = page.next_version_id_marker;
  } else {
    state.phase = InventoryPhase::active;
    state.key_marker.clear();
    state.version_marker.clear();
  }
  CAIRN_CHECK(save(state, batch));
  return true;
}

Result<bool> Inventory::follow(InventoryState state, std::size_t most,
                               const os::Deadline& deadline) {
  CAIRN_TRY(const JournalPage page, core_.journal(*bucket_, state.applied, most, deadline));
  if (page.rows.empty()) return false;
  KvBatch batch;
  for (const JournalRow& row : page.rows) {
    if (row.record.gone)
      batch.remove(Table::system, inventory_row(id(), row.record.object));
    else
      CAIRN_CHECK(put_row(row.number, row.record.object, batch));
  }
  state.applied = page.rows.back().number;
  CAIRN_CHECK(save(state, batch));
  return page.more;
}

Result<InventoryPage> Inventory::read(std::string_view after, std::size_t limit,
                                      const os::Deadline& deadline) const {
  const auto key = table_key(*document_);
  const std::string prefix = inventory_prefix(id());
  limit = std::clamp<std::size_t>(limit, 1, inventory_page_max);
  CAIRN_TRY(const auto cursor, core_.kv().cursor(Table::system, store::after_prefix(prefix)));
  os::Steps steps(deadline, "read an inventory");
  InventoryPage page;
  page.rows.reserve(std::min(limit, rows_of_room));
  std::string last;
  for (cursor->seek(after.empty() ? prefix : prefix + std::string(after) + '\0'); cursor->valid();
       cursor->next()) {
    CAIRN_CHECK(steps.take(store::steps_of_a_row));
    if (page.rows.size() == limit) {
      page.next = last.substr(prefix.size());
      return page;
    }
    const std::string_view value = cursor->value();
    const auto number = ByteReader(value).u64le();
    if (!number) return broken_inventory();
    CAIRN_TRY(const std::string row,
              key->unseal(core_.options().key_ring, value.substr(number_bytes)));
    CAIRN_TRY(JournalRecord record, decode_change(row));
    page.rows.push_back({.number = *number, .record = std::move(record)});
    last = cursor->key();
  }
  CAIRN_CHECK(cursor->status());
  return page;
}

}  // namespace cairn::objectstore
