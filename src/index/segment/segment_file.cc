// SPDX-License-Identifier: Apache-2.0
#include "index/segment/segment_file.h"

#include <algorithm>
#include <atomic>
#include <list>
#include <unordered_map>

#include "base/checksum.h"
#include "base/threads.h"
#include "index/errors.h"
#include "index/segment/segment_format.h"

namespace cairn::index {

struct PageCache::Shard {
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.file * 0x9E3779B97F4A7C15ull ^ key.offset) * 0xD1B54A32D192ED03ull ^ key.length;
    }
  };
  struct Entry {
    Key key;
    std::shared_ptr<const std::string> bytes;
  };
  using Order = std::list<Entry>;  // most recently used first

  mutable Mutex mutex;
  Order order CAIRN_GUARDED_BY(mutex);
  std::unordered_map<Key, Order::iterator, Hash> entries CAIRN_GUARDED_BY(mutex);
  std::size_t bytes CAIRN_GUARDED_BY(mutex) = 0;
  std::size_t bytes_max = 0;
};

namespace {

constexpr std::size_t shard_count = 2;
constexpr std::size_t entry_overhead = 160;

std::atomic<std::uint64_t>& file_numbers() {
  static std::atomic<std::uint64_t> next{1};
  return next;
}

Error outside(const std::string& name) { return corrupt_object(name, "a range lies outside"); }

class MemoryFile final : public SegmentFile {
 public:
  MemoryFile(std::string name, std::string bytes)
      : name_(std::move(name)), bytes_(std::make_shared<const std::string>(std::move(bytes))) {}
  Result<Bytes> read(std::uint64_t offset, std::uint64_t length,
                     const os::Deadline&) const override {
    if (offset > bytes_->size() || length > bytes_->size() - offset) return outside(name_);
    return Bytes{bytes_, std::string_view(*bytes_).substr(offset, length)};
  }
  Result<Bytes> read_once(std::uint64_t offset, std::uint64_t length,
                          const os::Deadline& deadline) const override {
    return read(offset, length, deadline);
  }
  std::uint64_t size() const override { return bytes_->size(); }
  bool in_memory() const override { return true; }
  const std::string& name() const override { return name_; }
  void set_page_checksums(PageChecksums) override {}

 private:
  std::string name_;
  std::shared_ptr<const std::string> bytes_;
};

class StoreFile final : public SegmentFile {
 public:
  StoreFile(store::Store& store, std::string key, std::uint64_t size,
            std::shared_ptr<PageCache> cache)
      : store_(store),
        cache_(std::move(cache)),
        key_(std::move(key)),
        size_(size),
        number_(cache_->next_file()) {}
  ~StoreFile() override { cache_->forget(number_); }

  Result<Bytes> read(std::uint64_t offset, std::uint64_t length,
                     const os::Deadline& deadline) const override {
    if (offset > size_ || length > size_ - offset) return outside(key_);
    if (length == 0) return Bytes{};
    const auto [start, end] = pages_around(offset, length);
    const PageCache::Key key{.file = number_, .offset = start, .length = end - start};
    auto bytes = cache_->find(key);
    if (bytes == nullptr) {
      CAIRN_TRY(bytes, fetch(start, end, deadline));
      cache_->put(key, bytes);
    }
    return Bytes{bytes, std::string_view(*bytes).substr(offset - start, length)};
  }

  Result<Bytes> read_once(std::uint64_t offset, std::uint64_t length,
                          const os::Deadline& deadline) const override {
    if (offset > size_ || length > size_ - offset) return outside(key_);
    if (length == 0) return Bytes{};
    const auto [start, end] = pages_around(offset, length);
    CAIRN_TRY(auto bytes, fetch(start, end, deadline));
    return Bytes{bytes, std::string_view(*bytes).substr(offset - start, length)};
  }

  std::uint64_t size() const override { return size_; }
  bool in_memory() const override { return false; }
  const std::string& name() const override { return key_; }
  void set_page_checksums(PageChecksums checksums) override { checksums_ = std::move(checksums); }

 private:
  // Whole pages; the last one ends where the object does.
  std::pair<std::uint64_t, std::uint64_t> pages_around(std::uint64_t offset,
                                                       std::uint64_t length) const {
    if (checksums_.values.empty()) return {offset, offset + length};
    const std::uint64_t start = offset / page_bytes * page_bytes;
    const std::uint64_t end = (offset + length + page_bytes - 1) / page_bytes * page_bytes;
    return {start, std::min(end, size_)};
  }

  Result<std::shared_ptr<const std::string>> fetch(std::uint64_t start, std::uint64_t end,
                                                   const os::Deadline& deadline) const {
    auto object = store_.get(key_, deadline, {.offset = start, .count = end - start});
    if (!object) {
      if (object.error().kind == ErrorKind::not_found ||
          object.error().kind == ErrorKind::invalid_argument)
        return corrupt_object(key_, "it is missing or shorter than it was");
      return std::move(object).error();
    }
    if (object->bytes.size() != end - start)
      return corrupt_object(key_, "it is shorter than it was");
    CAIRN_CHECK(check_pages(object->bytes, start, checksums_, key_));
    return std::make_shared<const std::string>(std::move(object->bytes));
  }

  store::Store& store_;
  std::shared_ptr<PageCache> cache_;
  std::string key_;
  std::uint64_t size_;
  std::uint64_t number_;
  PageChecksums checksums_;
};

}  // namespace

Status check_pages(std::string_view bytes, std::uint64_t start, const PageChecksums& checksums,
                   std::string_view name) {
  // Of the last page only what stands before the footer counts; the footer has its own checksum.
  for (std::size_t page = start / page_bytes; !bytes.empty() && page < checksums.values.size();
       ++page) {
    const std::uint64_t page_start = page * page_bytes;
    const std::uint64_t body =
        checksums.body_size > page_start ? checksums.body_size - page_start : 0;
    const std::size_t count = std::min(bytes.size(), page_bytes);
    if (crc32c(bytes.substr(0, std::min<std::uint64_t>(count, body))) != checksums.values[page])
      return corrupt_object(name, "page " + std::to_string(page) + " has another checksum");
    bytes.remove_prefix(count);
  }
  return ok_status();
}

PageCache::PageCache(std::size_t bytes_max) {
  for (std::size_t i = 0; i < shard_count; ++i) {
    shards_.push_back(std::make_unique<Shard>());
    shards_.back()->bytes_max = bytes_max / shard_count;
  }
}

PageCache::~PageCache() = default;

std::shared_ptr<const std::string> PageCache::find(const Key& key) {
  Shard& shard = *shards_[Shard::Hash{}(key) % shard_count];
  const MutexLock lock(shard.mutex);
  const auto found = shard.entries.find(key);
  if (found == shard.entries.end()) return nullptr;
  shard.order.splice(shard.order.begin(), shard.order, found->second);
  return found->second->bytes;
}

void PageCache::put(const Key& key, std::shared_ptr<const std::string> bytes) {
  Shard& shard = *shards_[Shard::Hash{}(key) % shard_count];
  const std::size_t size = bytes->size() + entry_overhead;
  const MutexLock lock(shard.mutex);
  // A piece that would push out everything else is not worth keeping.
  if (size > shard.bytes_max / 2 || shard.entries.contains(key)) return;
  shard.order.push_front({key, std::move(bytes)});
  shard.entries.emplace(key, shard.order.begin());
  shard.bytes += size;
  while (shard.bytes > shard.bytes_max) {
    shard.bytes -= shard.order.back().bytes->size() + entry_overhead;
    shard.entries.erase(shard.order.back().key);
    shard.order.pop_back();
  }
}

void PageCache::forget(std::uint64_t file) {
  for (const auto& shard : shards_) {
    const MutexLock lock(shard->mutex);
    for (auto at = shard->order.begin(); at != shard->order.end();) {
      if (at->key.file != file) {
        ++at;
        continue;
      }
      shard->bytes -= at->bytes->size() + entry_overhead;
      shard->entries.erase(at->key);
      at = shard->order.erase(at);
    }
  }
}

std::size_t PageCache::bytes() const {
  std::size_t sum = 0;
  for (const auto& shard : shards_) {
    const MutexLock lock(shard->mutex);
    sum += shard->bytes;
  }
  return sum;
}

std::uint64_t PageCache::next_file() { return file_numbers().fetch_add(1); }

std::shared_ptr<SegmentFile> memory_file(std::string name, std::string bytes) {
  return std::make_shared<MemoryFile>(std::move(name), std::move(bytes));
}

std::shared_ptr<SegmentFile> store_file(store::Store& store, std::string key, std::uint64_t size,
                                        std::shared_ptr<PageCache> cache) {
  return std::make_shared<StoreFile>(store, std::move(key), size, std::move(cache));
}

}  // namespace cairn::index
