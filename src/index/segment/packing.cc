// SPDX-License-Identifier: Apache-2.0
// The block packer: one unrolled version for each width, in 128-bit vectors (SSE2 on this
// processor's baseline; any compiler with vector extensions makes the same bytes).
#include "index/segment/packing.h"

#include <utility>

namespace cairn::index {
namespace {

using Lanes = std::uint32_t __attribute__((vector_size(16)));

Lanes load(const char* from) {
  Lanes v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <unsigned bits, std::size_t row>
inline Lanes unpack_row(const char* in) {
  constexpr std::size_t word = row * bits / 32;
  constexpr unsigned shift = row * bits % 32;
  constexpr std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  Lanes v = load(in + 16 * word) >> shift;
  if constexpr (shift + bits > 32) v |= load(in + 16 * (word + 1)) << (32 - shift);
  return v & mask;
}

template <unsigned bits>
void unpack_width(const char* in, Block& values) {
  if constexpr (bits == 0) {
    values.fill(0);
  } else {
    [&]<std::size_t... row>(std::index_sequence<row...>) {
      const auto store = [&](std::size_t at, Lanes v) {
        std::memcpy(values.data() + 4 * at, &v, sizeof v);
      };
      (store(row, unpack_row<bits, row>(in)), ...);
    }
    (std::make_index_sequence<32>{});
  }
}

using Unpack = void (*)(const char*, Block&);

template <std::size_t... bits>
constexpr std::array<Unpack, sizeof...(bits)> make_versions(std::index_sequence<bits...>) {
  return {unpack_width<bits>...};
}
constexpr auto versions = make_versions(std::make_index_sequence<33>{});

}  // namespace

void pack_block(std::string& out, const Block& values, unsigned bits) {
  const std::size_t at = out.size();
  out.resize(at + 16 * bits, '\0');
  for (std::size_t lane = 0; lane < 4 && bits > 0; ++lane) {
    std::uint64_t gathered = 0;
    unsigned filled = 0;
    char* to = out.data() + at + 4 * lane;
    for (std::size_t row = 0; row < 32; ++row) {
      gathered |= std::uint64_t{values[4 * row + lane]} << filled;
      filled += bits;
      if (filled >= 32) {
        const auto word = static_cast<std::uint32_t>(gathered);
        std::memcpy(to, &word, sizeof word);
        to += 16;
        gathered >>= 32;
        filled -= 32;
      }
    }
  }
}

void unpack_block(const char* in, unsigned bits, Block& values) { versions[bits](in, values); }

void pack_array(std::string& out, const std::uint64_t* values, std::size_t count, unsigned bits) {
  const std::size_t at = out.size();
  out.resize(at + packed_array_size(count, bits), '\0');
  if (bits == 0) return;
  auto* to = reinterpret_cast<unsigned char*>(out.data() + at);
  std::size_t bit = 0;
  for (std::size_t i = 0; i < count; ++i, bit += bits) {
    std::uint64_t low;
    std::memcpy(&low, to + bit / 8, sizeof low);
    low |= values[i] << (bit % 8);
    std::memcpy(to + bit / 8, &low, sizeof low);
    const unsigned have = 64 - static_cast<unsigned>(bit % 8);
    if (have < bits) to[bit / 8 + 8] |= static_cast<unsigned char>(values[i] >> have);
  }
}

}  // namespace cairn::index
