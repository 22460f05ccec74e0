// SPDX-License-Identifier: Apache-2.0
#include "os/direct_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <utility>

#include "base/assert.h"
#include "os/files.h"

namespace cairn::os {

namespace {

constexpr std::size_t huge_page = 2 << 20;

}  // namespace

DirectMemory direct_memory(std::size_t bytes) {
  const std::size_t unit = bytes >= huge_page ? huge_page : direct_alignment;
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  DirectMemory memory(static_cast<char*>(std::aligned_alloc(unit, whole)));
  CAIRN_ASSERT(memory != nullptr);
  if (unit == huge_page) (void)::madvise(memory.get(), whole, MADV_HUGEPAGE);
  return memory;
}

bool is_direct_aligned(const void* memory, std::size_t bytes) {
  return (reinterpret_cast<std::uintptr_t>(memory) | bytes) % direct_alignment == 0;
}

DirectBuffers::Buffer DirectBuffers::lend() {
  DirectMemory memory;
  {
    const std::lock_guard lock(mutex_);
    if (!kept_.empty()) {
      memory = std::move(kept_.back());
      kept_.pop_back();
    }
  }
  if (memory == nullptr) memory = direct_memory(bytes_);
  return Buffer(memory.release(), {this});
}

void DirectBuffers::take_back(DirectMemory memory) {
  const std::lock_guard lock(mutex_);
  if (kept_.size() < kept_max_) kept_.push_back(std::move(memory));
}

}  // namespace cairn::os
