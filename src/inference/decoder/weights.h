// SPDX-License-Identifier: Apache-2.0
// The weights of a decoder, packed from its tensors.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "inference/decoder/config.h"
#include "inference/decoder/decoder_linear.h"
#include "inference/layers/norm.h"
#include "inference/layers/table.h"
#include "inference/layers/tensors.h"
#include "os/deadline.h"

namespace cairn::inference {

/// The weights of one layer. `joined` gives the queries of all heads, then keys, then values; `up`
/// gives the activated half and then the other.
struct DecoderLayer {
  Norm attention_norm;
  DecoderLinear joined;
  Norm query_norm;  // of one head; empty where the family has none
  Norm key_norm;
  DecoderLinear attended;
  Norm feed_norm;
  DecoderLinear up;
  DecoderLinear down;
};

/// All weights. Immutable once read, shared by all threads that compute with them.
struct DecoderWeights {
  DecoderShape shape;
  Rotary rotary;
  kernels::Arithmetic arithmetic = kernels::Arithmetic::float32;
  kernels::Buffer<std::byte> word_bytes;  // where `words` lies
  Table words;
  std::vector<DecoderLayer> layers;
  Norm final_norm;
  DecoderLinear logits;  // empty where nothing asks for the next token

  std::size_t size_bytes() const;
};

/// What a decoder's weights become.
struct WeightForm {
  WeightForm(kernels::Arithmetic of) : arithmetic(of) {}  // NOLINT: most have no more to say
  WeightForm(kernels::Arithmetic of, bool four) : arithmetic(of), four_bits(four) {}

  kernels::Arithmetic arithmetic;
  bool four_bits = false;  // with int8: but for the last product, where the depth has whole blocks
};

/// Whether the last product, which tells the next token, is read too.
enum class DecoderOutput { states, logits };

/// Finds the tensors by their names, with "model." before them or without, and packs them in that
/// form: int8 has a scale for each output, or, where a file has its weights in blocks, stays
/// as it is there. Copies the table of words; `tensors`, whose prefix is set, may go afterwards.
/// Shapes are compared before memory is taken. Computes for a time in proportion to the weights;
/// looks at the deadline after each layer. Errors: invalid_argument, naming the tensor; timeout,
/// cancelled.
Result<DecoderWeights> read_decoder_weights(const DecoderConfig& config, Tensors& tensors,
                                            WeightForm form, DecoderOutput output,
                                            const os::Deadline& deadline);

}  // namespace cairn::inference
