// SPDX-License-Identifier: Apache-2.0
#include "search/run/ranking.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

namespace cairn::search::ranking_test {
namespace {

Candidate hit(std::uint32_t doc, float score = 0) {
  return {.place = {0, {0, doc}}, .score = score};
}

/// Reciprocal rank fusion as its definition says: for every document, look it up in every list.
std::vector<std::pair<std::uint32_t, double>> slow_fusion(
    const std::vector<std::vector<Candidate>>& lists, const std::vector<float>& weights,
    double constant) {
  std::map<std::uint32_t, double> scores;
  for (const auto& list : lists)
    for (const Candidate& candidate : list) {
      const auto doc = candidate.place.doc.doc;
      if (scores.contains(doc)) continue;
      double score = 0;
      for (std::size_t i = 0; i < lists.size(); ++i) {
        const auto at = std::find_if(lists[i].begin(), lists[i].end(),
                                     [&](const auto& c) { return c.place.doc.doc == doc; });
        if (at != lists[i].end())
          score += weights[i] / (constant + static_cast<double>(at - lists[i].begin() + 1));
      }
      scores[doc] = score;
    }
  std::vector<std::pair<std::uint32_t, double>> out(scores.begin(), scores.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

}  // namespace

TEST_CASE("rank fusion: equals the definition on random lists") {
  const unsigned seed = 20'240'601;
  INFO("seed ", seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<Candidate>> lists(1 + random() % 4);
    std::vector<float> weights;
    for (auto& list : lists) {
      std::vector<std::uint32_t> docs(40);
      for (std::uint32_t i = 0; i < 40; ++i) docs[i] = i;
      std::shuffle(docs.begin(), docs.end(), random);
      docs.resize(random() % 40);
      for (const auto doc : docs) list.push_back(hit(doc));
      weights.push_back(static_cast<float>(random() % 5) + 0.5f);
    }
    const double constant = 1 + static_cast<double>(random() % 100);
    const auto expected = slow_fusion(lists, weights, constant);
    const auto fused = fuse_ranks(lists, weights, constant, 1000);
    REQUIRE(fused.size() == expected.size());
    for (std::size_t i = 0; i < fused.size(); ++i)  // ties may stand in another order
      CHECK(fused[i].score == doctest::Approx(expected[i].second).epsilon(1e-6));
    CHECK(fuse_ranks(lists, weights, constant, 3).size() == std::min<std::size_t>(3, fused.size()));
  }
}

TEST_CASE("rank fusion: equal scores go by the first list") {
  const std::vector<std::vector<Candidate>> lists = {{hit(9)}, {hit(1)}};
  const std::vector<float> weights = {1, 1};
  const auto fused = fuse_ranks(lists, weights, 60, 10);
  REQUIRE(fused.size() == 2);
  CHECK(fused[0].place.doc.doc == 9);
  CHECK(fused[0].score == doctest::Approx(1.0 / 61));
}

TEST_CASE("score fusion: minmax and l2_norm before the weighted sum") {
  std::vector<Candidate> words = {hit(1, 9), hit(2, 5), hit(3, 1)};
  std::vector<Candidate> meaning = {hit(3, 4), hit(1, 3)};
  normalize(words, Normalizer::minmax);
  CHECK(words[1].score == doctest::Approx(0.5));
  normalize(meaning, Normalizer::l2_norm);
  CHECK(meaning[0].score == doctest::Approx(0.8));
  const std::vector<std::vector<Candidate>> lists = {words, meaning};
  const std::vector<float> weights = {1, 2};
  const auto fused = fuse_scores(lists, weights, 10);
  REQUIRE(fused.size() == 3);
  CHECK(fused[0].place.doc.doc == 1);  // 1 + 2 * 0.6
  CHECK(fused[0].score == doctest::Approx(2.2));
  CHECK(fused[1].place.doc.doc == 3);  // 0 + 2 * 0.8
  std::vector<Candidate> equal = {hit(1, 7), hit(2, 7)};
  normalize(equal, Normalizer::minmax);
  CHECK(equal[1].score == 1);
}

TEST_CASE("order: keys with directions, and missing values where they belong") {
  using index::SortKey;
  const std::vector<SortKey> keys = {{.by = SortKey::By::field, .field = "n", .descending = true},
                                     {.by = SortKey::By::field, .field = "t"}};
  const auto with = [](std::uint32_t doc, index::SortValue number, index::SortValue text) {
    return Candidate{
        .place = {0, {0, doc}}, .score = 0, .sort = {std::move(number), std::move(text)}};
  };
  const auto a = with(1, std::int64_t{5}, std::string("x"));
  const auto b = with(2, 5.5, std::string("a"));
  const auto c = with(3, std::monostate{}, std::string("a"));
  CHECK(comes_before(b, a, keys));
  CHECK(comes_before(a, c, keys));
  CHECK_FALSE(comes_before(c, b, keys));
  CHECK(comes_before(with(1, std::int64_t{5}, std::string("b")), a, keys));
}

}  // namespace cairn::search::ranking_test
