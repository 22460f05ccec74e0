// SPDX-License-Identifier: Apache-2.0
// Memory that files can be written from around the page cache.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace cairn::os {

struct FreeDirectMemory {
  void operator()(char* memory) const { std::free(memory); }
};
using DirectMemory = std::unique_ptr<char[], FreeDirectMemory>;

/// Not initialized, and costs nothing until it is touched. Aligned to direct_alignment, to which
/// `bytes` is rounded up; from 2 MiB on in huge pages where the kernel gives them, which a disk
/// takes with less work. Ends the process where there is no memory left.
DirectMemory direct_memory(std::size_t bytes);

/// Whether memory, or offsets, and their length can be written around the page cache.
bool is_direct_aligned(const void* memory, std::size_t bytes);

/// Buffers of one size, of which some are kept for the next who asks: fresh memory of the system's
/// costs as much as a copy of what is put into it. Safe from any thread.
class DirectBuffers {
 public:
  DirectBuffers(std::size_t bytes, std::size_t kept_max) : bytes_(bytes), kept_max_(kept_max) {}

  struct GiveBack {
    DirectBuffers* buffers;
    void operator()(char* memory) const { buffers->take_back(DirectMemory(memory)); }
  };
  using Buffer = std::unique_ptr<char[], GiveBack>;  // ends before the DirectBuffers

  /// Holds anything.
  Buffer lend();
  std::size_t bytes() const { return bytes_; }

 private:
  void take_back(DirectMemory memory);

  const std::size_t bytes_;
  const std::size_t kept_max_;
  std::mutex mutex_;
  std::vector<DirectMemory> kept_;
};

}  // namespace cairn::os
