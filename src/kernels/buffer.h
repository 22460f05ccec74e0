// SPDX-License-Identifier: Apache-2.0
// Memory for arrays that kernels read and write.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace cairn::kernels {

/// An array of plain numbers, all zero at first, that begins at a cache line. Moves, does not copy.
template <class Number>
class Buffer {
  static_assert(std::is_trivially_copyable_v<Number>);

 public:
  Buffer() = default;
  /// Throws std::bad_alloc.
  explicit Buffer(std::size_t count) : numbers_(allocate(count)), count_(count) {}
  /// Numbers that somebody else keeps, for reading alone: they must outlive the result.
  static Buffer view(const Number* numbers, std::size_t count) {
    Buffer out;
    out.numbers_ = const_cast<Number*>(numbers);
    out.count_ = count;
    out.is_view_ = true;
    return out;
  }
  Buffer(Buffer&& from) noexcept
      : numbers_(std::exchange(from.numbers_, nullptr)),
        count_(std::exchange(from.count_, 0)),
        is_view_(std::exchange(from.is_view_, false)) {}
  Buffer& operator=(Buffer&& from) noexcept {
    std::swap(numbers_, from.numbers_);
    std::swap(count_, from.count_);
    std::swap(is_view_, from.is_view_);
    return *this;
  }
  ~Buffer() {
    if (!is_view_) std::free(numbers_);
  }

  Number* data() { return numbers_; }
  const Number* data() const { return numbers_; }
  std::size_t size() const { return count_; }
  std::size_t size_bytes() const { return count_ * sizeof(Number); }
  bool empty() const { return count_ == 0; }
  Number& operator[](std::size_t index) { return numbers_[index]; }
  const Number& operator[](std::size_t index) const { return numbers_[index]; }

  /// Room for at least `count` numbers. What was there is gone where more room is needed.
  void grow(std::size_t count) {
    if (count > count_) *this = Buffer(count);
  }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t huge_page = 2U << 20U;

  static Number* allocate(std::size_t count) {
    if (count == 0) return nullptr;
    const bool large = count * sizeof(Number) >= 2 * huge_page;
    const std::size_t alignment = large ? huge_page : line;
    const std::size_t bytes = (count * sizeof(Number) + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: weights are read from end to end
    std::memset(memory, 0, bytes);
    return static_cast<Number*>(memory);
  }

  Number* numbers_ = nullptr;
  std::size_t count_ = 0;
  bool is_view_ = false;
};

}  // namespace cairn::kernels
