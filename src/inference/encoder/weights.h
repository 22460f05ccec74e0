// SPDX-License-Identifier: Apache-2.0
// The weights of an encoder, packed from its tensors.
#pragma once

#include "base/result.h"
#include "inference/encoder/config.h"
#include "inference/encoder/layer.h"
#include "inference/layers/tensors.h"
#include "os/deadline.h"

namespace cairn::inference {

/// Finds the tensors by the names of their family and packs them for the arithmetic. Tables keep
/// pointing into the bytes of `tensors`, which sets its prefix to that of the family's files.
/// Computes for a time in proportion to the weights; looks at the deadline after each layer.
/// Errors: invalid_argument, naming the tensor; timeout, cancelled.
Result<EncoderWeights> read_encoder_weights(const EncoderConfig& config, Tensors& tensors,
                                            const LayerArithmetic& arithmetic,
                                            const os::Deadline& deadline);

}  // namespace cairn::inference
