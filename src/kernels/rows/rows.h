// SPDX-License-Identifier: Apache-2.0
// What models do to one row of numbers: norms, softmax, rounding for products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/bf16.h"
#include "kernels/matrix/product.h"

namespace cairn::kernels {

/// One version of the arithmetic on rows. Pointers need no alignment. Counts are any number, unless
/// a function says otherwise; nothing behind a count is read or written.
struct RowKernels {
  std::string_view name;  // "scalar", "avx2", "avx512"

  /// out[i] = (in[i] - mean) / sqrt(variance + epsilon) * gain[i] + shift[i]; `shift` may be
  /// nullptr. The variance is that of differences from the mean. `out` may be `in`. [Ba et al.
  /// 2016]
  void (*layer_norm)(const float* in, std::size_t count, const float* gain, const float* shift,
                     float epsilon, float* out);
  /// out[i] = in[i] / sqrt(mean of squares + epsilon) * gain[i]. [Zhang and Sennrich 2019]
  void (*rms_norm)(const float* in, std::size_t count, const float* gain, float epsilon,
                   float* out);
  /// values[i] becomes exp(scale * values[i] - greatest of them). Returns 1 / their sum.
  float (*softmax)(float* values, std::size_t count, float scale);
  /// The same, rounded into `out`, with a relative error that is below that of bfloat16.
  float (*narrow_softmax)(const float* values, std::size_t count, float scale, Bf16* out);
  /// values[i] = activation(values[i]).
  void (*activate)(float* values, std::size_t count, Activation activation);
  /// values[i] = activation(values[i]) * by[i]: gated layers.
  void (*gate)(float* values, const float* by, std::size_t count, Activation activation);
  /// out[i] = factor * in[i]. `out` may be `in`.
  void (*scale)(const float* in, std::size_t count, float factor, float* out);
  /// out[i] += in[i].
  void (*add)(const float* in, std::size_t count, float* out);
  /// out[i] = in[i], rounded to the nearest, ties to even.
  void (*narrow)(const float* in, std::size_t count, Bf16* out);
  /// out[2 * i] = a[i], out[2 * i + 1] = b[i].
  void (*interleave)(const Bf16* a, const Bf16* b, std::size_t count, Bf16* out);
  /// out[i] = in[i] / scale + zero, rounded, 0..levels: the least and the greatest number (and 0)
  /// are at the ends. Returns the scale; `zero` is the byte that means 0.
  float (*quantise)(const float* in, std::size_t count, std::int32_t levels, std::uint8_t* out,
                    std::int32_t& zero);
  /// Numbers as pairs of bytes, twice as fine as one byte could be: in[i] is about
  /// scale * ((levels + 1) * (high[i] - (levels + 1) / 2) + low[i]). Returns the scale. `levels` is
  /// 255 or 127.
  float (*quantise_pairs)(const float* in, std::size_t count, std::int32_t levels,
                          std::uint8_t* high, std::uint8_t* low);
  /// Rotary positions of one head, half-split: (x[i], x[i + half]) turns by the angle whose cosine
  /// and sine are given, for i < half. [Su et al. 2021]
  void (*rotate)(float* values, std::size_t half, const float* cosines, const float* sines);
};

/// The version in use, chosen at the first call; CAIRN_ISA forces a lower one (os/cpu.h).
const RowKernels& row_kernels();
/// All versions that this processor runs, plainest (scalar) first. For tests and benchmarks.
const std::vector<const RowKernels*>& usable_row_kernels();

}  // namespace cairn::kernels
