// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/row_cache.h"

#include <cstring>
#include <new>
#include <utility>

#include "base/hash.h"
#include "os/metrics.h"
#include "os/striped_counter.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint64_t value_bytes_max = 16 << 10;  // larger ones are worth a search
constexpr std::size_t chains_min = 64;

os::StripedCounter hits, misses;  // of all caches of the process

void show_looks() {
  os::metrics().counters_from("cairn_objectstore_cache_requests_total",
                              "Looks at the cache of metadata, by whether the row was there", [] {
                                return std::vector<os::Metrics::Sample>{
                                    {{{"result", "hit"}}, static_cast<double>(hits.value())},
                                    {{{"result", "miss"}}, static_cast<double>(misses.value())}};
                              });
}

}  // namespace

/// One piece of memory with key and value behind it, so that a look touches little.
struct RowCache::Row {
  Row* next_in_chain;
  Row* before;  // in the ring
  Row* after;
  std::uint64_t hash;
  std::uint32_t key_size;
  std::uint32_t value_size;
  std::uint32_t table;
  bool used;  // since the hand came by

  static std::size_t size_of(std::string_view key, std::string_view value) {
    return sizeof(Row) + key.size() + value.size();
  }
  static Row* make(unsigned table, std::string_view key, std::string_view value,
                   std::uint64_t hash) {
    auto* row = new (::operator new(size_of(key, value))) Row{};
    row->hash = hash;
    row->key_size = static_cast<std::uint32_t>(key.size());
    row->value_size = static_cast<std::uint32_t>(value.size());
    row->table = table;
    char* text = reinterpret_cast<char*>(row + 1);
    if (!key.empty()) std::memcpy(text, key.data(), key.size());
    if (!value.empty()) std::memcpy(text + key.size(), value.data(), value.size());
    return row;
  }
  static void free(Row* row) { ::operator delete(row); }

  std::string_view key() const { return {reinterpret_cast<const char*>(this + 1), key_size}; }
  std::string_view value() const {
    return {reinterpret_cast<const char*>(this + 1) + key_size, value_size};
  }
  /// With what the allocator and the chains add.
  std::uint64_t cost() const { return size_of(key(), value()) + 24; }
};

RowCache::RowCache(std::uint64_t bytes_max)
    : shard_bytes_max_(bytes_max / shard_count), shards_(std::make_unique<Shard[]>(shard_count)) {
  show_looks();
}
RowCache::~RowCache() { clear(); }

std::uint64_t RowCache::hash_of(unsigned table, std::string_view key) {
  return fast_hash(key, table);
}

bool RowCache::find(unsigned table, std::string_view key, std::string& value, Miss& miss) {
  const std::uint64_t hash = hash_of(table, key);
  Shard& shard = shard_of(hash);
  const MutexLock lock(shard.mutex);
  Row* const row = shard.find(table, key, hash);
  if (row == nullptr) {
    miss.changes = shard.groups[group_of(hash)].changes;
    misses.add();
    return false;
  }
  hits.add();
  row->used = true;
  value = row->value();
  return true;
}

void RowCache::keep(unsigned table, std::string_view key, std::string_view value,
                    const Miss& miss) {
  if (value.size() > value_bytes_max || Row::size_of(key, value) > shard_bytes_max_ / 4) return;
  const std::uint64_t hash = hash_of(table, key);
  Shard& shard = shard_of(hash);
  const MutexLock lock(shard.mutex);
  const Group& group = shard.groups[group_of(hash)];
  if (group.writing != 0 || group.changes != miss.changes) return;
  if (shard.find(table, key, hash) != nullptr) return;
  Row* const row = Row::make(table, key, value, hash);
  while (shard.bytes + row->cost() > shard_bytes_max_) shard.drop_unused();
  shard.add(row);
}

RowCache::Row* RowCache::Shard::find(unsigned table, std::string_view key,
                                     std::uint64_t hash) const {
  if (chains.empty()) return nullptr;
  Row* row = chains[hash & (chains.size() - 1)];
  while (row != nullptr && (row->hash != hash || row->table != table || row->key() != key))
    row = row->next_in_chain;
  return row;
}

/// Before the hand: the last to be judged.
void RowCache::Shard::add(Row* row) {
  if (rows >= chains.size()) grow();
  Row*& chain = chains[row->hash & (chains.size() - 1)];
  row->next_in_chain = std::exchange(chain, row);
  if (hand == nullptr) {
    hand = row->before = row->after = row;
  } else {
    row->before = hand->before;
    row->after = hand;
    row->before->after = row->after->before = row;
  }
  ++rows;
  bytes += row->cost();
}

void RowCache::Shard::drop(Row* row) {
  Row** place = &chains[row->hash & (chains.size() - 1)];
  while (*place != row) place = &(*place)->next_in_chain;
  *place = row->next_in_chain;
  if (hand == row) hand = row->after == row ? nullptr : row->after;
  row->before->after = row->after;
  row->after->before = row->before;
  --rows;
  bytes -= row->cost();
  Row::free(row);
}

/// Rows that were used since the last time get another round.
void RowCache::Shard::drop_unused() {
  while (std::exchange(hand->used, false)) hand = hand->after;
  drop(hand);
}

void RowCache::Shard::grow() {
  std::vector<Row*> wider(chains.empty() ? chains_min : chains.size() * 2);
  for (Row* row : chains) {
    while (row != nullptr) {
      Row*& chain = wider[row->hash & (wider.size() - 1)];
      Row* const next = row->next_in_chain;
      row->next_in_chain = std::exchange(chain, row);
      row = next;
    }
  }
  chains.swap(wider);
}

void RowCache::Shard::clear() {
  while (hand != nullptr) drop(hand);
  for (Group& group : groups) ++group.changes;
}

void RowCache::clear() {
  for (std::size_t i = 0; i < shard_count; ++i) {
    const MutexLock lock(shards_[i].mutex);
    shards_[i].clear();
  }
}

std::uint64_t RowCache::bytes() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < shard_count; ++i) {
    const MutexLock lock(shards_[i].mutex);
    sum += shards_[i].bytes;
  }
  return sum;
}

void RowCache::Write::changes(unsigned table, std::string_view key) {
  const std::uint64_t hash = hash_of(table, key);
  hashes_.push_back(hash);
  Shard& shard = cache_.shard_of(hash);
  const MutexLock lock(shard.mutex);
  Group& group = shard.groups[group_of(hash)];
  ++group.writing;
  ++group.changes;
  if (Row* const row = shard.find(table, key, hash)) shard.drop(row);
}

RowCache::Write::~Write() {
  for (const std::uint64_t hash : hashes_) {
    Shard& shard = cache_.shard_of(hash);
    const MutexLock lock(shard.mutex);
    Group& group = shard.groups[group_of(hash)];
    --group.writing;
    ++group.changes;
  }
}

}  // namespace cairn::objectstore
