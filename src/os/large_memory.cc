// SPDX-License-Identifier: Apache-2.0
// Anonymous mappings, aligned so that huge pages fit.
#include "os/large_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

namespace cairn::os {
namespace {

constexpr std::size_t huge_bytes = std::size_t{2} << 20;
#ifdef MADV_COLLAPSE
constexpr int collapse_advice = MADV_COLLAPSE;
#else
constexpr int collapse_advice = 25;  // Linux 6.1; older kernels answer EINVAL
#endif

std::size_t rounded(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

LargeMemory::LargeMemory(std::size_t bytes) : size_(rounded(bytes, 4096)) {
  if (size_ == 0) return;
  const std::size_t room = size_ + huge_bytes;
  void* const raw = mmap(nullptr, room, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  // Give back what lies before the first boundary and after the end.
  const auto begin = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = rounded(begin, huge_bytes);
  if (aligned > begin) munmap(raw, aligned - begin);
  const std::uintptr_t end = aligned + size_;
  if (begin + room > end) munmap(reinterpret_cast<void*>(end), begin + room - end);
  data_ = reinterpret_cast<void*>(aligned);
}

LargeMemory::~LargeMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

LargeMemory::LargeMemory(LargeMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

LargeMemory& LargeMemory::operator=(LargeMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void LargeMemory::use_huge_pages(bool now) const {
  if (data_ == nullptr) return;
  (void)madvise(data_, size_, MADV_HUGEPAGE);
  if (now) (void)madvise(data_, size_, collapse_advice);
}

void LargeMemory::use_small_pages() const {
  if (data_ != nullptr) (void)madvise(data_, size_, MADV_NOHUGEPAGE);
}

void LargeMemory::give_back(std::size_t offset, std::size_t bytes) const {
  (void)madvise(static_cast<char*>(data_) + offset, bytes, MADV_DONTNEED);
}

}  // namespace cairn::os
