// SPDX-License-Identifier: Apache-2.0
// Large pieces of memory that files are written from around the page cache, lent one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "os/large_memory.h"

namespace cairn::os {

/// Buffers of one size, in huge pages where the kernel gives them, which a disk takes with less
/// work; several share a slab of such pages. Some stay for the next who asks: fresh memory of the
/// system's costs as much as a copy of what is put into it. Safe from any thread.
class DirectBuffers {
 public:
  static constexpr std::size_t slab_bytes = 6 << 20;
  struct Limits {
    std::size_t lent = 0;        // at a time
    std::size_t kept_slabs = 0;  // of those that nobody has a part of
  };
  /// `bytes` is a multiple of direct_alignment, and a slab has at most 32 of them.
  DirectBuffers(std::size_t bytes, Limits limits);

  /// Goes back when it ends, which is before the DirectBuffers do.
  class Buffer {
   public:
    Buffer() = default;
    ~Buffer();
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    explicit operator bool() const { return from_ != nullptr; }
    std::span<char> bytes() const { return bytes_; }

   private:
    friend class DirectBuffers;
    Buffer(DirectBuffers& from, std::span<char> bytes) : from_(&from), bytes_(bytes) {}
    DirectBuffers* from_ = nullptr;
    std::span<char> bytes_ = {};
  };

  /// Holds anything. Nothing where too many are lent, or no memory is left.
  Buffer lend();

 private:
  struct Slab {
    LargeMemory memory = LargeMemory(slab_bytes);
    std::uint32_t taken = 0;  // a bit for each buffer
    char* begin() const { return static_cast<char*>(memory.data()); }
  };
  std::size_t buffers_of_slab() const { return slab_bytes / bytes_; }
  Slab* slab_with_room();
  void take_back(const char* buffer);

  const std::size_t bytes_;
  const Limits limits_;
  std::mutex mutex_;
  std::size_t lent_ = 0;
  std::vector<std::unique_ptr<Slab>> slabs_;
};

}  // namespace cairn::os
