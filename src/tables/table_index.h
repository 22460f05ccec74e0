// SPDX-License-Identifier: Apache-2.0
// The searchable copy of one table of a bucket: an index in a catalogue of its own, and how it
// follows the table.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
#include "objectstore/engine.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/threads/pool.h"
#include "store/store.h"
#include "tables/progress.h"
#include "tables/row_documents.h"
#include "tables/table_fields.h"

namespace cairn::tables {

/// What indices of tables are built on. All of it outlives them.
struct Ground {
  objectstore::Engine& engine;
  os::Pool& cpu;
  const os::Clock& clock;
  os::Random& random;
};

struct TableName {
  TableKind kind = TableKind::journal;
  std::string bucket = {};
  /// ".objects-journal-books"
  std::string index() const;
};

/// step() is for one thread at a time; the rest is safe from any.
class TableIndex {
 public:
  /// Opens what `store` has of the index, or makes it there. `store` is for this table alone, and
  /// outlives the searches that began while this object was there.
  /// Errors: those of the store; corrupt, where what is there cannot be read: it can be made anew
  /// from the table in an empty store.
  static Result<std::unique_ptr<TableIndex>> open(const Ground& ground, store::Store& store,
                                                  TableName name, const os::Deadline& deadline);

  const TableName& name() const { return name_; }
  const index::Index& index() const { return *index_; }
  /// True once the index has had all that the table held.
  bool is_filled() const { return filled_; }

  /// Takes up to `most` rows and makes what they say searchable. What of it no flush has kept is
  /// lost with the process, and taken again from the table. True where there is more to do by now.
  /// Blocks. Errors: those of the table, of the store and of the index.
  Result<bool> step(std::size_t most, const os::Deadline& deadline);
  /// Keeps all that was taken, so that the next start begins from there. Blocks.
  Status flush(const os::Deadline& deadline) { return index_->flush(deadline); }
  /// Number of the journal's row up to which none is needed any more, whatever happens.
  std::uint64_t needs_behind() const;
  /// Flushes and merges where that is due. Blocks.
  Status maintain(const os::Deadline& deadline) { return index_->maintain(deadline); }
  /// Ends the index: whoever still has it finds it gone. What it keeps is the caller's to delete.
  Status end(const os::Deadline& deadline);

 private:
  TableIndex(const Ground& ground, TableName name, std::unique_ptr<index::Indices> indices,
             std::shared_ptr<index::Index> index, Progress progress);
  Result<bool> step_kind(std::size_t most, const os::Deadline& deadline);
  Result<bool> step_journal(std::size_t most, const os::Deadline& deadline);
  Result<bool> remove_expired(std::size_t most, const os::Deadline& deadline);
  Result<bool> step_inventory(std::size_t most, const os::Deadline& deadline);
  Result<bool> copy_inventory(std::size_t most, const os::Deadline& deadline);
  Result<bool> follow_inventory(std::size_t most, const os::Deadline& deadline);
  /// All of operations_ and how far that is, or an error.
  Status take(Progress next, std::size_t rows_of_a_flush, const os::Deadline& deadline);

  const Ground ground_;
  const TableName name_;
  std::unique_ptr<index::Indices> indices_;
  std::shared_ptr<index::Index> index_;
  RowDocuments documents_;
  std::vector<index::ParsedOperation> operations_;  // of the step; their memory serves the next one
  Progress progress_;
  std::size_t rows_unkept_ = 0;      // since the last flush of a step
  std::uint64_t expired_below_;  // rows with smaller numbers are not in the index any more
  std::atomic<bool> filled_{false};
};

}  // namespace cairn::tables
