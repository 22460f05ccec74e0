// SPDX-License-Identifier: Apache-2.0
// What encoders and decoders compute with.
#pragma once

namespace cairn::inference {

/// `automatic`: the fastest arithmetic of this processor in which a model's results still point where
/// those in fp32 do, found out when its weights are packed; bfloat16 counts as fastest on AMX.
/// Decoders then have int8 weights, which alone are rounded.
enum class Precision { automatic, float32, bfloat16, int8 };

}  // namespace cairn::inference
