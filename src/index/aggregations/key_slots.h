// SPDX-License-Identifier: Apache-2.0
// A table that numbers keys in the order in which they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn::index {

/// Keys have slots 0, 1, 2, ...; whatever belongs to a key lies in an array by slot. Not for use
/// from two threads.
class KeySlots {
 public:
  /// What a key takes at most, its place in a growing array included.
  static constexpr std::size_t bytes_of_key = 32;

  /// Where keys are in [0, limit), a table that would be as large holds them by place. 0: not
  /// known.
  explicit KeySlots(std::uint64_t limit = 0) : limit_(limit) {}

  /// The slot of a key. A new one gets size() as it was before.
  std::uint32_t add(std::int64_t key) {
    if (keys_.size() * 2 >= table_.size() && !direct_) grow();
    if (direct_) {
      std::uint32_t& slot = table_[static_cast<std::size_t>(key)];
      return slot != none ? slot : slot = append(key);
    }
    const std::size_t mask = table_.size() - 1;
    for (std::size_t at = place(key);; at = (at + 1) & mask) {
      std::uint32_t& slot = table_[at];
      if (slot == none) return slot = append(key);
      if (keys_[slot] == key) return slot;
    }
  }
  std::size_t size() const { return keys_.size(); }
  std::int64_t key(std::size_t slot) const { return keys_[slot]; }

  /// Slots by ascending key.
  std::vector<std::uint32_t> ascending() const;
  /// Gives each slot the key that `to` makes of its own; all of them differ. From now on keys are
  /// in [0, limit).
  template <class To>
  void renumber(To to, std::uint64_t limit) {
    for (std::int64_t& key : keys_) key = to(key);
    limit_ = limit;
    if (!keys_.empty()) grow();
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t append(std::int64_t key) {
    keys_.push_back(key);
    return static_cast<std::uint32_t>(keys_.size() - 1);
  }
  std::size_t place(std::int64_t key) const;
  void grow();

  std::vector<std::int64_t> keys_;    // by slot
  std::vector<std::uint32_t> table_;  // slots, by hash or by key
  std::uint64_t limit_;
  unsigned shift_ = 64;
  bool direct_ = false;
};

}  // namespace cairn::index
