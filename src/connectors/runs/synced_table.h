// SPDX-License-Identifier: Apache-2.0
// What runs left in an index, in little memory: 56 bytes an item, however long its path is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::connectors {

/// 64 bits of the SHA-256 of a version or of a content hash; 0 for an empty one.
std::uint64_t fingerprint(std::string_view text);

/// What is known of an item besides its path.
struct SyncedItem {
  std::uint64_t version = 0;  // fingerprints
  std::uint64_t content = 0;
  std::uint32_t documents = 0;  // that it has in the index; 0: the item is gone
  bool indexed = false;         // written in this run, not merely found unchanged
  std::uint64_t bytes = 0;      // of text, where indexed
};

/// Fill it with add(), then settle() once, then find(). One thread.
class SyncedTable {
 public:
  void add(std::string_view path, const SyncedItem& item);
  /// Of several entries of one path the last counts; entries of items that are gone are dropped.
  void settle();
  /// Null where there is none.
  const SyncedItem* find(std::string_view path) const;
  /// Marks an item; false where it was marked, or is not there.
  bool mark(std::string_view path);
  bool is_marked(std::string_view path) const;
  std::size_t unmarked() const { return rows_.size() - marked_; }
  std::size_t size() const { return rows_.size(); }

  /// Calls `each` for every item.
  template <class Each>
  void for_each(Each each) const {
    for (const Row& row : rows_) each(row.item);
  }

 private:
  using Key = std::array<std::uint64_t, 2>;  // of the SHA-256 of the path
  struct Row {
    Key key;
    SyncedItem item;
    bool marked = false;
  };
  static Key key_of(std::string_view path);
  const Row* row_of(std::string_view path) const;

  std::vector<Row> rows_;  // ascending by key once settled
  std::size_t marked_ = 0;
};

}  // namespace cairn::connectors
