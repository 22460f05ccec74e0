// SPDX-License-Identifier: Apache-2.0
// First vectors of the tokens: latent semantic analysis of which tokens share documents.
#pragma once

#include <cstddef>
#include <vector>

#include "training_set.h"

namespace cairn::mini {

/// A table of numbers, row by row.
struct Matrix {
  std::size_t columns = 0;
  std::vector<float> numbers;

  Matrix() = default;
  Matrix(std::size_t rows, std::size_t width) : columns(width), numbers(rows * width, 0) {}
  std::size_t rows() const { return columns == 0 ? 0 : numbers.size() / columns; }
  float* row(std::size_t i) { return numbers.data() + i * columns; }
  const float* row(std::size_t i) const { return numbers.data() + i * columns; }
};

/// A unit vector for each token: the left singular vectors of the token-document matrix (weights
/// tf-idf, documents of unit length), by subspace iteration, scaled by the root of the singular
/// values; without the first one, which all tokens share. A token that no document holds has zeros.
Matrix factorize(const TextTable& documents, const std::vector<float>& idf, std::size_t dimensions,
                 Random& random);

}  // namespace cairn::mini
