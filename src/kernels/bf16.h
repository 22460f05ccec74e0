// SPDX-License-Identifier: Apache-2.0
// The 16-bit float whose bits are the upper half of an IEEE single.
#pragma once

#include <bit>
#include <cstdint>

namespace cairn::kernels {

/// A number in bfloat16: sign, 8 bits of exponent, 7 of fraction.
struct Bf16 {
  std::uint16_t bits;
};

inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

/// Rounds to the nearest, ties to even; NaN stays NaN.
inline Bf16 to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return {static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

}  // namespace cairn::kernels
