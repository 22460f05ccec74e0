// SPDX-License-Identifier: Apache-2.0
// Blocks of quantised numbers, as GGUF files have them.
#pragma once

#include <cstddef>

#include "inference/model/safetensors.h"

namespace cairn::inference {

/// Whether numbers of this type come in blocks: Q8_0, Q4_0, Q4_K, Q6_K.
bool is_block_type(NumberType type);

/// `count` numbers of a block type as floats. `count` is a multiple of a block's numbers. Slow and
/// clear: the definition that faster code is compared with.
///
/// Q8_0: a half d, 32 bytes q; d * q.
/// Q4_0: a half d, 16 bytes with two numbers each, the lower ones first; d * (q - 8).
/// Q4_K: halves d and m, eight scales s and eight offsets o of 6 bits in 12 bytes, 128 bytes with
/// two numbers each; in the part i of 32 numbers d * s[i] * q - m * o[i].
/// Q6_K: 128 bytes with the lower four bits of two numbers each, 64 with the upper two of four
/// each, 16 scales of a byte, a half d; in the part i of 16 numbers d * s[i] * (q - 32).
void read_blocks(NumberType type, const char* bytes, std::size_t count, float* out);

}  // namespace cairn::inference
