// SPDX-License-Identifier: Apache-2.0
// Whole numbers in as few bits as they need: blocks of 128 for postings, arrays for columns.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cairn::index {

inline constexpr std::size_t block_size = 128;
using Block = std::array<std::uint32_t, block_size>;

/// Bits that every value fits in.
inline unsigned bits_for(std::uint64_t all_or_ed) {
  return static_cast<unsigned>(std::bit_width(all_or_ed));
}

/// Appends 128 values in `bits` (0 to 32) bits each: 16 * bits bytes. Layout: 32 rows of 4 lanes;
/// lane k holds the values k, k+4, k+8, ... one behind the other, lowest bits first, and the lanes'
/// 32-bit words alternate.
void pack_block(std::string& out, const Block& values, unsigned bits);
/// Reads them back. `in` must hold 16 * bits bytes.
void unpack_block(const char* in, unsigned bits, Block& values);
/// One of them.
inline std::uint32_t unpack_one_of_block(const char* in, std::size_t i, unsigned bits) {
  if (bits == 0) return 0;
  // Its lane's words stand 16 bytes apart.
  const std::size_t bit = i / 4 * bits;
  const char* word = in + 4 * (i % 4) + 16 * (bit / 32);
  std::uint32_t low, high = 0;
  std::memcpy(&low, word, sizeof low);
  if (bit % 32 + bits > 32) std::memcpy(&high, word + 16, sizeof high);
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<std::uint32_t>(both >> (bit % 32) & ((std::uint64_t{1} << bits) - 1));
}

/// Appends `count` values in `bits` (0 to 64) bits each, one behind the other, lowest bits first,
/// and 8 bytes more so that reading never passes the end.
void pack_array(std::string& out, const std::uint64_t* values, std::size_t count, unsigned bits);
/// Bytes that pack_array appends.
inline std::size_t packed_array_size(std::size_t count, unsigned bits) {
  return (count * bits + 7) / 8 + 8;
}
/// The value at `i` of what pack_array wrote.
inline std::uint64_t unpack_one(const char* in, std::size_t i, unsigned bits) {
  const std::size_t bit = i * bits;
  std::uint64_t low;
  std::memcpy(&low, in + bit / 8, sizeof low);
  low >>= bit % 8;
  if (bits > 57) {
    const unsigned have = 64 - static_cast<unsigned>(bit % 8);
    if (have < bits) {
      std::uint64_t high = static_cast<unsigned char>(in[bit / 8 + 8]);
      low |= high << have;
    }
  }
  return bits == 64 ? low : low & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace cairn::index
