// SPDX-License-Identifier: Apache-2.0
// Vectors that the program and its peers search: of unit length, clustered or uniform, the same for
// every program; and what is true of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace vectors {

constexpr std::size_t dims = 384;
constexpr std::size_t wanted = 10;

struct Data {
  std::size_t count = 0, queries = 0;
  std::vector<float> rows, questions;
  std::vector<unsigned> nearest;  // `wanted` of each question

  const float* row(std::size_t i) const { return rows.data() + i * dims; }
  const float* question(std::size_t i) const { return questions.data() + i * dims; }
};

inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline float dot(const float* a, const float* b) {
  float lanes[16] = {};
  for (std::size_t i = 0; i < dims; i += 16)
    for (std::size_t j = 0; j < 16; ++j) lanes[j] += a[i + j] * b[i + j];
  return std::accumulate(lanes, lanes + 16, 0.0f);
}

/// `clustered`: 2,000 centres of unequal sizes with noise of low rank; else uniform on the sphere.
inline Data make(bool clustered, std::size_t count, std::size_t queries) {
  constexpr std::size_t centres = 2000, rank = 32;
  Data out;
  out.count = count;
  out.queries = queries;
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<float> spread(dims), basis(rank * dims), middle(centres * dims);
  for (std::size_t i = 0; i < dims; ++i)
    spread[i] = 1 / std::sqrt(1 + static_cast<float>(i) * 0.02f);
  const auto unit = [](float* v) {
    const float length = std::sqrt(dot(v, v));
    for (std::size_t i = 0; i < dims; ++i) v[i] /= length;
  };
  for (float& v : basis) v = normal(random);
  for (std::size_t c = 0; c < centres; ++c) {
    for (std::size_t i = 0; i < dims; ++i) middle[c * dims + i] = normal(random) * spread[i];
    unit(middle.data() + c * dims);
  }
  const auto draw = [&](float* v) {
    for (std::size_t i = 0; i < dims; ++i) v[i] = normal(random);
    if (clustered) {
      const auto c = static_cast<std::size_t>(centres * std::pow(uniform(random), 1.3));
      float along[rank];
      for (float& z : along) z = normal(random) * 0.6f / std::sqrt(static_cast<float>(rank * dims));
      for (std::size_t i = 0; i < dims; ++i) {
        v[i] = middle[c * dims + i] + v[i] * spread[i] * 0.5f / std::sqrt(static_cast<float>(dims));
        for (std::size_t r = 0; r < rank; ++r) v[i] += along[r] * basis[r * dims + i];
      }
    }
    unit(v);
  };
  out.rows.resize(count * dims);
  out.questions.resize(queries * dims);
  for (std::size_t i = 0; i < count; ++i) draw(out.rows.data() + i * dims);
  for (std::size_t i = 0; i < queries; ++i) draw(out.questions.data() + i * dims);
  std::vector<std::pair<float, unsigned>> all(count);
  for (std::size_t q = 0; q < queries; ++q) {
    for (unsigned i = 0; i < count; ++i) all[i] = {-dot(out.question(q), out.row(i)), i};
    std::partial_sort(all.begin(), all.begin() + wanted, all.end());
    for (std::size_t k = 0; k < wanted; ++k) out.nearest.push_back(all[k].second);
  }
  return out;
}

/// Asks every question `times` times: `ask(question, found)` fills up to `wanted` numbers and gives
/// how many. Prints processor time a query, its median of the rounds, and recall.
template <class Ask>
void measure(const Data& data, const std::string& name, Ask ask, int times = 5) {
  std::vector<double> rounds;
  std::size_t right = 0;
  unsigned found[wanted];
  for (int round = 0; round < times; ++round) {
    right = 0;
    const double start = thread_seconds();
    for (std::size_t q = 0; q < data.queries; ++q) {
      const std::size_t count = ask(data.question(q), found);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < wanted; ++k)
          right += found[i] == data.nearest[q * wanted + k] ? 1 : 0;
    }
    rounds.push_back((thread_seconds() - start) / static_cast<double>(data.queries));
  }
  std::printf("%-44s first %7.1f us", name.c_str(), rounds.front() * 1e6);
  std::sort(rounds.begin(), rounds.end());
  const double median = rounds[rounds.size() / 2];
  std::printf("  median %7.1f us = %7.0f queries/s a core, recall %.4f\n", median * 1e6, 1 / median,
              static_cast<double>(right) / static_cast<double>(data.queries * wanted));
  std::fflush(stdout);
}

}  // namespace vectors
