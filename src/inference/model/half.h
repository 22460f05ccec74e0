// SPDX-License-Identifier: Apache-2.0
// The 16-bit float of IEEE 754.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace cairn::inference {

/// An IEEE half as a float, exactly.
inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fU;
  const std::uint32_t fraction = half & 0x3ffU;
  if (exponent == 0) {  // zero and numbers below the least normal one
    const float value = static_cast<float>(fraction) * 0x1p-24F;
    return sign == 0 ? value : -value;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

/// The half next to a finite float, the even one of two; the greatest where it is beyond.
inline std::uint16_t half_of_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U, size = bits & 0x7fffffffU;
  std::uint32_t half = 0;
  if (size < 0x38800000U) {  // below the least normal half
    const float steps = std::bit_cast<float>(size) * 0x1p24F;
    half = static_cast<std::uint32_t>(std::nearbyint(steps));
  } else {
    half = std::min(0x7bffU, (size + 0xfffU + (size >> 13 & 1U) - 0x38000000U) >> 13);
  }
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace cairn::inference
