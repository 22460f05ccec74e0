// SPDX-License-Identifier: Apache-2.0
// A linear layer whose weights stay in the blocks of their file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "inference/layers/parts.h"
#include "inference/layers/tensors.h"
#include "kernels/blocks/block_product.h"
#include "kernels/buffer.h"

namespace cairn::inference {

/// Outputs that follow each other and have blocks of one type.
struct BlockColumns {
  kernels::BlockType type = kernels::BlockType::q8_0;
  std::size_t first = 0;
  std::size_t count = 0;
  kernels::Buffer<std::byte> panels;
};

/// Weights of some outputs from `depth` inputs, with biases. Immutable once read.
struct BlockLinear {
  std::size_t depth = 0;
  std::size_t columns = 0;
  std::vector<BlockColumns> parts;
  kernels::Buffer<float> bias;
  kernels::Buffer<float> sum;  // of each output's weights

  bool empty() const { return columns == 0; }
  std::size_t size_bytes() const;
};

/// Whether the weights of all parts are there, in blocks that products are computed with.
bool are_blocks(const Tensors& tensors, const std::string& prefix,
                const std::vector<LinearPart>& parts);

/// Packs the parts' rows one after the other, bit for bit as they are. Errors: as of read_linear().
Result<BlockLinear> read_block_linear(const Tensors& tensors, const std::string& prefix,
                                      const std::vector<LinearPart>& parts, std::size_t depth);

/// Packs them rounded to 4 bits, with a scale for each 32 numbers of depth, which is a multiple of
/// that. Errors: as of read_linear().
Result<BlockLinear> read_rounded_linear(const Tensors& tensors, const std::string& prefix,
                                        const std::vector<LinearPart>& parts, std::size_t depth);

}  // namespace cairn::inference
