// SPDX-License-Identifier: Apache-2.0
// Zeroed memory for tables of many megabytes, in huge pages where the kernel gives them.
#pragma once

#include <cstddef>

namespace cairn::os {

/// Address space that costs nothing until it is touched. Throws std::bad_alloc, as `new` does,
/// where none is left.
class LargeMemory {
 public:
  LargeMemory() = default;
  explicit LargeMemory(std::size_t bytes);
  ~LargeMemory();
  LargeMemory(LargeMemory&& other) noexcept;
  LargeMemory& operator=(LargeMemory&& other) noexcept;

  void* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Asks for huge pages from here on: fewer misses of the page table for random access, but what
  /// is touched is then paid for in pieces of 2 MiB. `now` turns into such pieces what is there,
  /// which copies it. Does nothing where the kernel has no such thing.
  void use_huge_pages(bool now) const;
  /// Asks for small pages, so that nothing but what is touched takes memory.
  void use_small_pages() const;
  /// Gives memory back: [offset, offset + bytes), whole pages of 4 KiB, reads as zeros then.
  void give_back(std::size_t offset, std::size_t bytes) const;

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cairn::os
