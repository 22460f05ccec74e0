// SPDX-License-Identifier: Apache-2.0
// Each type by its definition.
#include "inference/gguf/blocks.h"

#include <cstdint>
#include <cstring>

#include "inference/model/half.h"

namespace cairn::inference {
namespace {

float half_at(const std::uint8_t* bytes) {
  return float_of_half(static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8));
}

float signed_byte(std::uint8_t byte) { return static_cast<float>(static_cast<std::int8_t>(byte)); }

void read_q8_0(const std::uint8_t* block, float* out) {
  const float scale = half_at(block);
  for (std::size_t i = 0; i < 32; ++i) out[i] = scale * signed_byte(block[2 + i]);
}

void read_q4_0(const std::uint8_t* block, float* out) {
  const float scale = half_at(block);
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint8_t both = block[2 + i];
    out[i] = scale * static_cast<float>((both & 15) - 8);
    out[i + 16] = scale * static_cast<float>((both >> 4) - 8);
  }
}

/// Scale and offset of one part of eight: the first four lie in the lower 6 bits of a byte each,
/// the others in a half byte and the two bits that are left above the first ones.
void part_of_q4_k(const std::uint8_t* packed, std::size_t part, float& scale, float& offset) {
  if (part < 4) {
    scale = static_cast<float>(packed[part] & 63);
    offset = static_cast<float>(packed[part + 4] & 63);
    return;
  }
  const std::uint8_t both = packed[part + 4];
  scale = static_cast<float>((both & 15) | (packed[part - 4] >> 6) << 4);
  offset = static_cast<float>((both >> 4) | (packed[part] >> 6) << 4);
}

void read_q4_k(const std::uint8_t* block, float* out) {
  const float of_scales = half_at(block), of_offsets = half_at(block + 2);
  const std::uint8_t* const packed = block + 4;
  const std::uint8_t* const numbers = block + 16;
  for (std::size_t part = 0; part < 8; ++part) {
    float scale = 0, offset = 0;
    part_of_q4_k(packed, part, scale, offset);
    scale *= of_scales;
    offset *= of_offsets;
    // Two parts share 32 bytes: the lower halves are the first one's.
    const std::uint8_t* const from = numbers + part / 2 * 32;
    for (std::size_t i = 0; i < 32; ++i) {
      const int number = part % 2 == 0 ? from[i] & 15 : from[i] >> 4;
      out[part * 32 + i] = scale * static_cast<float>(number) - offset;
    }
  }
}

void read_q6_k(const std::uint8_t* block, float* out) {
  const std::uint8_t* const low = block;
  const std::uint8_t* const high = block + 128;
  const std::uint8_t* const scales = block + 192;
  const float of_scales = half_at(block + 208);
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t half = i / 128, quarter = i % 128 / 32, place = i % 32;
    const int four = low[half * 64 + quarter % 2 * 32 + place] >> (quarter / 2 * 4) & 15;
    const int two = high[half * 32 + place] >> (quarter * 2) & 3;
    const float scale = of_scales * signed_byte(scales[i / 16]);
    out[i] = scale * static_cast<float>((four | two << 4) - 32);
  }
}

}  // namespace

bool is_block_type(NumberType type) { return layout_of(type).numbers > 1; }

void read_blocks(NumberType type, const char* bytes, std::size_t count, float* out) {
  const NumberLayout layout = layout_of(type);
  for (std::size_t at = 0; at < count; at += layout.numbers, bytes += layout.bytes) {
    const auto* const block = reinterpret_cast<const std::uint8_t*>(bytes);
    switch (type) {
      case NumberType::q8_0:
        read_q8_0(block, out + at);
        break;
      case NumberType::q4_0:
        read_q4_0(block, out + at);
        break;
      case NumberType::q4_k:
        read_q4_k(block, out + at);
        break;
      case NumberType::q6_k:
        read_q6_k(block, out + at);
        break;
      default:
        break;  // no blocks
    }
  }
}

}  // namespace cairn::inference
