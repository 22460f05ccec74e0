// SPDX-License-Identifier: Apache-2.0
// The scale and the zero point of a row of unsigned bytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cairn::kernels {

struct QuantisedRange {
  float scale = 0;    // value = (byte - zero) * scale
  float inverse = 0;  // 1 / scale; 0 where the scale is 0
  std::int32_t zero = 0;
};

/// Spreads `levels` + 1 bytes over least..greatest, where least <= 0 <= greatest; 0 has a byte of
/// its own. Numbers that are not finite give a scale that is not finite.
inline QuantisedRange quantised_range(float least, float greatest, std::int32_t levels) {
  QuantisedRange out;
  out.scale = (greatest - least) / static_cast<float>(levels);
  if (!(out.scale > 0) || !std::isfinite(out.scale)) return out;
  out.inverse = 1.0F / out.scale;
  const float zero = std::nearbyint(-least * out.inverse);
  out.zero = static_cast<std::int32_t>(std::clamp(zero, 0.0F, static_cast<float>(levels)));
  return out;
}

/// Of numbers that become pairs of bytes.
struct PairScale {
  float scale = 0;
  float inverse = 0;  // 1 / scale; 0 where the scale is 0
};

/// Spreads pairs of bytes of `levels` + 1 each over -greatest..greatest.
inline PairScale pair_scale(float greatest, std::int32_t levels) {
  PairScale out;
  const std::int32_t most = (levels + 1) * (levels + 1) / 2 - 1;
  out.scale = greatest / static_cast<float>(most);
  if (out.scale > 0 && std::isfinite(out.scale)) out.inverse = 1.0F / out.scale;
  if (!std::isfinite(out.inverse)) out.inverse = 0;
  return out;
}

}  // namespace cairn::kernels
