// SPDX-License-Identifier: Apache-2.0
// Vectors in bytes and bits: worked out by hand, and how many neighbours they keep.
#include "inference/quantise.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>

#include "inference/model/model.h"
#include "inference/model/model_store.h"
#include "os/files/files.h"

namespace cairn::inference::quantise_test {
namespace {

using Vectors = std::vector<std::vector<float>>;

TEST_CASE("quantise: bytes by the largest number, bits by signs") {
  std::vector<float> bytes{0.5F, -1.0F, 0.25F, 0};
  quantise(bytes, ElementType::byte);
  CHECK(bytes == std::vector<float>{64, -127, 32, 0});
  std::vector<float> bits{0.5F, -1, 0, 0.1F, -0.1F, 3, 4, -5, 1};
  quantise(bits, ElementType::bit);
  CHECK(bits == std::vector<float>{1, -1, -1, 1, -1, 1, 1, -1, 1});
  CHECK(packed_bits(bits) == std::vector<std::int8_t>{static_cast<std::int8_t>(0b10010110),
                                                      static_cast<std::int8_t>(0b10000000)});
  std::vector<float> real{0.5F};
  quantise(real, ElementType::real);
  CHECK(real == std::vector<float>{0.5F});
  std::vector<float> zero{0, 0};
  quantise(zero, ElementType::byte);
  CHECK(zero == std::vector<float>{0, 0});
}

TEST_CASE("quantise: names") {
  for (const ElementType type : {ElementType::real, ElementType::byte, ElementType::bit}) {
    CHECK(element_type_of(name_of(type)) == type);
  }
  CHECK_FALSE(element_type_of("int4").has_value());
}

float cosine_of(const std::vector<float>& a, const std::vector<float>& b) {
  float dot = 0;
  float of_a = 0;
  float of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    dot += a[i] * b[i];
    of_a += a[i] * a[i];
    of_b += b[i] * b[i];
  }
  return dot / std::sqrt(of_a * of_b);
}

std::vector<std::size_t> nearest(const Vectors& vectors, std::size_t query, std::size_t count) {
  std::vector<std::size_t> order(vectors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase(order, query);
  std::vector<float> scores(vectors.size());
  for (const std::size_t i : order) scores[i] = cosine_of(vectors[query], vectors[i]);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  order.resize(count);
  return order;
}

Vectors in_type(Vectors vectors, ElementType type) {
  for (auto& vector : vectors) quantise(vector, type);
  return vectors;
}

/// The simpler rule: one scale for all unit vectors.
Vectors times_127(Vectors vectors) {
  for (auto& vector : vectors) {
    const float length =
        std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0F));
    for (float& number : vector) number = std::nearbyint(number / length * 127);
  }
  return vectors;
}

/// Of the ten nearest by the whole numbers, the share among the `looked_at` nearest in few bits.
double recall(const Vectors& vectors, const Vectors& small, std::size_t looked_at) {
  std::size_t found = 0;
  std::size_t all = 0;
  for (std::size_t query = 0; query < vectors.size(); query += 7) {
    const auto truth = nearest(vectors, query, 10);
    const auto seen = nearest(small, query, looked_at);
    for (const std::size_t one : truth) {
      found += static_cast<std::size_t>(std::count(seen.begin(), seen.end(), one));
    }
    all += truth.size();
  }
  return static_cast<double>(found) / static_cast<double>(all);
}

/// The lines of this project's pages, as the shipped model sees them.
Vectors of_pages() {
  const os::Deadline never = os::Deadline::never();
  std::vector<std::string> lines;
  for (const auto* const page :
       {"README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/reference/inference.md",
        "docs/reference/objects.md", "docs/reference/keys.md", "docs/reference/rate-limits.md"}) {
    const auto text = os::read_file(os::system_files(), page, 1 << 22);
    REQUIRE_MESSAGE(text.ok(), page);
    std::size_t begin = 0;
    while (begin < text->size()) {
      const std::size_t end = std::min(text->find('\n', begin), text->size());
      if (end - begin > 60) lines.push_back(text->substr(begin, end - begin));
      begin = end + 1;
    }
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  lines.resize(std::min<std::size_t>(lines.size(), 700));
  const auto model =
      load_model(files_of_folder(os::system_files(), "cairn-mini", "models/cairn-mini"));
  REQUIRE(model.ok());
  auto vectors = (*model)->embed(lines, InputType::unspecified, never);
  REQUIRE(vectors.ok());
  return *vectors;
}

Vectors of_random(std::size_t dimensions) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  Vectors centres(20, std::vector<float>(dimensions));
  for (auto& centre : centres) {
    for (float& number : centre) number = normal(random);
  }
  Vectors out;
  for (int i = 0; i < 600; ++i) {
    out.push_back(centres[static_cast<std::size_t>(i) % centres.size()]);
    for (float& number : out.back()) number += normal(random) * 0.7F;
  }
  return out;
}

TEST_CASE("quantise: neighbours stay neighbours") {
  const auto check = [](const char* what, const Vectors& vectors, double bytes, double bits,
                        double more_bits) {
    const double of_bytes = recall(vectors, in_type(vectors, ElementType::byte), 10);
    const double by_one_scale = recall(vectors, times_127(vectors), 10);
    const Vectors in_bits = in_type(vectors, ElementType::bit);
    const double of_bits = recall(vectors, in_bits, 10);
    const double of_more_bits = recall(vectors, in_bits, 50);
    const std::string name = what;
    MESSAGE(name << ", " << vectors.size() << " x " << vectors[0].size() << ": bytes " << of_bytes
                 << " (one scale for all " << by_one_scale << "), bits " << of_bits
                 << ", bits and five times as many " << of_more_bits);
    CHECK(of_bytes >= bytes);
    CHECK(of_bytes >= by_one_scale);
    CHECK(of_bits >= bits);
    CHECK(of_more_bits >= more_bits);
  };
  check("lines of pages by cairn-mini", of_pages(), 0.97, 0.5, 0.8);
  check("clusters in 384 dimensions", of_random(384), 0.97, 0.5, 0.8);
}

}  // namespace
}  // namespace cairn::inference::quantise_test
