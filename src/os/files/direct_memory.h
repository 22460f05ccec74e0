// SPDX-License-Identifier: Apache-2.0
// Memory that files can be written from around the page cache.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace cairn::os {

struct FreeDirectMemory {
  void operator()(char* memory) const { std::free(memory); }
};
using DirectMemory = std::unique_ptr<char[], FreeDirectMemory>;

/// Not initialized. Aligned to direct_alignment, to which `bytes` is rounded up. Ends the process
/// where there is no memory left.
DirectMemory direct_memory(std::size_t bytes);

/// Whether memory, or offsets, and their length can be written around the page cache.
bool is_direct_aligned(const void* memory, std::size_t bytes);

}  // namespace cairn::os
