// SPDX-License-Identifier: Apache-2.0
// Each type by its definition.
#include "inference/gguf/blocks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "inference/model/half.h"

namespace cairn::inference {
namespace {

using kernels::BlockGroup;
using kernels::BlockType;

std::uint16_t half_at(const std::uint8_t* bytes) {
  return static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
}

void read_q8_0(const std::uint8_t* block, BlockGroup& to) {
  to.scale = half_at(block);
  std::memcpy(to.numbers, block + 2, 32);
}

void read_q4_0(const std::uint8_t* block, BlockGroup& to) {
  to.scale = half_at(block);
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint8_t both = block[2 + i];
    to.numbers[i] = static_cast<std::int8_t>(both & 15);
    to.numbers[i + 16] = static_cast<std::int8_t>(both >> 4);
  }
}

/// Scale and offset of one part of eight: the first four lie in the lower 6 bits of a byte each,
/// the others in a half byte and the two bits that are left above the first ones.
void part_of_q4_k(const std::uint8_t* packed, std::size_t part, BlockGroup& to) {
  if (part < 4) {
    to.scales[part] = static_cast<std::int8_t>(packed[part] & 63);
    to.offsets[part] = packed[part + 4] & 63;
    return;
  }
  const std::uint8_t both = packed[part + 4];
  to.scales[part] = static_cast<std::int8_t>((both & 15) | (packed[part - 4] >> 6) << 4);
  to.offsets[part] = static_cast<std::uint8_t>((both >> 4) | (packed[part] >> 6) << 4);
}

void read_q4_k(const std::uint8_t* block, BlockGroup& to) {
  to.scale = half_at(block);
  to.offset = half_at(block + 2);
  const std::uint8_t* const numbers = block + 16;
  for (std::size_t part = 0; part < 8; ++part) {
    part_of_q4_k(block + 4, part, to);
    // Two parts share 32 bytes: the lower halves are the first one's.
    const std::uint8_t* const from = numbers + part / 2 * 32;
    for (std::size_t i = 0; i < 32; ++i) {
      to.numbers[part * 32 + i] =
          static_cast<std::int8_t>(part % 2 == 0 ? from[i] & 15 : from[i] >> 4);
    }
  }
}

void read_q6_k(const std::uint8_t* block, BlockGroup& to) {
  const std::uint8_t* const low = block;
  const std::uint8_t* const high = block + 128;
  std::memcpy(to.scales, block + 192, 16);
  to.scale = half_at(block + 208);
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t half = i / 128, quarter = i % 128 / 32, place = i % 32;
    const int four = low[half * 64 + quarter % 2 * 32 + place] >> (quarter / 2 * 4) & 15;
    const int two = high[half * 32 + place] >> (quarter * 2) & 3;
    to.numbers[i] = static_cast<std::int8_t>((four | two << 4) - 32);
  }
}

}  // namespace

bool is_block_type(NumberType type) { return block_type_of(type).has_value(); }

std::optional<BlockType> block_type_of(NumberType type) {
  switch (type) {
    case NumberType::q8_0:
      return BlockType::q8_0;
    case NumberType::q4_0:
      return BlockType::q4_0;
    case NumberType::q4_k:
      return BlockType::q4_k;
    case NumberType::q6_k:
      return BlockType::q6_k;
    default:
      return std::nullopt;
  }
}

void read_group(BlockType type, const char* bytes, BlockGroup& to) {
  const auto* const block = reinterpret_cast<const std::uint8_t*>(bytes);
  switch (type) {
    case BlockType::q8_0:
      return read_q8_0(block, to);
    case BlockType::q4_0:
      return read_q4_0(block, to);
    case BlockType::q4_k:
      return read_q4_k(block, to);
    case BlockType::q6_k:
      return read_q6_k(block, to);
  }
}

void round_to_q4_0(const float* numbers, BlockGroup& to) {
  float most = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    if (std::fabs(numbers[i]) > std::fabs(most)) most = numbers[i];
  }
  to.scale = half_of_float(most / -8);
  const float scale = float_of_half(to.scale);
  for (std::size_t i = 0; i < 32; ++i) {
    const float step = scale == 0 ? 0 : std::nearbyint(numbers[i] / scale);
    to.numbers[i] = static_cast<std::int8_t>(std::clamp(step + 8, 0.0F, 15.0F));
  }
}

void write_floats(BlockType type, const BlockGroup& from, float* out) {
  const kernels::BlockLayout layout = kernels::layout_of(type);
  const float of_scales = float_of_half(from.scale), of_offsets = float_of_half(from.offset);
  const int zero = type == BlockType::q4_0 ? 8 : 0;
  for (std::size_t block = 0; block < layout.depth() / layout.block; ++block) {
    const float scale =
        layout.small_scales ? of_scales * static_cast<float>(from.scales[block]) : of_scales;
    const float offset =
        layout.offsets ? of_offsets * static_cast<float>(from.offsets[block]) : 0.0F;
    for (std::size_t i = block * layout.block; i < (block + 1) * layout.block; ++i) {
      out[i] = scale * static_cast<float>(from.numbers[i] - zero) - offset;
    }
  }
}

void read_blocks(NumberType type, const char* bytes, std::size_t count, float* out) {
  const NumberLayout layout = layout_of(type);
  const BlockType blocks = *block_type_of(type);
  BlockGroup group;
  for (std::size_t at = 0; at < count; at += layout.numbers, bytes += layout.bytes) {
    read_group(blocks, bytes, group);
    write_floats(blocks, group, out + at);
  }
}

}  // namespace cairn::inference
