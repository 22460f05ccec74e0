// SPDX-License-Identifier: Apache-2.0
// Blocks of quantised numbers, as GGUF files have them.
#pragma once

#include <cstddef>
#include <optional>

#include "inference/model/safetensors.h"
#include "kernels/blocks/block_product.h"

namespace cairn::inference {

/// Whether numbers of this type come in blocks: Q8_0, Q4_0, Q4_K, Q6_K.
bool is_block_type(NumberType type);
/// What kernels call that type.
std::optional<kernels::BlockType> block_type_of(NumberType type);

/// What stands together in a file, as numbers of its own. `bytes` holds as many as layout_of() of
/// the type says.
///
/// Q8_0: a half d, 32 bytes q.
/// Q4_0: a half d, 16 bytes with two numbers each, the lower ones first.
/// Q4_K: halves d and m, eight scales and eight offsets of 6 bits in 12 bytes, 128 bytes with two
/// numbers each.
/// Q6_K: 128 bytes with the lower four bits of two numbers each, 64 with the upper two of four
/// each, 16 scales of a byte, a half d.
void read_group(kernels::BlockType type, const char* bytes, kernels::BlockGroup& to);

/// 32 numbers as Q4_0 has them: the scale brings the greatest to -8, the others to the next number.
void round_to_q4_0(const float* numbers, kernels::BlockGroup& to);
/// A group as floats.
void write_floats(kernels::BlockType type, const kernels::BlockGroup& from, float* to);

/// `count` numbers of a block type as floats, by the formulas of kernels::BlockType. `count` is a
/// multiple of a block's numbers.
void read_blocks(NumberType type, const char* bytes, std::size_t count, float* out);

}  // namespace cairn::inference
