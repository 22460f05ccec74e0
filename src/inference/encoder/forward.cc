// SPDX-License-Identifier: Apache-2.0
// The layers of an encoder, one after the other.
#include "inference/encoder/forward.h"

#include <algorithm>
#include <cmath>

#include "inference/encoder/relative.h"

namespace cairn::inference {
namespace {

/// Rows of the wide layer that are computed before they are taken back: they stay in the cache.
constexpr std::size_t wide_rows = 96;

kernels::Arithmetic attention_arithmetic(const EncoderWeights& weights, const Kernels& with) {
  const bool narrow = weights.arithmetic != kernels::Arithmetic::float32;
  return narrow && with.matrix->bfloat16 != nullptr ? kernels::Arithmetic::bfloat16
                                                    : kernels::Arithmetic::float32;
}

}  // namespace

Forward::Forward(const EncoderWeights& weights, Kernels with)
    : weights_(weights),
      with_(with),
      attention_arithmetic_(attention_arithmetic(weights, with)),
      stride_(whole_columns(weights.shape.hidden)) {}

Result<const float*> Forward::run(const TokenBatch& batch, const os::Deadline& deadline) {
  CAIRN_CHECK(check(batch));
  embed(batch);
  const std::size_t tokens = batch.ids.size();
  for (std::size_t index = 0; index < weights_.layers.size(); ++index) {
    const EncoderLayer& layer = weights_.layers[index];
    attend(layer, index, batch);
    CAIRN_CHECK(deadline.check("computing a layer"));
    feed(layer, tokens);
    CAIRN_CHECK(deadline.check("computing a layer"));
  }
  normalise(weights_.final_norm, hidden_.data(), hidden_.data(), tokens);
  return static_cast<const float*>(hidden_.data());
}

/// Whoever makes tokens has checked them; a mistake there must not read what is not there.
Status Forward::check(const TokenBatch& batch) const {
  bool fits = true;
  for (const std::uint32_t id : batch.ids) fits = fits && id < weights_.words.rows();
  const std::size_t places = weights_.positions.rows();
  for (std::size_t s = 0; s < batch.sequences(); ++s) {
    const std::size_t tokens = batch.end_of(s) - batch.begin_of(s);
    fits = fits && tokens > 0 &&
           (places == 0 || tokens + weights_.shape.first_position <= places);
  }
  if (fits) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "a text has tokens that the model's tables do not have"};
}

void Forward::embed(const TokenBatch& batch) {
  const std::size_t width = weights_.shape.hidden;
  hidden_.grow(batch.ids.size() * stride_);
  kernels::Buffer<float> other(width);
  for (std::size_t s = 0; s < batch.sequences(); ++s) {
    for (std::size_t token = batch.begin_of(s); token < batch.end_of(s); ++token) {
      float* const row = hidden_.data() + token * stride_;
      weights_.words.read(batch.ids[token], row);
      if (!weights_.positions.empty()) {
        weights_.positions.read(token - batch.begin_of(s) + weights_.shape.first_position,
                                other.data());
        with_.rows->add(other.data(), width, row);
      }
      if (!weights_.types.empty()) {
        weights_.types.read(std::min<std::size_t>(batch.types[token], weights_.types.rows() - 1),
                             other.data());
        with_.rows->add(other.data(), width, row);
      }
      std::fill(row + width, row + stride_, 0.0F);
    }
  }
  normalise(weights_.embedding_norm, hidden_.data(), hidden_.data(), batch.ids.size());
}

void Forward::normalise(const Norm& norm, const float* from, float* to, std::size_t tokens) {
  const std::size_t width = weights_.shape.hidden;
  if (norm.empty()) {
    if (from != to) std::copy(from, from + tokens * stride_, to);
    return;
  }
  for (std::size_t token = 0; token < tokens; ++token) {
    with_.rows->layer_norm(from + token * stride_, width, norm.gain.data(), norm.shift.data(),
                           weights_.shape.epsilon, to + token * stride_);
  }
}

void Forward::apply(const Linear& linear, std::size_t first, std::size_t count,
                    kernels::Finish finish) {
  kernels::Product product = linear.product();
  ready_.set(product, first, count);
  finish.bias = product.finish.bias;
  finish.out_stride = finish.narrow_stride = whole_columns(linear.columns());
  product.finish = finish;
  kernels::multiply(*with_.matrix, linear.arithmetic(), product);
}

void Forward::attend(const EncoderLayer& layer, std::size_t index, const TokenBatch& batch) {
  const EncoderShape& shape = weights_.shape;
  const std::size_t tokens = batch.ids.size();
  const float* from = hidden_.data();
  if (shape.norm_first) {
    normal_.grow(tokens * stride_);
    normalise(layer.attention_norm, hidden_.data(), normal_.data(), tokens);
    from = normal_.data();
  }
  ready_.make(with_, layer.joined.arithmetic(), from, stride_, tokens, shape.hidden);
  join(layer, index, batch);

  const std::size_t width = shape.heads * shape.head_size;
  const std::size_t out_stride = whole_columns(width);
  attended_.grow(tokens * out_stride);
  for (std::size_t s = 0; s < batch.sequences(); ++s) {
    AttentionInput in;
    in.stride = joined_stride_;
    in.joined = static_cast<const std::byte*>(joined_rows_) + batch.begin_of(s) * in.stride;
    in.tokens = batch.end_of(s) - batch.begin_of(s);
    in.heads = shape.heads;
    in.head_size = shape.head_size;
    in.window = shape.sees_all(index) ? in.tokens : shape.window;
    if (shape.positions == Positions::relative) {
      in.distance_bias = distance_bias_for(in.tokens);
      in.bias_stride = 2 * in.tokens - 1;
    }
    attention_.run(with_, attention_arithmetic_, in,
                   attended_.data() + batch.begin_of(s) * out_stride, out_stride);
  }
  ready_.make(with_, layer.attended.arithmetic(), attended_.data(), out_stride, tokens, width);
  kernels::Finish added;
  added.residual = hidden_.data();
  added.residual_stride = stride_;
  added.out = hidden_.data();
  apply(layer.attended, 0, tokens, added);
  if (!shape.norm_first) normalise(layer.attention_norm, hidden_.data(), hidden_.data(), tokens);
}

void Forward::feed(const EncoderLayer& layer, std::size_t tokens) {
  const EncoderShape& shape = weights_.shape;
  const float* from = hidden_.data();
  if (shape.norm_first) {
    normal_.grow(tokens * stride_);
    normalise(layer.output_norm, hidden_.data(), normal_.data(), tokens);
    from = normal_.data();
  }
  ready_.make(with_, layer.up.arithmetic(), from, stride_, tokens, shape.hidden);
  const std::size_t wide_stride = whole_columns(layer.up.columns());
  wide_.grow(std::min(tokens, wide_rows) * wide_stride);
  for (std::size_t first = 0; first < tokens; first += wide_rows) {
    const std::size_t count = std::min(wide_rows, tokens - first);
    kernels::Finish wide;
    wide.activation = shape.gated ? kernels::Activation::none : shape.activation;
    wide.out = wide_.data();
    apply(layer.up, first, count, wide);
    for (std::size_t row = 0; shape.gated && row < count; ++row) {
      float* const values = wide_.data() + row * wide_stride;
      with_.rows->gate(values, values + shape.intermediate, shape.intermediate, shape.activation);
    }
    wide_ready_.make(with_, layer.down.arithmetic(), wide_.data(), wide_stride, count,
                     shape.intermediate);
    kernels::Product product = layer.down.product();
    wide_ready_.set(product, 0, count);
    product.finish.residual = hidden_.data() + first * stride_;
    product.finish.residual_stride = stride_;
    product.finish.out = hidden_.data() + first * stride_;
    product.finish.out_stride = stride_;
    kernels::multiply(*with_.matrix, layer.down.arithmetic(), product);
  }
  if (!shape.norm_first) normalise(layer.output_norm, hidden_.data(), hidden_.data(), tokens);
}

void Forward::join(const EncoderLayer& layer, std::size_t index, const TokenBatch& batch) {
  const std::size_t tokens = batch.ids.size();
  const std::size_t stride = whole_columns(layer.joined.columns());
  const bool narrow = attention_arithmetic_ == kernels::Arithmetic::bfloat16;
  const bool turned = weights_.shape.positions == Positions::rotary;
  kernels::Finish finish;
  if (narrow) narrow_joined_.grow(tokens * stride);
  if (narrow && !turned) {
    finish.narrow = narrow_joined_.data();
  } else {
    joined_.grow(tokens * stride);
    finish.out = joined_.data();
  }
  apply(layer.joined, 0, tokens, finish);
  if (turned) {
    turn(batch, index);
    if (narrow) with_.rows->narrow(joined_.data(), tokens * stride, narrow_joined_.data());
  }
  joined_rows_ = narrow ? static_cast<const void*>(narrow_joined_.data()) : joined_.data();
  joined_stride_ = stride * (narrow ? sizeof(kernels::Bf16) : sizeof(float));
}

const Forward::Turns& Forward::turns_for(float base, std::size_t positions) {
  Turns& turns = turns_[turns_[0].base == base || turns_[0].base == 0 ? 0 : 1];
  if (turns.base == base && turns.positions >= positions) return turns;
  const std::size_t half = weights_.shape.head_size / 2;
  turns.base = base;
  turns.positions = positions;
  turns.cosines.grow(positions * half);
  turns.sines.grow(positions * half);
  for (std::size_t position = 0; position < positions; ++position) {
    for (std::size_t i = 0; i < half; ++i) {
      const double exponent = static_cast<double>(i) / static_cast<double>(half);
      const double frequency = std::pow(static_cast<double>(base), -exponent) /
                               static_cast<double>(weights_.shape.rotary_divisor);
      const double angle = static_cast<double>(position) * frequency;
      turns.cosines[position * half + i] = static_cast<float>(std::cos(angle));
      turns.sines[position * half + i] = static_cast<float>(std::sin(angle));
    }
  }
  return turns;
}

void Forward::turn(const TokenBatch& batch, std::size_t index) {
  const EncoderShape& shape = weights_.shape;
  const float base = shape.sees_all(index) ? shape.rotary_base : shape.window_rotary_base;
  const std::size_t half = shape.head_size / 2;
  const std::size_t row_stride = whole_columns(3 * shape.heads * shape.head_size);
  std::size_t longest = 0;
  for (std::size_t s = 0; s < batch.sequences(); ++s) {
    longest = std::max(longest, batch.end_of(s) - batch.begin_of(s));
  }
  const Turns& turns = turns_for(base, longest);
  for (std::size_t s = 0; s < batch.sequences(); ++s) {
    for (std::size_t token = batch.begin_of(s); token < batch.end_of(s); ++token) {
      const std::size_t position = (token - batch.begin_of(s)) * half;
      float* const row = joined_.data() + token * row_stride;
      for (std::size_t head = 0; head < 2 * shape.heads; ++head) {  // of queries, then of keys
        with_.rows->rotate(row + head * shape.head_size, half, turns.cosines.data() + position,
                           turns.sines.data() + position);
      }
    }
  }
}

const float* Forward::distance_bias_for(std::size_t tokens) {
  if (distance_tokens_ == tokens) return distance_bias_.data();
  distance_tokens_ = tokens;
  const std::size_t distances = 2 * tokens - 1;
  distance_bias_.grow(weights_.shape.heads * distances);
  for (std::size_t head = 0; head < weights_.shape.heads; ++head) {
    for (std::size_t i = 0; i < distances; ++i) {
      const auto distance = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(tokens - 1);
      const std::size_t bucket = relative_bucket(distance, weights_.relative_buckets);
      distance_bias_[head * distances + i] =
          weights_.relative_bias[head * weights_.relative_buckets + bucket];
    }
  }
  return distance_bias_.data();
}

}  // namespace cairn::inference
