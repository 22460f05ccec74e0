// SPDX-License-Identifier: Apache-2.0
// The layers of a decoder, one after the other.
#include "inference/decoder/forward.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace cairn::inference {
namespace {

/// Rows of the wide layer that are computed before they are taken back: they stay in the cache.
constexpr std::size_t wide_decoder_rows = 48;
constexpr std::size_t no_row = SIZE_MAX;
constexpr std::string_view computing = "computing a layer";

Error bad_batch(const std::string& why) {
  return Error{.kind = ErrorKind::invalid_argument, .message = "a step of a decoder " + why};
}

kernels::PagedQueries<float> queries_of(float) { return {}; }
kernels::PagedQueries<kernels::Bf16> queries_of(kernels::Bf16) { return {}; }

}  // namespace

KvShape kv_shape_of(const DecoderWeights& weights) {
  return {.layers = weights.shape.layers,
          .kv_heads = weights.shape.kv_heads,
          .head_size = weights.shape.head_size,
          .narrow = weights.arithmetic != kernels::Arithmetic::float32};
}

DecoderForward::DecoderForward(const DecoderWeights& weights, KvPool& pool, Kernels with,
                               const kernels::PageKernels& page_kernels)
    : weights_(weights),
      pool_(pool),
      with_(with),
      page_kernels_(page_kernels),
      projection_(with),
      stride_(whole_columns(weights.shape.hidden)),
      joined_stride_(whole_columns(weights.shape.query_width() + 2 * weights.shape.kv_width())),
      query_stride_(whole_columns(weights.shape.query_width())) {}

Status DecoderForward::check(std::span<const StepInput> batch) const {
  if (batch.empty()) return bad_batch("has no sequence");
  std::size_t tokens = 0, words = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const StepInput& input = batch[i];
    if (input.sequence == nullptr || input.ids.empty()) return bad_batch("adds no token");
    tokens += input.ids.size();
    if (tokens > most_step_tokens) {
      return bad_batch("takes at most " + std::to_string(most_step_tokens) + " tokens");
    }
    if (input.sequence->tokens() + input.ids.size() > weights_.shape.most_tokens) {
      return bad_batch("would make a text longer than the model's [" +
                       std::to_string(weights_.shape.most_tokens) + "] tokens");
    }
    for (const std::uint32_t id : input.ids) {
      if (id >= weights_.shape.vocabulary) return bad_batch("has a token that is no word");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (batch[j].sequence == input.sequence) return bad_batch("has a sequence twice");
    }
    words += input.output == StepOutput::logits ? 1 : 0;
    if (words > most_step_logits) {
      return bad_batch("gives logits to at most " + std::to_string(most_step_logits) + " inputs");
    }
    if (input.output == StepOutput::logits && weights_.logits.empty()) {
      return bad_batch("asks for words of a model that was read without them");
    }
  }
  return ok_status();
}

Status DecoderForward::step(std::span<const StepInput> batch, const os::Deadline& deadline) {
  CAIRN_CHECK(check(batch));
  try {  // a larger step than all before needs larger buffers
    return compute(batch, deadline);
  } catch (const std::bad_alloc&) {
    return Error{.kind = ErrorKind::rate_limited,
                 .message = "there is not enough memory for a step of a decoder"};
  }
}

Status DecoderForward::compute(std::span<const StepInput> batch, const os::Deadline& deadline) {
  tokens_ = 0;
  for (const StepInput& input : batch) {
    CAIRN_CHECK(input.sequence->reserve(pool_, input.ids.size()));
    tokens_ += input.ids.size();
  }
  embed(batch);
  make_turns(batch);
  for (std::size_t index = 0; index < weights_.layers.size(); ++index) {
    CAIRN_CHECK(deadline.check(computing));
    CAIRN_CHECK(attend(weights_.layers[index], index, batch, deadline));
    CAIRN_CHECK(feed(weights_.layers[index], deadline));
  }
  CAIRN_CHECK(deadline.check(computing));
  finish(batch);
  for (const StepInput& input : batch) input.sequence->advance(input.ids.size());
  return ok_status();
}

const float* DecoderForward::state(std::size_t index) const {
  return states_.data() + state_rows_[index] * stride_;
}

const float* DecoderForward::logits(std::size_t index) const {
  return logits_.data() + logit_rows_[index] * whole_columns(weights_.shape.vocabulary);
}

void DecoderForward::normalise(const Norm& norm, const float* from, float* to,
                               std::size_t rows) const {
  for (std::size_t row = 0; row < rows; ++row) {
    with_.rows->rms_norm(from + row * stride_, weights_.shape.hidden, norm.gain.data(),
                         weights_.shape.epsilon, to + row * stride_);
  }
}

void DecoderForward::embed(std::span<const StepInput> batch) {
  hidden_.grow(tokens_ * stride_);
  normal_.grow(tokens_ * stride_);
  float* row = hidden_.data();
  for (const StepInput& input : batch) {
    for (const std::uint32_t id : input.ids) {
      weights_.words.read(id, row);
      row += stride_;
    }
  }
}

void DecoderForward::make_turns(std::span<const StepInput> batch) {
  const Rotary& rotary = weights_.rotary;
  const std::size_t half = rotary.frequencies.size();
  cosines_.grow(tokens_ * half);
  sines_.grow(tokens_ * half);
  std::size_t at = 0;
  for (const StepInput& input : batch) {
    for (std::size_t i = 0; i < input.ids.size(); ++i) {
      const auto position = static_cast<double>(input.sequence->tokens() + i);
      for (const double frequency : rotary.frequencies) {
        cosines_[at] = static_cast<float>(std::cos(position * frequency) * rotary.factor);
        sines_[at] = static_cast<float>(std::sin(position * frequency) * rotary.factor);
        ++at;
      }
    }
  }
}

/// Heads are normed where the family does that, then turned.
void DecoderForward::turn(const DecoderLayer& layer) {
  const DecoderShape& shape = weights_.shape;
  const std::size_t half = shape.head_size / 2;
  for (std::size_t token = 0; token < tokens_; ++token) {
    for (std::size_t head = 0; head < shape.heads + shape.kv_heads; ++head) {
      float* const numbers = joined_.data() + token * joined_stride_ + head * shape.head_size;
      const Norm& norm = head < shape.heads ? layer.query_norm : layer.key_norm;
      if (!norm.empty()) {
        with_.rows->rms_norm(numbers, shape.head_size, norm.gain.data(), shape.epsilon, numbers);
      }
      with_.rows->rotate(numbers, half, cosines_.data() + token * half,
                         sines_.data() + token * half);
    }
  }
}

template <class Number>
void DecoderForward::store(std::size_t layer, std::span<const StepInput> batch) {
  const DecoderShape& shape = weights_.shape;
  const float* row = joined_.data();
  for (const StepInput& input : batch) {
    for (std::size_t i = 0; i < input.ids.size(); ++i, row += joined_stride_) {
      const std::size_t position = input.sequence->tokens() + i;
      KvPage& page = *input.sequence->pages()[position / kernels::page_tokens];
      for (std::size_t head = 0; head < shape.kv_heads; ++head) {
        const float* const key = row + shape.query_width() + head * shape.head_size;
        kernels::put_in_page(key, key + shape.kv_width(), shape.head_size,
                             position % kernels::page_tokens,
                             page.template head<Number>(layer, head));
      }
    }
  }
}

template <class Number>
Status DecoderForward::attend_pages(std::size_t layer, std::span<const StepInput> batch,
                                    const os::Deadline& deadline) {
  const DecoderShape& shape = weights_.shape;
  auto queries = queries_of(Number{});
  queries.query_stride = joined_stride_;
  queries.out_stride = query_stride_;
  queries.group = shape.heads / shape.kv_heads;
  queries.head_size = shape.head_size;
  queries.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.head_size)));
  std::vector<const Number*> pages;
  std::size_t token = 0;
  for (const StepInput& input : batch) {
    queries.tokens = input.ids.size();
    queries.first_position = input.sequence->tokens();
    for (std::size_t head = 0; head < shape.kv_heads; ++head) {
      CAIRN_CHECK(deadline.check(computing));
      pages.clear();
      for (const auto& page : input.sequence->pages()) {
        pages.push_back(page->template head<Number>(layer, head));
      }
      queries.pages = pages.data();
      const std::size_t first = head * queries.group * shape.head_size;
      queries.queries = joined_.data() + token * joined_stride_ + first;
      queries.out = attended_.data() + token * query_stride_ + first;
      if constexpr (std::is_same_v<Number, float>) {
        page_kernels_.attend_f32(queries);
      } else {
        page_kernels_.attend_bf16(queries);
      }
    }
    token += input.ids.size();
  }
  return ok_status();
}

Status DecoderForward::attend(const DecoderLayer& layer, std::size_t index,
                              std::span<const StepInput> batch, const os::Deadline& deadline) {
  normalise(layer.attention_norm, hidden_.data(), normal_.data(), tokens_);
  joined_.grow(tokens_ * joined_stride_);
  attended_.grow(tokens_ * query_stride_);
  projection_.put(layer.joined, {normal_.data(), stride_, tokens_}, joined_.data(), joined_stride_);
  turn(layer);
  if (pool_.shape().narrow) {
    store<kernels::Bf16>(index, batch);
    CAIRN_CHECK(attend_pages<kernels::Bf16>(index, batch, deadline));
  } else {
    store<float>(index, batch);
    CAIRN_CHECK(attend_pages<float>(index, batch, deadline));
  }
  projection_.add(layer.attended, {attended_.data(), query_stride_, tokens_}, hidden_.data(),
                  stride_);
  return ok_status();
}

Status DecoderForward::feed(const DecoderLayer& layer, const os::Deadline& deadline) {
  normalise(layer.feed_norm, hidden_.data(), normal_.data(), tokens_);
  const std::size_t wide = weights_.shape.intermediate;
  const std::size_t wide_stride = whole_columns(layer.up.columns());
  wide_.grow(std::min(tokens_, wide_decoder_rows) * wide_stride);
  for (std::size_t first = 0; first < tokens_; first += wide_decoder_rows) {
    CAIRN_CHECK(deadline.check(computing));
    const std::size_t count = std::min(wide_decoder_rows, tokens_ - first);
    projection_.put(layer.up, {normal_.data() + first * stride_, stride_, count}, wide_.data(),
                    wide_stride);
    for (std::size_t row = 0; row < count; ++row) {
      float* const values = wide_.data() + row * wide_stride;
      with_.rows->gate(values, values + wide, wide, kernels::Activation::silu);
    }
    projection_.add(layer.down, {wide_.data(), wide_stride, count},
                    hidden_.data() + first * stride_, stride_);
  }
  return ok_status();
}

/// Only the last tokens of those that ask go on to the last norm and the words.
void DecoderForward::finish(std::span<const StepInput> batch) {
  state_rows_.assign(batch.size(), no_row);
  logit_rows_.assign(batch.size(), no_row);
  states_.grow(batch.size() * stride_);
  std::size_t states = 0, words = 0;
  // Those that ask for words come first, so that one product serves them all.
  for (const StepOutput wanted : {StepOutput::logits, StepOutput::state}) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      end += batch[i].ids.size();
      if (batch[i].output != wanted) continue;
      if (wanted == StepOutput::logits) logit_rows_[i] = words++;
      state_rows_[i] = states;
      normalise(weights_.final_norm, hidden_.data() + (end - 1) * stride_,
                states_.data() + states * stride_, 1);
      ++states;
    }
  }
  if (words == 0) return;
  const std::size_t logit_stride = whole_columns(weights_.shape.vocabulary);
  logits_.grow(words * logit_stride);
  projection_.put(weights_.logits, {states_.data(), stride_, words}, logits_.data(), logit_stride);
}

}  // namespace cairn::inference
