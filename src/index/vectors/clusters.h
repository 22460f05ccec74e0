// SPDX-License-Identifier: Apache-2.0
// Centroids: k-means over a sample, and which centroid a row is nearest to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "kernels/buffer.h"
#include "os/steps.h"

namespace cairn::index {

/// Finds for rows the nearest of some centroids, by Euclidean distance, many rows at once.
class Assigner {
 public:
  /// `centroids`: rows of `dims` numbers, a multiple of 64.
  Assigner(std::span<const float> centroids, std::size_t dims);
  /// The number of the nearest centroid of each row. Products may be rounded to 16 bits: of two
  /// that are about as near, either.
  void nearest(std::span<const float> rows, std::vector<std::uint32_t>& out);

 private:
  std::size_t dims_;
  std::size_t count_;
  bool narrow_;  // multiply as bfloat16
  kernels::Buffer<std::byte> panels_;
  kernels::Buffer<std::byte> rows_;
  kernels::Buffer<float> products_;
  std::vector<float> bias_;
};

/// `count` centroids of `sample` (rows of `dims` numbers) of about as many rows each. They start
/// from `start`, as far as it reaches, and from rows of the sample. The same bits for the same
/// input. Errors: timeout, cancelled.
Result<std::vector<float>> find_centroids(std::span<const float> sample, std::size_t dims,
                                          std::size_t count, std::span<const float> start,
                                          os::Steps& steps);

}  // namespace cairn::index
