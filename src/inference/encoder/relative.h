// SPDX-License-Identifier: Apache-2.0
// Buckets of distances between tokens, as MPNet and T5 have them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace cairn::inference {

/// The bucket of key - query: half of the buckets for each direction, one for each of the nearest
/// distances, then by the logarithm up to 128 tokens away. [Raffel et al. 2020]
inline std::size_t relative_bucket(std::int64_t distance, std::size_t buckets) {
  constexpr double furthest = 128;
  const std::size_t half = buckets / 2;
  const std::size_t side = distance > 0 ? half : 0;
  const auto away = static_cast<std::size_t>(distance > 0 ? distance : -distance);
  const std::size_t exact = half / 2;
  if (away < exact) return side + away;
  const double share = std::log(static_cast<double>(away) / static_cast<double>(exact)) /
                       std::log(furthest / static_cast<double>(exact));
  const auto steps = static_cast<std::size_t>(share * static_cast<double>(half - exact));
  return side + std::min(exact + steps, half - 1);
}

}  // namespace cairn::inference
