// SPDX-License-Identifier: Apache-2.0
// The searchable copies of the tables of all buckets, shown by the platform's catalogue.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "index/indices.h"
#include "objectstore/bucket_state.h"
#include "os/deadline.h"
#include "store/store.h"
#include "tables/table_index.h"

namespace cairn::tables {

/// How the copy of a table stands.
struct CopyState {
  bool filled = false;     // it has had all that the table held
  std::string fault = {};  // why it does not follow; empty: it does
};

enum class Followed : std::uint8_t {
  all,      // the copies have every row that the tables had
  more,     // there are rows left; ask again at once
  not_all,  // a copy does not follow by now: state() says why
};

/// follow() and sweep() are for one thread at a time; the rest is safe from any.
class Tables {
 public:
  /// `shown`: where the indices appear. It outlives this object, as does what `ground` names.
  Tables(const Ground& ground, index::Indices& shown) : ground_(ground), shown_(shown) {}
  ~Tables();
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  /// Opens the copies of all tables that there are, so that searches find them from the start. One
  /// that fails is told in the log and tried again by follow(). Blocks.
  /// Errors: cancelled and timeout.
  Status open_all(const os::Deadline& deadline);
  /// Takes a step with each table of the bucket. Blocks.
  /// Errors: cancelled and timeout.
  Result<Followed> follow(const std::string& bucket, const os::Deadline& deadline);
  /// Takes away the copies of tables that no bucket has any more. Blocks.
  /// Errors: those of the store.
  Status sweep(const os::Deadline& deadline);
  /// Flushes and merges what is due. Blocks, for as long as a merge takes. Errors: cancelled and
  /// timeout; what else fails is told in the log.
  Status maintain(const os::Deadline& deadline);

  /// Keeps what the copies have taken, so that the next start does not take it again from the
  /// tables. Blocks. What fails is told in the log.
  void flush(const os::Deadline& deadline);
  /// Number of the journal's row up to which no copy of the bucket's tables needs any.
  std::uint64_t needs_behind(const std::string& bucket) const;

  /// Nothing, where the table is not known here yet. Never blocks for long.
  std::optional<CopyState> state(std::string_view bucket, std::string_view table) const;

 private:
  struct Copy {
    std::uint64_t id = 0;  // of the table
    std::unique_ptr<store::Store> store = {};
    std::shared_ptr<TableIndex> open = {};  // null: it could not be opened
    std::string fault = {};
  };

  Result<Followed> follow_table(const TableName& name, const objectstore::BucketDocument& document,
                                const os::Deadline& deadline);
  Result<std::shared_ptr<TableIndex>> open_copy(const TableName& name,
                                                const objectstore::BucketDocument& document,
                                                const os::Deadline& deadline);
  Result<std::shared_ptr<TableIndex>> open_in(store::Store& store, const TableName& name,
                                              const os::Deadline& deadline);
  void tell(const TableName& name, const std::string& fault);
  void drop(const std::string& index_name);
  std::set<std::uint64_t> standing_tables() const;
  std::vector<std::shared_ptr<TableIndex>> open_copies() const;

  const Ground ground_;
  index::Indices& shown_;
  mutable Mutex mutex_;
  std::map<std::string, Copy, std::less<>> copies_ CAIRN_GUARDED_BY(mutex_);  // by index name
  // Of copies that are gone: searches may still read there. A store is a name and a prefix.
  std::vector<std::unique_ptr<store::Store>> old_stores_;
  std::vector<std::weak_ptr<TableIndex>> ending_;  // gone, and still being merged
  bool unswept_ = true;
};

}  // namespace cairn::tables
