// SPDX-License-Identifier: Apache-2.0
// The bytes of a segment, wherever they are: in memory, or in the store behind a cache of pages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/segment/page_cache.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::index {

/// Bytes that stay while a copy lives.
struct Bytes {
  std::shared_ptr<const void> owner;
  std::string_view view;
};

/// CRC-32C of each page of the first `body_size` bytes: what stands before the footer.
struct PageChecksums {
  std::vector<std::uint32_t> values;
  std::uint64_t body_size = 0;
};

/// Checks whole pages; `start` is that of a page. Errors: corrupt.
Status check_pages(std::string_view bytes, std::uint64_t start, const PageChecksums& checksums,
                   std::string_view name);

/// Immutable bytes. Safe from any thread.
class SegmentFile {
 public:
  virtual ~SegmentFile() = default;
  /// Errors: those of the store; corrupt where a page does not verify or the range is outside.
  virtual Result<Bytes> read(std::uint64_t offset, std::uint64_t length,
                             const os::Deadline& deadline) const = 0;
  /// The same without leaving the bytes in a cache: for reading everything once, in order, of which
  /// a few larger pieces are fetched ahead.
  virtual Result<Bytes> read_once(std::uint64_t offset, std::uint64_t length,
                                  const os::Deadline& deadline) const = 0;
  /// Bytes whose own CRC-32C the caller knows: a few of them are read alone, without the pages
  /// around them, where the cache has no room for those.
  virtual Result<Bytes> read_checked(std::uint64_t offset, std::uint64_t length,
                                     std::uint32_t checksum,
                                     const os::Deadline& deadline) const = 0;
  virtual std::uint64_t size() const = 0;
  virtual bool in_memory() const = 0;
  /// Whether so many bytes, which are read over and over, can stay in memory beside others.
  virtual bool can_stay(std::uint64_t bytes) const = 0;
  virtual const std::string& name() const = 0;
  /// Known once the footer is read; every later read is checked against them.
  virtual void set_page_checksums(PageChecksums checksums) = 0;
};

std::shared_ptr<SegmentFile> memory_file(std::string name, std::string bytes);
/// The store must outlive the file.
std::shared_ptr<SegmentFile> store_file(store::Store& store, std::string key, std::uint64_t size,
                                        std::shared_ptr<PageCache> cache);

}  // namespace cairn::index
