// SPDX-License-Identifier: Apache-2.0
// Blocks of tensors into panels, row by row.
#include "inference/layers/block_linear.h"

#include <numeric>
#include <optional>

#include "inference/gguf/blocks.h"
#include "inference/layers/table.h"

namespace cairn::inference {
namespace {

std::string weight_of(const std::string& prefix, const LinearPart& part) {
  return prefix + std::string(part.name) + ".weight";
}

/// One output: its groups as they are, and its sum.
void set_block_column(BlockColumns& to, std::size_t column, const char* bytes, std::size_t depth,
                      std::size_t group_bytes) {
  const std::size_t groups = depth / kernels::layout_of(to.type).depth();
  kernels::BlockGroup group;
  for (std::size_t at = 0; at < groups; ++at) {
    read_group(to.type, bytes + at * group_bytes, group);
    kernels::pack_group(to.type, depth, group, column, at, to.panels.data());
  }
}

}  // namespace

std::size_t BlockLinear::size_bytes() const {
  std::size_t out = bias.size_bytes() + sum.size_bytes();
  for (const BlockColumns& part : parts) out += part.panels.size_bytes();
  return out;
}

bool are_blocks(const Tensors& tensors, const std::string& prefix,
                const std::vector<LinearPart>& parts) {
  for (const LinearPart& part : parts) {
    const Tensor* const tensor = tensors.find(weight_of(prefix, part));
    if (tensor == nullptr || !block_type_of(tensor->type)) return false;
  }
  return true;
}

Result<BlockLinear> read_block_linear(const Tensors& tensors, const std::string& prefix,
                                      const std::vector<LinearPart>& parts, std::size_t depth) {
  BlockLinear out;
  out.depth = depth;
  for (const LinearPart& part : parts) {  // before there is memory for what the config promised
    const std::string name = weight_of(prefix, part);
    if (auto there = tensors.get(name, {part.of_rows, depth}); !there.ok()) return there.error();
    out.columns += part.rows;
  }
  out.bias = kernels::Buffer<float>(whole_columns(out.columns));
  // A part that begins anywhere is computed by 16 too.
  out.sum = kernels::Buffer<float>(whole_columns(out.columns) + 16);
  std::size_t column = 0;
  std::vector<float> row(depth);
  for (const LinearPart& part : parts) {
    CAIRN_TRY(const Tensor* const tensor,
              tensors.get(weight_of(prefix, part), {part.of_rows, depth}));
    std::vector<float> bias(part.of_rows);
    const std::string bias_name = prefix + std::string(part.name) + ".bias";
    if (tensors.has(bias_name)) {
      CAIRN_TRY(bias, tensors.floats(bias_name, {part.of_rows}));
    }
    BlockColumns packed;
    packed.type = *block_type_of(tensor->type);
    packed.first = column;
    packed.count = part.rows;
    packed.panels =
        kernels::Buffer<std::byte>(kernels::block_panels_bytes(packed.type, depth, part.rows));
    const NumberLayout layout = layout_of(tensor->type);
    const Table weights(*tensor);
    for (std::size_t at = 0; at < part.rows; ++at, ++column) {
      const std::size_t from = part.first + at;
      weights.read(from, row.data());
      if (!are_finite(row)) return not_finite(*tensor);
      out.bias[column] = bias[from];
      out.sum[column] = static_cast<float>(std::accumulate(row.begin(), row.end(), 0.0));
      set_block_column(packed, at,
                       tensor->bytes.data() + from * depth / layout.numbers * layout.bytes, depth,
                       layout.bytes);
    }
    out.parts.push_back(std::move(packed));
  }
  return out;
}

}  // namespace cairn::inference
