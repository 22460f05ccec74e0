// SPDX-License-Identifier: Apache-2.0
#include "os/direct_buffers.h"

#include <utility>

namespace cairn::os {

DirectBuffers::Buffer::~Buffer() {
  if (from_ != nullptr) from_->take_back(std::move(memory_));
}

DirectBuffers::Buffer::Buffer(Buffer&& other) noexcept
    : from_(std::exchange(other.from_, nullptr)), memory_(std::move(other.memory_)) {}

DirectBuffers::Buffer& DirectBuffers::Buffer::operator=(Buffer&& other) noexcept {
  std::swap(from_, other.from_);
  std::swap(memory_, other.memory_);
  return *this;
}

DirectBuffers::Buffer DirectBuffers::lend() {
  {
    const std::lock_guard lock(mutex_);
    if (lent_ == limits_.lent) return {};
    ++lent_;
    if (!kept_.empty()) {
      LargeMemory memory = std::move(kept_.back());
      kept_.pop_back();
      return Buffer(*this, std::move(memory));
    }
  }
  LargeMemory memory(bytes_);
  memory.use_huge_pages(false);
  return Buffer(*this, std::move(memory));
}

void DirectBuffers::take_back(LargeMemory memory) {
  const std::lock_guard lock(mutex_);
  --lent_;
  if (kept_.size() < limits_.kept) kept_.push_back(std::move(memory));
}

}  // namespace cairn::os
