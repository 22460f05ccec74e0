// SPDX-License-Identifier: Apache-2.0
// What encoders and decoders compute with.
#pragma once

namespace cairn::inference {

/// `automatic`: the fastest arithmetic of this processor in which a model's results still point where
/// those in fp32 do, found out when its weights are packed; bfloat16 counts as fastest on AMX.
/// Decoders then have int8 weights, which alone are rounded. `int4` is for decoders: weights of 4 bits
/// with a scale for each 32, but for the words' product, which stays int8; encoders take it for
/// `automatic`. Processors without AVX2 have int8 then.
enum class Precision { automatic, float32, bfloat16, int8, int4 };

}  // namespace cairn::inference
