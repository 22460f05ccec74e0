// SPDX-License-Identifier: Apache-2.0
// Pages of segments in memory, each once, within one number of bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "os/large_memory.h"

namespace cairn::index {

class FilePages;

/// Lets go of pages that were not used of late, whenever more would be kept than may be. Safe from
/// any thread.
class PageCache {
 public:
  explicit PageCache(std::size_t bytes_max);
  ~PageCache();

  /// Room for the pages of an object of `size` bytes; without memory where no address space is
  /// left.
  std::shared_ptr<FilePages> open(std::uint64_t size);
  /// Of the pages that are kept.
  std::size_t bytes() const { return used_->load(); }
  /// Whether one page more is kept without another going.
  bool has_room() const;
  std::size_t bytes_max() const { return bytes_max_; }

 private:
  friend class FilePages;
  void make_room() CAIRN_EXCLUDES(mutex_);
  void sweep() CAIRN_REQUIRES(mutex_);

  const std::size_t bytes_max_;
  // Files may outlive the cache by what their readers hold.
  const std::shared_ptr<std::atomic<std::size_t>> used_;
  Mutex mutex_;
  std::vector<std::weak_ptr<FilePages>> files_ CAIRN_GUARDED_BY(mutex_);
  // Where the next sweep begins.
  std::size_t file_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::size_t page_ CAIRN_GUARDED_BY(mutex_) = 0;
};

/// The pages of one object, at the address that each would have if all were there: a range of them
/// is read where it lies. Reading pins pages, without a lock; pinned pages stay. Safe from any
/// thread.
class FilePages : public std::enable_shared_from_this<FilePages> {
 public:
  /// Pages that are pinned while a copy lives.
  using Pin = std::shared_ptr<const void>;

  FilePages(PageCache& cache, std::uint64_t size);
  ~FilePages();

  /// Pins all pages of bytes [offset, offset + length), which is not empty; null where one is
  /// missing.
  Pin pin(std::uint64_t offset, std::uint64_t length);
  const char* data() const { return static_cast<const char*>(memory_.data()); }

  struct Range {
    std::uint64_t start = 0, end = 0;
  };
  /// Whole pages around all that is missing of a range; nothing where nothing is.
  std::optional<Range> missing(std::uint64_t offset, std::uint64_t length) const;
  /// Keeps whole pages from `start` on, but for a number of bytes that would push out all others.
  void keep(std::uint64_t start, std::string_view bytes);

 private:
  friend class PageCache;
  struct Pinned;
  void unpin(std::size_t first, std::size_t last);
  bool keep_page(std::size_t page, std::string_view bytes);
  bool drop(std::size_t page);

  PageCache& cache_;
  const std::shared_ptr<std::atomic<std::size_t>> used_;
  std::uint64_t size_;
  std::size_t count_;
  os::LargeMemory memory_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> states_;
};

}  // namespace cairn::index
