// SPDX-License-Identifier: Apache-2.0
// Scores, softmax and weighted sums of one head at a time.
#include "inference/encoder/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/matrix/panels.h"

namespace cairn::inference {
namespace {

/// Rows whose scores are computed together: whole blocks of a product, few enough for the cache.
constexpr std::size_t block_rows = 24;
constexpr std::size_t panel_step_bytes = kernels::panel_columns * kernels::step_bytes;

}  // namespace

struct Attention::Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

/// Tokens that the rows of scores and the depth of values have room for.
std::size_t Attention::padded(std::size_t tokens) const {
  return kernels::panel_steps(arithmetic_, tokens) * kernels::step_depth(arithmetic_);
}

std::size_t Attention::number_bytes() const {
  return kernels::step_bytes / kernels::step_depth(arithmetic_);
}

void Attention::run(const Kernels& with, kernels::Arithmetic arithmetic, const AttentionInput& in,
                    float* out, std::size_t out_stride) {
  with_ = with;
  arithmetic_ = arithmetic;
  keys_.grow(kernels::panels_bytes(arithmetic, in.head_size, in.tokens));
  values_.grow(kernels::panels_bytes(arithmetic, in.tokens, in.head_size));
  scores_.grow(block_rows * padded(in.tokens));
  if (arithmetic == kernels::Arithmetic::bfloat16) weights_.grow(block_rows * padded(in.tokens));
  sums_.grow(block_rows * whole_columns(in.head_size));
  factors_.grow(block_rows);
  for (std::size_t head = 0; head < in.heads; ++head) run_head(in, head, out, out_stride);
}

void Attention::run_head(const AttentionInput& in, std::size_t head, float* out,
                         std::size_t out_stride) {
  const std::size_t head_bytes = in.head_size * number_bytes();
  const auto* const queries = static_cast<const std::byte*>(in.joined) + head * head_bytes;
  const std::byte* const keys = queries + in.heads * head_bytes;
  queries_ = whole_steps(in, queries, query_copy_);
  const HeadRows ready_keys = whole_steps(in, keys, key_copy_);
  kernels::pack_ready_columns(ready_keys.rows, ready_keys.stride, in.tokens,
                              kernels::panel_steps(arithmetic_, in.head_size), keys_.data());
  pack_values(in, keys + in.heads * head_bytes);
  for (std::size_t row = 0; row < in.tokens; row += block_rows) {
    run_block(in, head, {row, std::min(row + block_rows, in.tokens)}, out + head * in.head_size,
              out_stride);
  }
}

Attention::HeadRows Attention::whole_steps(const AttentionInput& in, const std::byte* rows,
                                           kernels::Buffer<std::byte>& copy) const {
  const std::size_t used = in.head_size * number_bytes();
  const std::size_t whole = kernels::panel_steps(arithmetic_, in.head_size) * kernels::step_bytes;
  if (used == whole) return {rows, in.stride};
  copy.grow(in.tokens * whole);
  for (std::size_t token = 0; token < in.tokens; ++token) {
    std::memcpy(copy.data() + token * whole, rows + token * in.stride, used);
    std::memset(copy.data() + token * whole + used, 0, whole - used);
  }
  return {copy.data(), whole};
}

/// The tokens' values become the depth of panels; zeros stand behind the last token.
void Attention::pack_values(const AttentionInput& in, const std::byte* values) {
  const std::size_t steps = kernels::panel_steps(arithmetic_, in.tokens);
  const std::size_t per_step = kernels::step_depth(arithmetic_);
  static constexpr std::byte none[kernels::panel_columns * sizeof(float)] = {};
  std::byte* to = values_.data();
  for (std::size_t column = 0; column < in.head_size; column += kernels::panel_columns) {
    const std::size_t count = std::min(kernels::panel_columns, in.head_size - column);
    for (std::size_t step = 0; step < steps; ++step, to += panel_step_bytes) {
      const auto row = [&](std::size_t at) {
        return at < in.tokens ? values + at * in.stride + column * number_bytes() : none;
      };
      if (arithmetic_ == kernels::Arithmetic::float32) {
        std::memcpy(to, row(step), count * sizeof(float));
      } else {
        const std::size_t token = step * per_step;
        with_.rows->interleave(reinterpret_cast<const kernels::Bf16*>(row(token)),
                               reinterpret_cast<const kernels::Bf16*>(row(token + 1)), count,
                               reinterpret_cast<kernels::Bf16*>(to));
      }
    }
  }
}

void Attention::run_block(const AttentionInput& in, std::size_t head, const Span& rows, float* out,
                          std::size_t out_stride) {
  // What any row sees, from the beginning of a panel on.
  Span seen = {rows.begin > in.window ? rows.begin - in.window : 0,
               std::min(in.tokens, rows.end + in.window)};
  seen.begin = seen.begin / kernels::panel_columns * kernels::panel_columns;

  kernels::Product product;
  product.rows = queries_.rows + rows.begin * queries_.stride;
  product.row_stride = queries_.stride;
  product.row_count = rows.size();
  product.steps = kernels::panel_steps(arithmetic_, in.head_size);
  product.panels = keys_.data() + seen.begin * product.steps * kernels::step_bytes;
  product.columns = seen.size();
  product.finish.out = scores_.data();
  const std::size_t stride = padded(seen.size());
  product.finish.out_stride = stride;
  kernels::multiply(*with_.matrix, arithmetic_, product);

  weigh(in, head, rows, seen);

  product = {};
  const bool narrow = arithmetic_ == kernels::Arithmetic::bfloat16;
  product.rows = narrow ? static_cast<const void*>(weights_.data()) : scores_.data();
  product.row_stride = stride * (narrow ? sizeof(kernels::Bf16) : sizeof(float));
  product.row_count = rows.size();
  product.steps = kernels::panel_steps(arithmetic_, seen.size());
  product.stored_steps = kernels::panel_steps(arithmetic_, in.tokens);
  product.panels =
      values_.data() + seen.begin / kernels::step_depth(arithmetic_) * panel_step_bytes;
  product.columns = in.head_size;
  product.finish.out = sums_.data();
  product.finish.out_stride = whole_columns(in.head_size);
  kernels::multiply(*with_.matrix, arithmetic_, product);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    with_.rows->scale(sums_.data() + row * whole_columns(in.head_size), in.head_size,
                      factors_[row], out + (rows.begin + row) * out_stride);
  }
}

/// Scores become weights that `factors_` brings to a sum of 1; zeros stand where a row sees nothing.
void Attention::weigh(const AttentionInput& in, std::size_t head, const Span& rows,
                      const Span& seen) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(in.head_size));
  const std::size_t stride = padded(seen.size());
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    float* const scores = scores_.data() + (row - rows.begin) * stride;
    const std::size_t first = row > in.window ? row - in.window : 0;
    const std::size_t from = std::max(first, seen.begin) - seen.begin;
    const std::size_t to = std::min(in.tokens, row + in.window + 1) - seen.begin;
    float used_scale = scale;
    if (in.distance_bias != nullptr) {
      const float* const bias =
          in.distance_bias + head * in.bias_stride + (seen.begin + in.tokens - 1 - row);
      with_.rows->scale(scores + from, to - from, scale, scores + from);
      with_.rows->add(bias + from, to - from, scores + from);
      used_scale = 1;
    }
    float& factor = factors_[row - rows.begin];
    if (arithmetic_ == kernels::Arithmetic::float32) {
      factor = with_.rows->softmax(scores + from, to - from, used_scale);
      std::fill(scores, scores + from, 0.0F);
      std::fill(scores + to, scores + stride, 0.0F);
    } else {
      kernels::Bf16* const weights = weights_.data() + (row - rows.begin) * stride;
      factor = with_.rows->narrow_softmax(scores + from, to - from, used_scale, weights + from);
      std::fill(weights, weights + from, kernels::Bf16{0});
      std::fill(weights + to, weights + stride, kernels::Bf16{0});
    }
  }
}

}  // namespace cairn::inference
