// SPDX-License-Identifier: Apache-2.0
// Rows that were read lately: what is asked for often costs one look instead of a search.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/threads.h"

namespace cairn::objectstore {

/// Keeps the least recently used rows out when `bytes_max` are reached. Never shows a row that a
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
  struct Row {
    unsigned table;
    std::string key;
    std::string value;
  };
  struct Name {
    unsigned table;
    std::string_view key;  // of the row itself
    std::uint64_t hash;
    bool operator==(const Name& other) const { return table == other.table && key == other.key; }
  };
  struct HashOfName {
    std::size_t operator()(const Name& name) const { return name.hash; }
  };
  /// What happened to the rows of one group: a look is out of date once `changes` has moved on.
  struct Group {
    std::uint32_t writing = 0;
    std::uint64_t changes = 0;
  };
  static constexpr std::size_t group_count = 32;
  struct Shard {
    mutable Mutex mutex;
    std::list<Row> rows CAIRN_GUARDED_BY(mutex);  // the last used first
    std::unordered_map<Name, std::list<Row>::iterator, HashOfName> places CAIRN_GUARDED_BY(mutex);
    std::array<Group, group_count> groups CAIRN_GUARDED_BY(mutex);
    std::uint64_t bytes CAIRN_GUARDED_BY(mutex) = 0;

    void drop(std::list<Row>::iterator row) CAIRN_REQUIRES(mutex);
    void clear() CAIRN_REQUIRES(mutex);
  };
  static constexpr std::size_t shard_count = 32;

  static Name name_of(unsigned table, std::string_view key);
  static std::size_t group_of(std::uint64_t hash) { return hash >> 40 & (group_count - 1); }
  Shard& shard_of(std::uint64_t hash) const { return shards_[hash >> 56 & (shard_count - 1)]; }

  const std::uint64_t shard_bytes_max_;
  const std::unique_ptr<Shard[]> shards_;
};

}  // namespace cairn::objectstore
