// SPDX-License-Identifier: Apache-2.0
#include "index/aggregations/key_slots.h"

#include <algorithm>
#include <bit>

#include "os/random.h"

namespace cairn::index {
namespace {

/// Odd numbers that nobody outside knows: keys are what clients send, and must not be made to meet.
struct Multipliers {
  std::uint64_t first = os::system_random().number() | 1;
  std::uint64_t second = os::system_random().number() | 1;
};

const Multipliers& multipliers() {
  static const Multipliers own;
  return own;
}

}  // namespace

std::size_t KeySlots::place(std::int64_t key) const {
  const Multipliers& by = multipliers();
  std::uint64_t hash = static_cast<std::uint64_t>(key) * by.first;
  hash = (hash ^ hash >> 32) * by.second;
  return static_cast<std::size_t>(hash >> shift_);
}

void KeySlots::grow() {
  const std::size_t size = std::max<std::size_t>(8, std::bit_ceil(keys_.size() * 2 + 1));
  direct_ = limit_ > 0 && size >= limit_;
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(size));
  table_.assign(direct_ ? static_cast<std::size_t>(limit_) : size, none);
  for (std::size_t slot = 0; slot < keys_.size(); ++slot) {
    std::size_t at = direct_ ? static_cast<std::size_t>(keys_[slot]) : place(keys_[slot]);
    while (table_[at] != none) at = (at + 1) & (size - 1);
    table_[at] = static_cast<std::uint32_t>(slot);
  }
}

std::vector<std::uint32_t> KeySlots::ascending() const {
  std::vector<std::uint32_t> out;
  out.reserve(keys_.size());
  if (direct_) {
    for (const std::uint32_t slot : table_)
      if (slot != none) out.push_back(slot);
    return out;
  }
  for (std::uint32_t slot = 0; slot < keys_.size(); ++slot) out.push_back(slot);
  std::sort(out.begin(), out.end(),
            [&](std::uint32_t a, std::uint32_t b) { return keys_[a] < keys_[b]; });
  return out;
}

}  // namespace cairn::index
