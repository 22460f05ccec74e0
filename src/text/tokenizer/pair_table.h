// SPDX-License-Identifier: Apache-2.0
// Which two tokens of BPE merge: when, and into which.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn::text::tokenizer {

/// A hash table that is filled once. A look-up is one cache line, mostly.
class PairTable {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Entry {
    std::uint64_t pair = 0;
    std::uint32_t rank = none;  // small ones merge first
    std::uint32_t id = 0;
  };

  explicit PairTable(std::size_t pairs = 0) : slots_(std::bit_ceil(pairs + pairs / 2 + 2)) {}

  /// The last of equal pairs counts. At most as many as were named.
  void set(std::uint32_t left, std::uint32_t right, std::uint32_t rank, std::uint32_t id) {
    slots_[slot_of(join(left, right))] = {join(left, right), rank, id};
  }

  const Entry& find(std::uint32_t left, std::uint32_t right) const {
    return slots_[slot_of(join(left, right))];
  }

  std::size_t size_bytes() const { return slots_.capacity() * sizeof(Entry); }

 private:
  static std::uint64_t join(std::uint32_t left, std::uint32_t right) {
    return (std::uint64_t{left} << 32) | right;
  }

  std::size_t slot_of(std::uint64_t pair) const {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t hash = pair * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32;
    std::size_t slot = hash & mask;
    while (slots_[slot].rank != none && slots_[slot].pair != pair) slot = (slot + 1) & mask;
    return slot;
  }

  std::vector<Entry> slots_;
};

}  // namespace cairn::text::tokenizer
