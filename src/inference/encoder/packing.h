// SPDX-License-Identifier: Apache-2.0
// The fastest arithmetic in which an encoder still says the same.
#pragma once

#include <vector>

#include "base/result.h"
#include "inference/encoder/encoder_parts.h"
#include "inference/encoder/packed_encoder.h"
#include "inference/model/model.h"
#include "os/deadline.h"

namespace cairn::inference {

/// Results count as the same from this cosine to those in fp32 on.
inline constexpr double least_cosine = 0.999;

/// An encoder and the least cosine of its results to those in fp32, of the texts that were tried.
struct ChosenEncoder {
  PackedEncoder encoder;
  double cosine = 1;
};

/// What is faster than fp32 with these kernels, what is preferred first: int8, int8 but for
/// attention, then bfloat16; on AMX bfloat16 first.
std::vector<LayerArithmetic> fast_arithmetics(const kernels::MatrixKernels& kernels);

/// Packs the weights in the arithmetic that `precision` names. `automatic` tries fast_arithmetics()
/// on a few made-up texts, and takes the first that keeps least_cosine; fp32 otherwise.
/// What this processor has no fast instruction for is not tried; `bfloat16` is fp32 then.
/// Takes time in proportion to the weights, for each arithmetic tried. Errors: as pack_encoder().
Result<ChosenEncoder> pack_for(Precision precision, const EncoderParts& parts, WeightFiles& files,
                               const os::Deadline& deadline);

}  // namespace cairn::inference
