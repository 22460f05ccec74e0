// SPDX-License-Identifier: Apache-2.0
// Rows that were read lately: what is asked for often costs one look instead of a search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads.h"

namespace cairn::objectstore {

/// Puts rows out that were not used for long when `bytes_max` are reached. Never shows a row that a
/// write which has begun replaces or takes away. Safe from any thread; never blocks for long.
class RowCache {
 public:
  /// 0: keeps nothing.
  explicit RowCache(std::uint64_t bytes_max);
  ~RowCache();

  /// When a look was in vain; keep() wants it.
  struct Miss {
    std::uint64_t changes = 0;
  };
  /// True: `value` is the row. False: `miss` says when this look was.
  bool find(unsigned table, std::string_view key, std::string& value, Miss& miss);
  /// Keeps a row that was read from the table after `miss`, unless a write of it came in between.
  void keep(unsigned table, std::string_view key, std::string_view value, const Miss& miss);
  void clear();
  std::uint64_t bytes() const;

  /// Made before a write with all rows that it changes, and gone after it.
  class Write {
   public:
    explicit Write(RowCache& cache) : cache_(cache) {}
    ~Write();
    Write(const Write&) = delete;
    Write& operator=(const Write&) = delete;
    void changes(unsigned table, std::string_view key);

   private:
    RowCache& cache_;
    std::vector<std::uint64_t> hashes_;
  };

 private:
  struct Row;
  /// What happened to the rows of one group: a look is out of date once `changes` has moved on.
  struct Group {
    std::uint32_t writing = 0;
    std::uint64_t changes = 0;
  };
  static constexpr std::size_t group_count = 32;
  struct Shard {
    mutable Mutex mutex;
    /// Chains of rows, as many as a power of two.
    std::vector<Row*> chains CAIRN_GUARDED_BY(mutex);
    std::size_t rows CAIRN_GUARDED_BY(mutex) = 0;
    Row* hand CAIRN_GUARDED_BY(mutex) = nullptr;  // in the ring of all rows: the next to judge
    std::array<Group, group_count> groups CAIRN_GUARDED_BY(mutex);
    std::uint64_t bytes CAIRN_GUARDED_BY(mutex) = 0;

    Row* find(unsigned table, std::string_view key, std::uint64_t hash) const CAIRN_REQUIRES(mutex);
    void add(Row* row) CAIRN_REQUIRES(mutex);
    void drop(Row* row) CAIRN_REQUIRES(mutex);
    void drop_unused() CAIRN_REQUIRES(mutex);
    void grow() CAIRN_REQUIRES(mutex);
    void clear() CAIRN_REQUIRES(mutex);
  };
  static constexpr std::size_t shard_count = 32;

  static std::uint64_t hash_of(unsigned table, std::string_view key);
  static std::size_t group_of(std::uint64_t hash) { return hash >> 40 & (group_count - 1); }
  Shard& shard_of(std::uint64_t hash) const { return shards_[hash >> 56 & (shard_count - 1)]; }

  const std::uint64_t shard_bytes_max_;
  const std::unique_ptr<Shard[]> shards_;
};

}  // namespace cairn::objectstore
