// SPDX-License-Identifier: Apache-2.0
#include "os/files/direct_buffers.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "base/assert.h"

namespace cairn::os {

DirectBuffers::DirectBuffers(std::size_t bytes, Limits limits) : bytes_(bytes), limits_(limits) {
  CAIRN_ASSERT(bytes <= slab_bytes && slab_bytes / bytes <= 32);  // bits of Slab::taken
}

DirectBuffers::Buffer::~Buffer() {
  if (from_ != nullptr) from_->take_back(bytes_.data());
}

DirectBuffers::Buffer::Buffer(Buffer&& other) noexcept
    : from_(std::exchange(other.from_, nullptr)), bytes_(other.bytes_) {}

DirectBuffers::Buffer& DirectBuffers::Buffer::operator=(Buffer&& other) noexcept {
  std::swap(from_, other.from_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

/// The first one, so that the last ones empty. Null where no memory is left.
DirectBuffers::Slab* DirectBuffers::slab_with_room() try {
  for (const auto& slab : slabs_)
    if (static_cast<std::size_t>(std::popcount(slab->taken)) < buffers_of_slab()) return slab.get();
  slabs_.push_back(std::make_unique<Slab>());
  slabs_.back()->memory.use_huge_pages(false);
  return slabs_.back().get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

DirectBuffers::Buffer DirectBuffers::lend() {
  const std::lock_guard lock(mutex_);
  if (lent_ == limits_.lent) return {};
  Slab* const slab = slab_with_room();
  if (slab == nullptr) return {};
  const int place = std::countr_one(slab->taken);
  slab->taken |= 1u << place;
  ++lent_;
  return {*this, {slab->begin() + static_cast<std::size_t>(place) * bytes_, bytes_}};
}

void DirectBuffers::take_back(const char* buffer) {
  const std::lock_guard lock(mutex_);
  --lent_;
  const auto slab = std::find_if(slabs_.begin(), slabs_.end(), [&](const auto& each) {
    return each->begin() <= buffer && buffer < each->begin() + slab_bytes;
  });
  (*slab)->taken &= ~(1u << static_cast<std::size_t>(buffer - (*slab)->begin()) / bytes_);
  if ((*slab)->taken != 0) return;
  const auto idle = std::count_if(slabs_.begin(), slabs_.end(),
                                  [](const auto& each) { return each->taken == 0; });
  if (static_cast<std::size_t>(idle) > limits_.kept_slabs) slabs_.erase(slab);
}

}  // namespace cairn::os
