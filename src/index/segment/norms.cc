// SPDX-License-Identifier: Apache-2.0
#include "index/segment/norms.h"

#include <bit>

namespace cairn::index {
namespace {

// Four significant bits: three stored, the top one implied.
std::uint32_t shorten(std::uint32_t value) {
  const auto bits = static_cast<unsigned>(std::bit_width(value));
  if (bits < 4) return value;
  const unsigned shift = bits - 4;
  return ((value >> shift) & 7u) | ((shift + 1) << 3);
}

std::uint64_t lengthen(std::uint32_t code) {
  const std::uint64_t bits = code & 7u;
  const unsigned shift = code >> 3;
  return shift == 0 ? bits : (bits | 8u) << (shift - 1);
}

constexpr std::uint32_t exact_below = 24;  // 255 - shorten(2^31 - 1)

}  // namespace

std::uint8_t encode_length(std::uint32_t length) {
  if (length > 0x7FFFFFFFu) length = 0x7FFFFFFFu;
  if (length < exact_below) return static_cast<std::uint8_t>(length);
  return static_cast<std::uint8_t>(exact_below + shorten(length - exact_below));
}

std::uint32_t decode_length(std::uint8_t norm) {
  if (norm < exact_below) return norm;
  return static_cast<std::uint32_t>(exact_below + lengthen(norm - exact_below));
}

float bm25_idf(std::uint64_t doc_count, std::uint64_t doc_freq) {
  const auto n = static_cast<double>(doc_freq);
  const auto all = static_cast<double>(doc_count);
  return static_cast<float>(std::log(1.0 + (all - n + 0.5) / (n + 0.5)));
}

InverseLengths inverse_lengths(float average_length) {
  InverseLengths out;
  for (unsigned norm = 0; norm < 256; ++norm) {
    const auto length = static_cast<float>(decode_length(static_cast<std::uint8_t>(norm)));
    out[norm] = 1.0f / (bm25_k1 * ((1.0f - bm25_b) + bm25_b * length / average_length));
  }
  return out;
}

}  // namespace cairn::index
