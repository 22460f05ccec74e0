// SPDX-License-Identifier: Apache-2.0
// Reading tensors row by row.
#include "inference/layers/parts.h"

#include <cstring>

#include "inference/layers/table.h"

namespace cairn::inference {
namespace {

kernels::Buffer<float> buffer_of(const std::vector<float>& numbers) {
  kernels::Buffer<float> out(numbers.size());
  if (!numbers.empty()) std::memcpy(out.data(), numbers.data(), out.size_bytes());
  return out;
}

}  // namespace

Result<Norm> read_norm(const Tensors& tensors, std::string_view name, std::size_t width) {
  const std::string base(name);
  const bool old = !tensors.has(base + ".weight") && tensors.has(base + ".gamma");
  const std::string shift = base + (old ? ".beta" : ".bias");
  Norm out;
  CAIRN_TRY(const std::vector<float> gain,
            tensors.floats(base + (old ? ".gamma" : ".weight"), {width}));
  out.gain = buffer_of(gain);
  if (tensors.has(shift)) {
    CAIRN_TRY(const std::vector<float> numbers, tensors.floats(shift, {width}));
    out.shift = buffer_of(numbers);
  }
  return out;
}

Result<Linear> read_linear(const Tensors& tensors, kernels::Arithmetic arithmetic,
                           const std::string& prefix, const std::vector<LinearPart>& parts,
                           std::size_t depth) {
  std::size_t columns = 0;
  for (const LinearPart& part : parts) {  // before there is memory for what the config promised
    const std::string name = prefix + std::string(part.name) + ".weight";
    if (auto there = tensors.get(name, {part.of_rows, depth}); !there.ok()) return there.error();
    columns += part.rows;
  }
  Linear out(arithmetic, depth, columns);
  std::size_t column = 0;
  std::vector<float> row(depth);  // one at a time: a vocabulary as floats would be large
  for (const LinearPart& part : parts) {
    const std::string name = prefix + std::string(part.name);
    CAIRN_TRY(const Tensor* const tensor, tensors.get(name + ".weight", {part.of_rows, depth}));
    std::vector<float> bias(part.of_rows);
    if (tensors.has(name + ".bias")) {
      CAIRN_TRY(bias, tensors.floats(name + ".bias", {part.of_rows}));
    }
    const Table weights(*tensor);
    for (std::size_t at = part.first; at < part.first + part.rows; ++at, ++column) {
      weights.read(at, row.data());
      if (!are_finite(row)) return not_finite(*tensor);
      out.set_column(column, row.data(), bias[at]);
    }
  }
  return out;
}

}  // namespace cairn::inference
