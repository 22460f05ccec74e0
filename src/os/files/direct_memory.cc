// SPDX-License-Identifier: Apache-2.0
#include "os/files/direct_memory.h"

#include <cstdint>

#include "base/assert.h"
#include "os/files/files.h"

namespace cairn::os {

DirectMemory direct_memory(std::size_t bytes) {
  const std::size_t whole = (bytes + direct_alignment - 1) / direct_alignment * direct_alignment;
  DirectMemory memory(static_cast<char*>(std::aligned_alloc(direct_alignment, whole)));
  CAIRN_ASSERT(memory != nullptr);
  return memory;
}

bool is_direct_aligned(const void* memory, std::size_t bytes) {
  return (reinterpret_cast<std::uintptr_t>(memory) | bytes) % direct_alignment == 0;
}

}  // namespace cairn::os
