// SPDX-License-Identifier: Apache-2.0
#include "tables/table_index.h"

#include <algorithm>
#include <utility>

#include "objectstore/core/inventory.h"
#include "s3api/access/table_rights.h"
#include "s3api/tables/table_rows.h"
#include "tables/row_documents.h"

namespace cairn::tables {
namespace {

// Each step looks at all documents that are too old, so it takes many of them.
constexpr std::size_t expired_of_a_step = 20'000;
// A flush makes a segment: of few rows there would be many to merge, many take memory. One
// inventory at a time is copied.
constexpr std::size_t rows_of_a_flush = 20'000;
constexpr std::size_t copied_rows_of_a_flush = 100'000;

// There is an index for each table, and most are small: less of each than the platform's own have.
// All that they hold stands in the table too, so they need no log.
index::Options options_of_tables() {
  index::Options options;
  options.cache_bytes = 4u << 20;
  // Never reached: a step flushes before.
  options.builder_bytes = 256u << 20;
  options.flush_bytes = 256u << 20;
  options.logged = false;
  options.background = false;  // `app` has the threads
  return options;
}

Result<Progress> progress_of(const index::Index& index) {
  const std::string note = index.note();
  if (!note.empty()) return decode_progress(note);
  if (index.statistics().documents == 0) return Progress{};
  return Error{.kind = ErrorKind::corrupt,
               .message = "how far the index of a table is is not told"};
}

}  // namespace

std::string TableName::index() const {
  return s3api::index_of_table(kind == TableKind::journal ? "journal" : "inventory", bucket);
}

TableIndex::TableIndex(const Ground& ground, TableName name,
                       std::unique_ptr<index::Indices> indices, std::shared_ptr<index::Index> index,
                       Progress progress)
    : ground_(ground),
      name_(std::move(name)),
      indices_(std::move(indices)),
      index_(std::move(index)),
      documents_(name_.bucket, index_->mapping()),
      progress_(std::move(progress)),
      // None is in an index that is new: none is looked for, which would count as a search.
      expired_below_(progress_.applied == 0 ? 1 : 0),
      filled_(name_.kind == TableKind::journal || progress_.filled) {}

Result<std::unique_ptr<TableIndex>> TableIndex::open(const Ground& ground, store::Store& store,
                                                     TableName name, const os::Deadline& deadline) {
  CAIRN_TRY(auto indices, index::Indices::open(store, ground.cpu, ground.clock, ground.random,
                                               options_of_tables(), deadline));
  auto index = indices->find(name.index());
  if (!index.ok() && index.error().kind == ErrorKind::not_found)
    index = indices->create(name.index(), mapping_of(name.kind), settings_of_tables(), deadline);
  if (!index.ok()) return index.error();
  CAIRN_TRY(Progress progress, progress_of(**index));
  return std::unique_ptr<TableIndex>(new TableIndex(ground, std::move(name), std::move(indices),
                                                    std::move(*index), std::move(progress)));
}

Result<bool> TableIndex::step(std::size_t most, const os::Deadline& deadline) {
  const Result<bool> more = step_kind(most, deadline);
  // There are many tables, and most are at rest.
  if (!more.ok() || !*more) std::vector<index::ParsedOperation>().swap(operations_);
  return more;
}

Result<bool> TableIndex::step_kind(std::size_t most, const os::Deadline& deadline) {
  if (name_.kind == TableKind::inventory) return step_inventory(most, deadline);
  CAIRN_TRY(const bool more, step_journal(most, deadline));
  if (more) return true;
  return remove_expired(expired_of_a_step, deadline);
}

Status TableIndex::end(const os::Deadline& deadline) {
  return indices_->remove(index_->name(), deadline);
}

std::uint64_t TableIndex::needs_behind() const {
  const auto kept = decode_progress(index_->kept_note());
  if (!kept.ok()) return name_.kind == TableKind::journal ? 0 : UINT64_MAX;
  return kept->applied;
}

Status TableIndex::take(Progress next, std::size_t rows_of_a_flush,
                        const os::Deadline& deadline) {
  rows_unkept_ += operations_.size();
  CAIRN_CHECK(index_->follow(operations_, encode(next), deadline));
  progress_ = std::move(next);
  if (rows_unkept_ < rows_of_a_flush) return ok_status();
  CAIRN_CHECK(flush(deadline));
  rows_unkept_ = 0;
  return ok_status();
}

Result<bool> TableIndex::step_journal(std::size_t most, const os::Deadline& deadline) {
  CAIRN_TRY(const auto page,
            ground_.engine.journal(name_.bucket, progress_.applied, most, deadline));
  if (page.rows.empty()) return false;
  // Nor below the first that comes.
  if (progress_.applied == 0) expired_below_ = page.rows.front().number;
  operations_.resize(page.rows.size());
  for (std::size_t i = 0; i < page.rows.size(); ++i) {
    CAIRN_CHECK(documents_.of_journal(page.rows[i], operations_[i]));
    operations_[i].is_new = true;
  }
  Progress next = progress_;
  next.applied = page.rows.back().number;
  CAIRN_CHECK(take(std::move(next), rows_of_a_flush, deadline));
  CAIRN_CHECK(index_->refresh_for_searches(deadline));
  return page.more;
}

// The journal loses its oldest rows first, so its first one says which are gone. It had all that
// the index has: rows come here from there alone.
Result<bool> TableIndex::remove_expired(std::size_t most, const os::Deadline& deadline) {
  // Not from the beginning, where the marks of what was removed lie.
  const std::uint64_t after = std::max<std::uint64_t>(expired_below_, 1) - 1;
  CAIRN_TRY(const auto first, ground_.engine.journal(name_.bucket, after, 1, deadline));
  const std::uint64_t below =
      first.rows.empty() ? progress_.applied + 1 : first.rows.front().number;
  if (below <= expired_below_) return false;
  index::RangeQuery older{.field = "sequence_number"};
  older.lt = Json(s3api::sequence_text(below));
  CAIRN_CHECK(index_->refresh(deadline));
  const auto view = index_->view();
  index::SearchParams params;
  params.size = most;
  params.sort = {{.by = index::SortKey::By::doc}};
  params.track_total_hits = 0;
  CAIRN_TRY(const auto found, view->search({.node = std::move(older)}, params, deadline));
  operations_.clear();
  operations_.reserve(found.hits.size());
  for (const index::Hit& hit : found.hits) {
    index::ParsedOperation gone{.kind = index::WriteOperation::Kind::remove};
    CAIRN_TRY(gone.document.id, view->id(hit.doc, deadline));
    operations_.push_back(std::move(gone));
  }
  const std::size_t count = operations_.size();
  if (count > 0) {
    CAIRN_CHECK(take(progress_, rows_of_a_flush, deadline));
    CAIRN_CHECK(index_->refresh(deadline));
  }
  if (count == most) return true;
  expired_below_ = below;
  return false;
}

Result<bool> TableIndex::step_inventory(std::size_t most, const os::Deadline& deadline) {
  filled_ = progress_.filled;  // also where the step before kept what it did, and failed then
  if (filled_) return follow_inventory(most, deadline);
  if (!progress_.began) {
    CAIRN_TRY(const auto inventory, objectstore::Inventory::find(ground_.engine, name_.bucket));
    CAIRN_TRY(const auto state, inventory.state());
    if (state.phase != objectstore::InventoryPhase::active) return false;
    // Kept before the first row: whatever is copied, the journal from here on tells what became of
    // it.
    operations_.clear();
    CAIRN_CHECK(take({.began = true, .applied = state.applied}, 0, deadline));
  }
  return copy_inventory(most, deadline);
}

// Each row says what it is now, or a little later than `applied`; the journal's rows from there on
// bring all of them to one moment.
Result<bool> TableIndex::copy_inventory(std::size_t most, const os::Deadline& deadline) {
  CAIRN_TRY(const auto inventory, objectstore::Inventory::find(ground_.engine, name_.bucket));
  CAIRN_TRY(const auto page, inventory.read(progress_.after, most, deadline));
  operations_.resize(page.rows.size());
  for (std::size_t i = 0; i < page.rows.size(); ++i) {
    const auto& row = page.rows[i];
    CAIRN_CHECK(documents_.of_inventory(row.number, row.record, operations_[i]));
    operations_[i].is_new = true;
  }
  Progress next = progress_;
  next.after = page.next;
  next.filled = page.next.empty();
  const std::size_t rows = next.filled ? 0 : copied_rows_of_a_flush;
  CAIRN_CHECK(take(std::move(next), rows, deadline));
  filled_ = progress_.filled;
  return true;
}

Result<bool> TableIndex::follow_inventory(std::size_t most, const os::Deadline& deadline) {
  CAIRN_TRY(const auto page,
            ground_.engine.journal(name_.bucket, progress_.applied, most, deadline));
  if (page.rows.empty()) return false;
  operations_.resize(page.rows.size());
  for (std::size_t i = 0; i < page.rows.size(); ++i)
    CAIRN_CHECK(documents_.change_of_inventory(page.rows[i], operations_[i]));
  Progress next = progress_;
  next.applied = page.rows.back().number;
  CAIRN_CHECK(take(std::move(next), rows_of_a_flush, deadline));
  CAIRN_CHECK(index_->refresh_for_searches(deadline));
  return page.more;
}

}  // namespace cairn::tables
