// SPDX-License-Identifier: Apache-2.0
// Large pieces of memory that files are written from around the page cache, lent one by one.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "os/large_memory.h"

namespace cairn::os {

/// Buffers of one size, in huge pages where the kernel gives them, which a disk takes with less
/// work. Of those that come back some are kept for the next who asks: fresh memory of the system's
/// costs as much as a copy of what is put into it. Safe from any thread.
class DirectBuffers {
 public:
  struct Limits {
    std::size_t lent = 0;  // at a time
    std::size_t kept = 0;
  };
  DirectBuffers(std::size_t bytes, Limits limits) : bytes_(bytes), limits_(limits) {}

  /// Goes back when it ends, which is before the DirectBuffers do.
  class Buffer {
   public:
    Buffer() = default;
    ~Buffer();
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    explicit operator bool() const { return from_ != nullptr; }
    std::span<char> bytes() const { return {static_cast<char*>(memory_.data()), memory_.size()}; }

   private:
    friend class DirectBuffers;
    Buffer(DirectBuffers& from, LargeMemory memory) : from_(&from), memory_(std::move(memory)) {}
    DirectBuffers* from_ = nullptr;
    LargeMemory memory_;
  };

  /// Holds anything. Nothing where too many are lent.
  Buffer lend();

 private:
  void take_back(LargeMemory memory);

  const std::size_t bytes_;
  const Limits limits_;
  std::mutex mutex_;
  std::size_t lent_ = 0;
  std::vector<LargeMemory> kept_;
};

}  // namespace cairn::os
