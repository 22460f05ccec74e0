// SPDX-License-Identifier: Apache-2.0
#include "index/query/filter_cache.h"

#include <unordered_set>

#include "base/hash.h"
#include "index/segment/cache_counts.h"

namespace cairn::index {
namespace {

constexpr std::size_t entry_overhead = 256;

std::string name_of_filter(const Segment* segment, std::string_view key) {
  std::string out(reinterpret_cast<const char*>(&segment), sizeof segment);
  return out += key;
}

}  // namespace

std::shared_ptr<const BitSet> FilterCache::find(const std::shared_ptr<const Segment>& segment,
                                                std::string_view key) {
  const std::string name = name_of_filter(segment.get(), key);
  const MutexLock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    filter_cache_counts().misses.add();
    return nullptr;
  }
  // Another segment may stand where one was that is gone.
  if (found->second->segment.lock() != segment) {
    remove(found->second);
    filter_cache_counts().misses.add();
    return nullptr;
  }
  filter_cache_counts().hits.add();
  order_.splice(order_.begin(), order_, found->second);
  return found->second->bits;
}

void FilterCache::offer(const std::shared_ptr<const Segment>& segment, std::string_view key,
                        std::shared_ptr<const BitSet> bits) {
  std::string name = name_of_filter(segment.get(), key);
  const std::uint64_t hash = fast_hash(name) | 1;
  const std::size_t bytes = bits->memory_bytes() + name.size() + entry_overhead;
  const MutexLock lock(mutex_);
  std::uint64_t& seen = offered_[hash / 2 % offered_.size()];
  if (seen != hash) {
    seen = hash;
    return;
  }
  if (bytes > bytes_max_ / 4 || entries_.contains(name)) return;
  if (bytes_ + bytes > bytes_max_) remove_ended();
  while (bytes_ + bytes > bytes_max_) remove(std::prev(order_.end()));
  order_.push_front(
      {.name = std::move(name), .segment = segment, .bits = std::move(bits), .bytes = bytes});
  entries_.emplace(order_.front().name, order_.begin());
  bytes_ += bytes;
}

void FilterCache::forget(const std::vector<std::shared_ptr<const Segment>>& segments) {
  std::unordered_set<const Segment*> gone;
  for (const auto& segment : segments) gone.insert(segment.get());
  const MutexLock lock(mutex_);
  for (auto at = order_.begin(); at != order_.end();) {
    const auto next = std::next(at);
    if (gone.contains(at->segment.lock().get())) remove(at);
    at = next;
  }
}

std::size_t FilterCache::bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

void FilterCache::remove(Order::iterator at) {
  bytes_ -= at->bytes;
  entries_.erase(at->name);
  order_.erase(at);
}

void FilterCache::remove_ended() {
  for (auto at = order_.begin(); at != order_.end();) {
    const auto next = std::next(at);
    if (at->segment.expired()) remove(at);
    at = next;
  }
}

}  // namespace cairn::index
