// SPDX-License-Identifier: Apache-2.0
#include "objectstore/row_cache.h"

#include "base/hash.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint64_t row_overhead_bytes = 160;    // nodes, and what the allocator adds
constexpr std::uint64_t value_bytes_max = 16 << 10;  // larger ones are worth a search

std::uint64_t cost_of(std::string_view key, std::string_view value) {
  return row_overhead_bytes + key.size() + value.size();
}

}  // namespace

RowCache::RowCache(std::uint64_t bytes_max)
    : shard_bytes_max_(bytes_max / shard_count), shards_(std::make_unique<Shard[]>(shard_count)) {}
RowCache::~RowCache() = default;

RowCache::Name RowCache::name_of(unsigned table, std::string_view key) {
  return {.table = table, .key = key, .hash = fast_hash(key, table)};
}

bool RowCache::find(unsigned table, std::string_view key, std::string& value, Miss& miss) {
  const Name name = name_of(table, key);
  Shard& shard = shard_of(name.hash);
  const MutexLock lock(shard.mutex);
  const auto found = shard.places.find(name);
  if (found == shard.places.end()) {
    miss.changes = shard.groups[group_of(name.hash)].changes;
    return false;
  }
  shard.rows.splice(shard.rows.begin(), shard.rows, found->second);
  value = found->second->value;
  return true;
}

void RowCache::keep(unsigned table, std::string_view key, std::string_view value,
                    const Miss& miss) {
  const std::uint64_t cost = cost_of(key, value);
  if (value.size() > value_bytes_max || cost > shard_bytes_max_) return;
  Name name = name_of(table, key);
  Shard& shard = shard_of(name.hash);
  const MutexLock lock(shard.mutex);
  const Group& group = shard.groups[group_of(name.hash)];
  if (group.writing != 0 || group.changes != miss.changes) return;
  if (shard.places.contains(name)) return;
  while (shard.bytes + cost > shard_bytes_max_) shard.drop(std::prev(shard.rows.end()));
  shard.rows.push_front({.table = table, .key = std::string(key), .value = std::string(value)});
  name.key = shard.rows.front().key;
  shard.places.emplace(name, shard.rows.begin());
  shard.bytes += cost;
}

void RowCache::Shard::drop(std::list<Row>::iterator row) {
  bytes -= cost_of(row->key, row->value);
  places.erase(name_of(row->table, row->key));
  rows.erase(row);
}

void RowCache::Shard::clear() {
  places.clear();
  rows.clear();
  bytes = 0;
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
  const Name name = name_of(table, key);
  hashes_.push_back(name.hash);
  Shard& shard = cache_.shard_of(name.hash);
  const MutexLock lock(shard.mutex);
  Group& group = shard.groups[group_of(name.hash)];
  ++group.writing;
  ++group.changes;
  const auto found = shard.places.find(name);
  if (found != shard.places.end()) shard.drop(found->second);
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
