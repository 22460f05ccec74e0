// SPDX-License-Identifier: Apache-2.0
#include "connectors/runs/synced_table.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace cairn::connectors {

std::uint64_t fingerprint(std::string_view text) {
  if (text.empty()) return 0;
  std::uint64_t out = 0;
  std::memcpy(&out, sha256(text).data(), sizeof out);
  return out == 0 ? 1 : out;
}

SyncedTable::Key SyncedTable::key_of(std::string_view path) {
  Key key{};
  std::memcpy(key.data(), sha256(path).data(), sizeof key);
  return key;
}

void SyncedTable::add(std::string_view path, const SyncedItem& item) {
  rows_.push_back({.key = key_of(path), .item = item});
}

void SyncedTable::settle() {
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return a.key < b.key; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const bool is_last = i + 1 == rows_.size() || rows_[i + 1].key != rows_[i].key;
    if (is_last && rows_[i].item.documents > 0) rows_[kept++] = rows_[i];
  }
  rows_.resize(kept);
  rows_.shrink_to_fit();
}

const SyncedTable::Row* SyncedTable::row_of(std::string_view path) const {
  const Key key = key_of(path);
  const auto at = std::lower_bound(rows_.begin(), rows_.end(), key,
                                   [](const Row& row, const Key& k) { return row.key < k; });
  return at != rows_.end() && at->key == key ? &*at : nullptr;
}

const SyncedItem* SyncedTable::find(std::string_view path) const {
  const Row* row = row_of(path);
  return row == nullptr ? nullptr : &row->item;
}

bool SyncedTable::mark(std::string_view path) {
  Row* row = const_cast<Row*>(row_of(path));
  if (row == nullptr || row->marked) return false;
  row->marked = true;
  ++marked_;
  return true;
}

bool SyncedTable::is_marked(std::string_view path) const {
  const Row* row = row_of(path);
  return row != nullptr && row->marked;
}

}  // namespace cairn::connectors
