// SPDX-License-Identifier: Apache-2.0
// Memory that files can be written from around the page cache.
#pragma once

#include <cstdlib>
#include <memory>

#include "base/assert.h"
#include "os/files.h"

namespace cairn::os {

struct FreeDirectMemory {
  void operator()(char* memory) const { std::free(memory); }
};
using DirectMemory = std::unique_ptr<char[], FreeDirectMemory>;

/// Not initialized, and costs nothing until it is touched. `bytes` is rounded up to
/// direct_alignment. Ends the process where there is no memory left.
inline DirectMemory direct_memory(std::size_t bytes) {
  const std::size_t whole = (bytes + direct_alignment - 1) / direct_alignment * direct_alignment;
  DirectMemory memory(static_cast<char*>(std::aligned_alloc(direct_alignment, whole)));
  CAIRN_ASSERT(memory != nullptr);
  return memory;
}

inline bool is_direct_aligned(const void* memory, std::size_t bytes) {
  return (reinterpret_cast<std::uintptr_t>(memory) | bytes) % direct_alignment == 0;
}

}  // namespace cairn::os
