// SPDX-License-Identifier: Apache-2.0
// A linear layer of a decoder: in the arithmetic that the model was read for, or in the blocks of
// its file.
#pragma once

#include <cstddef>
#include <utility>

#include "inference/layers/block_linear.h"
#include "inference/layers/linear.h"

namespace cairn::inference {

/// One of the two is empty, or both are.
struct DecoderLinear {
  DecoderLinear() = default;
  DecoderLinear(Linear given) : plain(std::move(given)) {}        // NOLINT: either is one
  DecoderLinear(BlockLinear given) : blocks(std::move(given)) {}  // NOLINT

  std::size_t depth() const { return blocks.empty() ? plain.depth() : blocks.depth; }
  std::size_t columns() const { return blocks.empty() ? plain.columns() : blocks.columns; }
  bool empty() const { return plain.empty() && blocks.empty(); }
  std::size_t size_bytes() const { return plain.size_bytes() + blocks.size_bytes(); }

  Linear plain;
  BlockLinear blocks;
};

}  // namespace cairn::inference
