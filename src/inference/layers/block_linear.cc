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

/// One output: its groups as they are.
void set_block_column(BlockColumns& to, std::size_t column, const char* bytes, std::size_t depth,
                      std::size_t group_bytes) {
  const std::size_t groups = depth / kernels::layout_of(to.type).depth();
  kernels::BlockGroup group;
  for (std::size_t at = 0; at < groups; ++at) {
    read_group(to.type, bytes + at * group_bytes, group);
    kernels::pack_group(to.type, depth, group, column, at, to.panels.data());
  }
}

/// One output in 4 bits; `row` becomes what they stand for.
void set_rounded_column(BlockColumns& to, std::size_t column, std::vector<float>& row) {
  kernels::BlockGroup group;
  for (std::size_t at = 0; at < row.size() / kernels::block_part; ++at) {
    float* const numbers = row.data() + at * kernels::block_part;
    round_to_q4_0(numbers, group);
    write_floats(to.type, group, numbers);
    kernels::pack_group(to.type, row.size(), group, column, at, to.panels.data());
  }
}

/// Reads parts one after the other, rounded or as they are.
class BlockReader {
 public:
  BlockReader(const Tensors& tensors, const std::string& prefix, std::size_t depth, bool rounds)
      : tensors_(tensors), prefix_(prefix), depth_(depth), rounds_(rounds), row_(depth) {}

  Result<BlockLinear> read(const std::vector<LinearPart>& parts) {
    out_.depth = depth_;
    for (const LinearPart& part : parts) {  // before there is memory for what the config promised
      if (auto there = weights_of(part); !there.ok()) return there.error();
      out_.columns += part.rows;
    }
    out_.bias = kernels::Buffer<float>(whole_columns(out_.columns));
    // A part that begins anywhere is computed by 16 too.
    out_.sum = kernels::Buffer<float>(whole_columns(out_.columns) + 16);
    std::size_t first = 0;
    for (const LinearPart& part : parts) {
      CAIRN_CHECK(read_part(part, first));
      first += part.rows;
    }
    return std::move(out_);
  }

 private:
  Result<const Tensor*> weights_of(const LinearPart& part) const {
    return tensors_.get(weight_of(prefix_, part), {part.of_rows, depth_});
  }

  Status read_part(const LinearPart& part, std::size_t first) {
    CAIRN_TRY(const Tensor* const tensor, weights_of(part));
    std::vector<float> bias(part.of_rows);
    const std::string bias_name = prefix_ + std::string(part.name) + ".bias";
    if (tensors_.has(bias_name)) {
      CAIRN_TRY(bias, tensors_.floats(bias_name, {part.of_rows}));
    }
    BlockColumns packed;
    packed.type = rounds_ ? kernels::BlockType::q4_0 : *block_type_of(tensor->type);
    packed.first = first;
    packed.count = part.rows;
    packed.panels =
        kernels::Buffer<std::byte>(kernels::block_panels_bytes(packed.type, depth_, part.rows));
    const NumberLayout layout = layout_of(tensor->type);
    const std::size_t row_bytes = depth_ / layout.numbers * layout.bytes;
    const Table weights(*tensor);
    for (std::size_t column = 0; column < part.rows; ++column) {
      const std::size_t from = part.first + column;
      weights.read(from, row_.data());
      if (!are_finite(row_)) return not_finite(*tensor);
      if (rounds_) {
        set_rounded_column(packed, column, row_);
      } else {
        set_block_column(packed, column, tensor->bytes.data() + from * row_bytes, depth_,
                         layout.bytes);
      }
      out_.bias[first + column] = bias[from];
      out_.sum[first + column] = static_cast<float>(std::accumulate(row_.begin(), row_.end(), 0.0));
    }
    out_.parts.push_back(std::move(packed));
    return ok_status();
  }

  const Tensors& tensors_;
  const std::string& prefix_;
  const std::size_t depth_;
  const bool rounds_;
  std::vector<float> row_;
  BlockLinear out_;
};

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
  return BlockReader(tensors, prefix, depth, false).read(parts);
}

Result<BlockLinear> read_rounded_linear(const Tensors& tensors, const std::string& prefix,
                                        const std::vector<LinearPart>& parts, std::size_t depth) {
  return BlockReader(tensors, prefix, depth, true).read(parts);
}

}  // namespace cairn::inference
