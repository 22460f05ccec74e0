// SPDX-License-Identifier: Apache-2.0
// A set of documents as one bit each.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace cairn::index {

/// Of a fixed size. Bits beyond the size are 0.
class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(std::uint32_t size) : size_(size), words_((std::size_t{size} + 63) / 64, 0) {}

  std::uint32_t size() const { return size_; }
  bool test(std::uint32_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(std::uint32_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void reset(std::uint32_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  void set_all() {
    for (std::uint64_t& w : words_) w = ~std::uint64_t{0};
    trim();
  }
  void flip() {
    for (std::uint64_t& w : words_) w = ~w;
    trim();
  }
  std::uint32_t count() const {
    std::uint32_t n = 0;
    for (const std::uint64_t w : words_) n += static_cast<std::uint32_t>(std::popcount(w));
    return n;
  }
  /// The first set bit at or after `i`; UINT32_MAX where there is none.
  std::uint32_t next(std::uint32_t i) const {
    if (i >= size_) return UINT32_MAX;
    std::size_t w = i / 64;
    std::uint64_t word = words_[w] >> (i % 64) << (i % 64);
    while (word == 0) {
      if (++w == words_.size()) return UINT32_MAX;
      word = words_[w];
    }
    return static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(std::countr_zero(word)));
  }
  void operator&=(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  void operator|=(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void subtract(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  const std::vector<std::uint64_t>& words() const { return words_; }
  std::vector<std::uint64_t>& words() { return words_; }
  std::size_t memory_bytes() const { return words_.size() * 8; }

 private:
  void trim() {
    if (size_ % 64 != 0) words_.back() &= (std::uint64_t{1} << (size_ % 64)) - 1;
  }
  std::uint32_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace cairn::index
