// SPDX-License-Identifier: Apache-2.0
// Ordered tables of bytes with atomic, durable batches: RocksDB, and nothing of it in this header.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objectstore/metadata/metadata_check.h"
#include "objectstore/metadata/row_numbers.h"
#include "os/files/files.h"

namespace cairn::objectstore {

enum class Table : std::uint8_t { system, objects, bodies, references, versions };
inline constexpr std::size_t table_count = 5;

/// Changes that happen all or not at all.
class KvBatch {
 public:
  void put(Table table, std::string key, std::string value) {
    steps_.push_back({table, true, std::move(key), std::move(value), {}, nullptr});
  }
  /// As put, without a copy: `value` must stay until the write has returned.
  void put_view(Table table, std::string key, std::string_view value) {
    steps_.push_back({table, true, std::move(key), {}, value, nullptr});
  }
  /// As put, under `prefix` and a number (big-endian) that is taken when the batch joins those that
  /// are written next. Nobody may have put or removed such a row: it is not looked for in the cache.
  void put_numbered(Table table, std::string prefix, RowNumbers& numbers, std::string value) {
    steps_.push_back({table, true, std::move(prefix), std::move(value), {}, &numbers});
  }
  void remove(Table table, std::string key) {
    steps_.push_back({table, false, std::move(key), {}, {}, nullptr});
  }
  bool empty() const { return steps_.empty(); }

 private:
  friend class RocksKv;
  struct Step {
    Table table;
    bool puts;
    std::string key;
    std::string owned;
    std::string_view view;
    RowNumbers* numbers;
  };
  std::vector<Step> steps_;
};

/// The files of the database as they were at one moment; they stay while this lives, or until
/// recover(). May outlive neither the database nor its files. For one thread.
class FrozenFiles {
 public:
  struct File {
    std::string name;
    std::uint64_t size_bytes = 0;  // what counts of it: a MANIFEST may grow beyond that
  };
  virtual ~FrozenFiles() = default;
  /// All that a copy needs to be opened, but for the state file beside it.
  virtual const std::vector<File>& files() const = 0;
  /// Of this database and no other: what was restored from a copy has another one.
  virtual const std::string& database_id() const = 0;
  /// How often the database had been started: a state file beside a copy has to say so too.
  virtual std::uint64_t starts() const = 0;
  /// `count` bytes of a file from `offset` on. Errors: unavailable, where the database was opened
  /// again since, so that its files may be gone; corrupt, where the file is shorter.
  virtual Result<std::string> read(const File& file, std::uint64_t offset, std::size_t count) = 0;
};

struct KvOptions {
  std::uint64_t block_cache_bytes = 32ull << 20;
  std::uint64_t row_cache_bytes = 64ull << 20;
  std::uint64_t write_buffer_bytes = 32ull << 20;
};

/// Walks one table in the order of bytes, in the state of the moment it was made. For one thread.
/// While it lives the database cannot recover: keep it for one page only.
class KvCursor {
 public:
  virtual ~KvCursor() = default;
  virtual void seek(std::string_view key) = 0;  // to the first key at or after
  virtual void next() = 0;
  virtual bool valid() const = 0;  // false at the end, and on an error
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual Status status() const = 0;
};

/// What a caller learns of how the database was opened.
struct KvOpening {
  bool is_new = false;
  bool was_clean = false;      // the run before was stopped in order
  bool was_cut_short = false;  // a log lost its end since the last orderly stop
};

/// Safe from any thread. After a failed write it refuses every further one with the first error's
/// kind until recover(), since RocksDB cannot know what the disk kept; reads go on.
class RocksKv {
 public:
  /// Creates what is missing in `path`, which exists. Before anything is opened or changed, the
  /// files are judged (check_metadata): damage is an error of kind corrupt; the end of a log that a
  /// crash cut is taken off. The state of the files lies beside `path` (metadata_state.h).
  static Result<std::unique_ptr<RocksKv>> open(os::Files& files, std::string path,
                                               const KvOptions& options);
  /// To look only: changes nothing, and judges nothing. Writes give errors.
  static Result<std::unique_ptr<RocksKv>> open_to_look(os::Files& files, std::string path,
                                                       const KvOptions& options);
  /// Puts what memory holds into tables and notes what the files are, so that the next start needs
  /// no log and knows of every byte.
  virtual ~RocksKv() = default;
  virtual KvOpening opening() const = 0;
  /// Reads all tables and tells of those whose blocks do not verify.
  virtual Status verify_tables(const std::function<void(const FileFault&)>& on_fault) = 0;
  /// Verifies a table in both folders of a mirror, and makes it whole in the one where it is not; a
  /// folder that does not take it is put aside. True where there was something to do. Errors:
  /// corrupt, where none has it whole, or there is only one.
  virtual Result<bool> mend_table(const std::string& name) = 0;
  /// The tables that there are now.
  virtual std::vector<std::string> tables() = 0;

  /// False where there is nothing. Fills `value`.
  virtual Result<bool> get(Table table, std::string_view key, std::string& value) = 0;
  /// Durable when it returns. After an error the batch happened or did not: the state after
  /// recover() or the next start tells.
  virtual Status write(const KvBatch& batch) = 0;
  /// Keys of `table` before `end` (empty: all).
  virtual Result<std::unique_ptr<KvCursor>> cursor(Table table, std::string end) = 0;
  /// How many rows cursors have gone to, for tests of what a page costs.
  virtual std::uint64_t cursor_steps() const = 0;
  /// Puts what memory holds into tables, calls `at_that_moment` while nobody writes, and keeps the
  /// files of that moment. Writes wait for it, for some milliseconds; reads do not. Errors: those of write; those of
  /// `at_that_moment`.
  virtual Result<std::unique_ptr<FrozenFiles>> freeze(
      const std::function<Status()>& at_that_moment) = 0;
  virtual bool healthy() const = 0;
  /// Closes and opens again, waiting for calls and cursors to end. Success makes it healthy.
  virtual Status recover() = 0;

 protected:
  static const auto& steps_of(const KvBatch& batch) { return batch.steps_; }
};

}  // namespace cairn::objectstore
