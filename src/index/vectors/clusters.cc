// SPDX-License-Identifier: Apache-2.0
#include "index/vectors/clusters.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/bf16.h"
#include "kernels/matrix/panels.h"
#include "kernels/matrix/product.h"
#include "kernels/vector.h"

namespace cairn::index {
namespace {

constexpr std::size_t rows_at_once = 64;
constexpr std::size_t rounds_from_nothing = 6;
constexpr std::size_t rounds_from_centroids = 3;

kernels::Arithmetic arithmetic_of(bool narrow) {
  return narrow ? kernels::Arithmetic::bfloat16 : kernels::Arithmetic::float32;
}

std::size_t greatest_of(const float* values, std::size_t count) {
  // Four at a time, so that one comparison does not wait for another.
  std::size_t best[4] = {0, 0, 0, 0};
  float most[4] = {values[0], values[0], values[0], values[0]};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t lane = i % 4;
    if (values[i] > most[lane]) {
      most[lane] = values[i];
      best[lane] = i;
    }
  }
  std::size_t out = best[0];
  for (const std::size_t b : best)
    if (values[b] > values[out]) out = b;
  return out;
}

// Means of the rows of each centroid; how many rows each has.
std::vector<std::uint32_t> move_to_means(std::span<const float> sample, std::size_t dims,
                                         const std::vector<std::uint32_t>& nearest,
                                         std::vector<float>& centroids) {
  std::vector<std::uint32_t> sizes(centroids.size() / dims, 0);
  std::vector<float> sums(centroids.size(), 0);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    kernels::add_scaled_f32(sums.data() + nearest[i] * dims, sample.data() + i * dims, 1, dims);
    ++sizes[nearest[i]];
  }
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] == 0) continue;
    const float share = 1 / static_cast<float>(sizes[c]);
    for (std::size_t d = 0; d < dims; ++d) centroids[c * dims + d] = sums[c * dims + d] * share;
  }
  return sizes;
}

// Centroids with hardly any rows go into those with many: one of their rows each.
void even_out(std::span<const float> sample, std::size_t dims,
              const std::vector<std::uint32_t>& nearest, const std::vector<std::uint32_t>& sizes,
              std::vector<float>& centroids) {
  const std::size_t mean = std::max<std::size_t>(1, nearest.size() / sizes.size());
  std::vector<std::uint32_t> small;
  for (std::uint32_t c = 0; c < sizes.size(); ++c)
    if (sizes[c] * 6 < mean) small.push_back(c);
  std::vector<std::uint32_t> seen(sizes.size(), 0);
  for (std::size_t i = 0; i < nearest.size() && !small.empty(); ++i) {
    const std::uint32_t c = nearest[i];
    // One new centroid for each mean number of rows beyond the first.
    if (sizes[c] < 2 * mean || ++seen[c] % mean != 0) continue;
    std::copy_n(sample.data() + i * dims, dims, centroids.data() + small.back() * dims);
    small.pop_back();
  }
}

}  // namespace

Assigner::Assigner(std::span<const float> centroids, std::size_t dims)
    : dims_(dims),
      count_(centroids.size() / dims),
      narrow_(kernels::matrix_kernels().bfloat16 != nullptr),
      panels_(kernels::panels_bytes(arithmetic_of(narrow_), dims, count_)),
      rows_(rows_at_once * dims * (narrow_ ? sizeof(kernels::Bf16) : sizeof(float))),
      products_(rows_at_once * ((count_ + 15) / 16 * 16)),
      bias_((count_ + 15) / 16 * 16, 0) {
  for (std::size_t c = 0; c < count_; ++c) {
    const float* const values = centroids.data() + c * dims;
    kernels::pack_column(arithmetic_of(narrow_), values, dims, 1, c, panels_.data());
    bias_[c] = kernels::dot_f32(values, values, dims) / -2;
  }
}

void Assigner::nearest(std::span<const float> rows, std::vector<std::uint32_t>& out) {
  const std::size_t total = rows.size() / dims_;
  const std::size_t stride = (count_ + 15) / 16 * 16;
  out.resize(total);
  for (std::size_t first = 0; first < total; first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, total - first);
    const float* const from = rows.data() + first * dims_;
    if (narrow_) {
      auto* const to = reinterpret_cast<kernels::Bf16*>(rows_.data());
      for (std::size_t i = 0; i < count * dims_; ++i) to[i] = kernels::to_bf16(from[i]);
    }
    kernels::Product product;
    product.rows = narrow_ ? static_cast<const void*>(rows_.data()) : from;
    product.row_stride = dims_ * (narrow_ ? sizeof(kernels::Bf16) : sizeof(float));
    product.row_count = count;
    product.panels = panels_.data();
    product.steps = kernels::panel_steps(arithmetic_of(narrow_), dims_);
    product.columns = count_;
    product.finish.bias = bias_.data();
    product.finish.out = products_.data();
    product.finish.out_stride = stride;
    kernels::multiply(kernels::matrix_kernels(), arithmetic_of(narrow_), product);
    for (std::size_t i = 0; i < count; ++i)
      out[first + i] =
          static_cast<std::uint32_t>(greatest_of(products_.data() + i * stride, count_));
  }
}

Result<std::vector<float>> find_centroids(std::span<const float> sample, std::size_t dims,
                                          std::size_t count, std::span<const float> start,
                                          os::Steps& steps) {
  const std::size_t rows = sample.size() / dims;
  std::vector<float> centroids(start.begin(), start.begin() + std::min(start.size(), count * dims));
  const bool warm = centroids.size() == count * dims;
  // Rows at even distances stand for all.
  const std::size_t missing = count - centroids.size() / dims;
  for (std::size_t i = 0; i < missing; ++i) {
    const float* const row = sample.data() + (2 * i + 1) * rows / (2 * missing) * dims;
    centroids.insert(centroids.end(), row, row + dims);
  }
  std::vector<std::uint32_t> nearest, part;
  const std::size_t rounds = warm ? rounds_from_centroids : rounds_from_nothing;
  for (std::size_t round = 0; round < rounds; ++round) {
    Assigner assigner(centroids, dims);
    nearest.clear();
    for (std::size_t first = 0; first < rows; first += rows_at_once) {
      const std::size_t some = std::min(rows_at_once, rows - first);
      CAIRN_CHECK(steps.take(some * (1 + count / 64)));
      assigner.nearest(sample.subspan(first * dims, some * dims), part);
      nearest.insert(nearest.end(), part.begin(), part.end());
    }
    const auto sizes = move_to_means(sample, dims, nearest, centroids);
    if (round + 1 < rounds) even_out(sample, dims, nearest, sizes, centroids);
  }
  return centroids;
}

}  // namespace cairn::index
