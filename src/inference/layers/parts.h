// SPDX-License-Identifier: Apache-2.0
// Linears and norms, packed from tensors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inference/layers/linear.h"
#include "inference/layers/norm.h"
#include "inference/layers/tensors.h"

namespace cairn::inference {

/// Outputs that follow each other in a packed linear: a weight and maybe a bias.
struct LinearPart {
  std::string_view name;    // of the tensors, before ".weight" and ".bias"
  std::size_t first = 0;    // row of the tensor that is packed first
  std::size_t rows = 0;     // that are packed
  std::size_t of_rows = 0;  // that the tensor has
};

/// Packs the parts' rows one after the other; NAME.weight has `depth` columns, NAME.bias may be
/// missing. Errors: invalid_argument, naming the tensor.
Result<Linear> read_linear(const Tensors& tensors, kernels::Arithmetic arithmetic,
                           const std::string& prefix, const std::vector<LinearPart>& parts,
                           std::size_t depth);

/// NAME.weight and maybe NAME.bias; old files call them gamma and beta. Errors: as above.
Result<Norm> read_norm(const Tensors& tensors, std::string_view name, std::size_t width);

}  // namespace cairn::inference
