// SPDX-License-Identifier: Apache-2.0
// The arithmetic on rows, one number after the other: the oracle of the other versions.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/rows/quantised_range.h"
#include "kernels/rows/rows_versions.h"
#include "kernels/scalar_activation.h"

namespace cairn::kernels {
namespace scalar_rows {

void layer_norm(const float* in, std::size_t count, const float* gain, const float* shift,
                float epsilon, float* out) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) sum += in[i];
  const double mean = sum / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) squares += (in[i] - mean) * (in[i] - mean);
  const double inverse =
      1.0 / std::sqrt(squares / static_cast<double>(count) + static_cast<double>(epsilon));
  for (std::size_t i = 0; i < count; ++i) {
    const double normal = (in[i] - mean) * inverse * static_cast<double>(gain[i]);
    out[i] = static_cast<float>(shift == nullptr ? normal : normal + static_cast<double>(shift[i]));
  }
}

void rms_norm(const float* in, std::size_t count, const float* gain, float epsilon, float* out) {
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) squares += static_cast<double>(in[i]) * in[i];
  const double inverse =
      1.0 / std::sqrt(squares / static_cast<double>(count) + static_cast<double>(epsilon));
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(in[i] * inverse * static_cast<double>(gain[i]));
  }
}

float softmax(float* values, std::size_t count, float scale) {
  float greatest = -INFINITY;
  for (std::size_t i = 0; i < count; ++i) greatest = std::max(greatest, values[i] * scale);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::exp(values[i] * scale - greatest);
    sum += static_cast<double>(values[i]);
  }
  return static_cast<float>(1.0 / sum);
}

float narrow_softmax(const float* values, std::size_t count, float scale, Bf16* out) {
  std::vector<float> weights(values, values + count);
  const float factor = softmax(weights.data(), count, scale);
  for (std::size_t i = 0; i < count; ++i) out[i] = to_bf16(weights[i]);
  return factor;
}

void activate(float* values, std::size_t count, Activation activation) {
  for (std::size_t i = 0; i < count; ++i) values[i] = scalar_activation(values[i], activation);
}

void gate(float* values, const float* by, std::size_t count, Activation activation) {
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = scalar_activation(values[i], activation) * by[i];
  }
}

void scale(const float* in, std::size_t count, float factor, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = in[i] * factor;
}

void add(const float* in, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] += in[i];
}

void narrow(const float* in, std::size_t count, Bf16* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = to_bf16(in[i]);
}

void interleave(const Bf16* a, const Bf16* b, std::size_t count, Bf16* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[2 * i] = a[i];
    out[2 * i + 1] = b[i];
  }
}

float quantise(const float* in, std::size_t count, std::int32_t levels, std::uint8_t* out,
               std::int32_t& zero) {
  float least = 0, greatest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    least = std::min(least, in[i]);
    greatest = std::max(greatest, in[i]);
  }
  const QuantisedRange range = quantised_range(least, greatest, levels);
  zero = range.zero;
  for (std::size_t i = 0; i < count; ++i) {
    const float at = in[i] * range.inverse + static_cast<float>(range.zero);
    const float kept = std::clamp(at, 0.0F, static_cast<float>(levels));
    out[i] = kept != kept ? 0 : static_cast<std::uint8_t>(std::nearbyint(kept));
  }
  return range.scale;
}

float quantise_pairs(const float* in, std::size_t count, std::int32_t levels, std::uint8_t* high,
                     std::uint8_t* low) {
  float greatest = 0;
  for (std::size_t i = 0; i < count; ++i) greatest = std::max(greatest, std::fabs(in[i]));
  const PairScale scale = pair_scale(greatest, levels);
  const std::int32_t zero = (levels + 1) * (levels + 1) / 2;
  const auto most = static_cast<float>(zero - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const float at = std::clamp(in[i] * scale.inverse, -most, most);
    const std::int32_t whole =
        zero + (at != at ? 0 : static_cast<std::int32_t>(std::nearbyint(at)));
    high[i] = static_cast<std::uint8_t>(whole / (levels + 1));
    low[i] = static_cast<std::uint8_t>(whole % (levels + 1));
  }
  return scale.scale;
}

void rotate(float* values, std::size_t half, const float* cosines, const float* sines) {
  for (std::size_t i = 0; i < half; ++i) {
    const float a = values[i], b = values[half + i];
    values[i] = a * cosines[i] - b * sines[i];
    values[half + i] = b * cosines[i] + a * sines[i];
  }
}

}  // namespace scalar_rows

const RowKernels& scalar_row_kernels() {
  static const RowKernels table = {
      "scalar",
      scalar_rows::layer_norm,
      scalar_rows::rms_norm,
      scalar_rows::softmax,
      scalar_rows::narrow_softmax,
      scalar_rows::activate,
      scalar_rows::gate,
      scalar_rows::scale,
      scalar_rows::add,
      scalar_rows::narrow,
      scalar_rows::interleave,
      scalar_rows::quantise,
      scalar_rows::quantise_pairs,
      scalar_rows::rotate,
  };
  return table;
}

}  // namespace cairn::kernels
