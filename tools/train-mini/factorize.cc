// SPDX-License-Identifier: Apache-2.0
// Randomized subspace iteration: the matrix is only ever multiplied, one document at a time.
#include "factorize.h"

#include <algorithm>
#include <cmath>

#include "kernels/vector.h"

namespace cairn::mini {
namespace {

constexpr std::size_t extra_columns = 8;
constexpr int iterations = 4;

struct Entry {
  std::uint32_t id;
  float weight;
};

/// One column of the matrix: distinct tokens by weight, of unit length.
void weigh(IdSpan document, const std::vector<float>& idf, std::vector<Entry>& out) {
  out.clear();
  Ids ids(document.begin(), document.end());
  std::sort(ids.begin(), ids.end());
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t end = i;
    while (end < ids.size() && ids[end] == ids[i]) ++end;
    if (idf[ids[i]] > 0) {
      // 1 + log2 of the count, near enough, without logarithms.
      float factor = 1;
      for (std::size_t n = end - i; n > 1; n /= 2) factor += 1;
      out.push_back({ids[i], factor * idf[ids[i]]});
    }
    i = end;
  }
  float square = 0;
  for (const Entry& entry : out) square += entry.weight * entry.weight;
  for (Entry& entry : out) entry.weight /= std::sqrt(square);
}

/// A * A' * from.
Matrix multiply(const TextTable& documents, const std::vector<float>& idf, const Matrix& from) {
  Matrix out(from.rows(), from.columns);
  std::vector<Entry> entries;
  std::vector<float> inner(from.columns);
  for (std::size_t d = 0; d < documents.size(); ++d) {
    weigh(documents.at(d), idf, entries);
    std::fill(inner.begin(), inner.end(), 0.0F);
    for (const Entry& entry : entries) {
      kernels::add_scaled_f32(inner.data(), from.row(entry.id), entry.weight, inner.size());
    }
    for (const Entry& entry : entries) {
      kernels::add_scaled_f32(out.row(entry.id), inner.data(), entry.weight, inner.size());
    }
  }
  return out;
}

Matrix transposed(const Matrix& from) {
  Matrix out(from.columns, from.rows());
  for (std::size_t r = 0; r < from.rows(); ++r) {
    for (std::size_t c = 0; c < from.columns; ++c) out.row(c)[r] = from.row(r)[c];
  }
  return out;
}

/// Makes the rows orthonormal (modified Gram-Schmidt, twice for safety).
void orthonormalize(Matrix& rows) {
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      float* row = rows.row(r);
      for (std::size_t before = 0; before < r; ++before) {
        const float overlap = kernels::dot_f32(row, rows.row(before), rows.columns);
        kernels::add_scaled_f32(row, rows.row(before), -overlap, rows.columns);
      }
      const float norm = std::sqrt(kernels::dot_f32(row, row, rows.columns));
      for (std::size_t c = 0; c < rows.columns; ++c) row[c] = norm > 0 ? row[c] / norm : 0;
    }
  }
}

/// Eigenvalues and vectors (as rows) of a symmetric matrix, by Jacobi rotations.
std::vector<double> eigen(std::vector<double>& a, std::size_t n, std::vector<double>& vectors) {
  vectors.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) vectors[i * n + i] = 1;
  for (int sweep = 0; sweep < 12; ++sweep) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double off = a[p * n + q];
        if (std::abs(off) < 1e-12 * std::sqrt(std::abs(a[p * n + p] * a[q * n + q]))) continue;
        const double theta = (a[q * n + q] - a[p * n + p]) / (2 * off);
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[k * n + p];
          const double y = a[k * n + q];
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[p * n + k];
          const double y = a[q * n + k];
          a[p * n + k] = c * x - s * y;
          a[q * n + k] = s * x + c * y;
          const double v = vectors[p * n + k];
          const double w = vectors[q * n + k];
          vectors[p * n + k] = c * v - s * w;
          vectors[q * n + k] = s * v + c * w;
        }
      }
    }
  }
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = a[i * n + i];
  return values;
}

}  // namespace

Matrix factorize(const TextTable& documents, const std::vector<float>& idf, std::size_t dimensions,
                 Random& random) {
  const std::size_t width = dimensions + extra_columns;
  Matrix basis(width, idf.size());  // transposed: each row is one direction
  for (float& number : basis.numbers) number = static_cast<float>(random.normal());
  Matrix image;
  for (int i = 0; i < iterations; ++i) {
    orthonormalize(basis);
    image = multiply(documents, idf, transposed(basis));
    if (i + 1 < iterations) basis = transposed(image);
  }
  // Rayleigh-Ritz: the eigenvectors of basis * A A' * basis' turn the basis into singular vectors.
  const Matrix image_rows = transposed(image);
  std::vector<double> inner(width * width);
  for (std::size_t r = 0; r < width; ++r) {
    for (std::size_t c = 0; c < width; ++c) {
      inner[r * width + c] =
          0.5 * (double{kernels::dot_f32(basis.row(r), image_rows.row(c), idf.size())} +
                 double{kernels::dot_f32(basis.row(c), image_rows.row(r), idf.size())});
    }
  }
  std::vector<double> vectors;
  const std::vector<double> values = eigen(inner, width, vectors);
  std::vector<std::size_t> order(width);
  for (std::size_t i = 0; i < width; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  Matrix columns(dimensions, idf.size());
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::size_t from = order[d + 1];  // the first is common to all
    // Eigenvalues are squares of singular values; their fourth root softens the large ones.
    const auto scale = static_cast<float>(std::sqrt(std::sqrt(std::max(values[from], 0.0))));
    for (std::size_t k = 0; k < width; ++k) {
      kernels::add_scaled_f32(columns.row(d), basis.row(k),
                              scale * static_cast<float>(vectors[from * width + k]), idf.size());
    }
  }
  Matrix out = transposed(columns);
  for (std::size_t r = 0; r < out.rows(); ++r) {
    const float norm = std::sqrt(kernels::dot_f32(out.row(r), out.row(r), dimensions));
    for (std::size_t c = 0; c < dimensions; ++c)
      out.row(r)[c] = norm > 0 ? out.row(r)[c] / norm : 0;
  }
  return out;
}

}  // namespace cairn::mini
