// SPDX-License-Identifier: Apache-2.0
// Metrics of rated hits, by hand.
#include <doctest/doctest.h>

#include <cmath>

#include "search/rank_metrics.h"

namespace cairn::search {
namespace {

constexpr auto none = std::nullopt;

RankMetric metric(const char* text) {
  const auto read = read_rank_metric("", *parse_json(text));
  INFO((read.ok() ? std::string() : read.error().message));
  REQUIRE(read.ok());
  return *read;
}
double score(const char* text, std::vector<std::optional<int>> hits, std::vector<int> rated = {}) {
  return rank_score(metric(text), hits, std::move(rated)).score;
}

}  // namespace

TEST_CASE("rank metrics: precision and recall") {
  CHECK(score(R"({"precision": {}})", {1, 0, none, 3}) == 0.5);
  CHECK(score(R"({"precision": {"ignore_unlabeled": true}})", {1, 0, none, 3}) ==
        doctest::Approx(2.0 / 3));
  CHECK(score(R"({"precision": {"relevant_rating_threshold": 2}})", {1, 0, none, 3}) == 0.25);
  CHECK(score(R"({"precision": {}})", {}) == 0);
  CHECK(score(R"({"recall": {}})", {1, none, 2}, {1, 1, 2, 0, 3}) == 0.5);
  CHECK(score(R"({"recall": {}})", {none}, {0}) == 0);
  const auto details = rank_score(metric(R"({"precision": {}})"), {1, none}, {1}).details;
  CHECK(details.dump() == R"({"precision":{"relevant_docs_retrieved":1,"docs_retrieved":2}})");
}

TEST_CASE("rank metrics: the first that is relevant") {
  CHECK(score(R"({"mean_reciprocal_rank": {}})", {0, none, 1, 1}) == doctest::Approx(1.0 / 3));
  CHECK(score(R"({"mean_reciprocal_rank": {}})", {0, none}) == 0);
  CHECK(rank_score(metric(R"({"mean_reciprocal_rank": {}})"), {0}, {}).details.dump() ==
        R"({"mean_reciprocal_rank":{"first_relevant":-1}})");
}

TEST_CASE("rank metrics: gains that count less further down") {
  // The example of Järvelin and Kekäläinen with powers: 3, 2, 3, 0, 1, 2.
  const std::vector<std::optional<int>> hits = {3, 2, 3, 0, 1, 2};
  CHECK(score(R"({"dcg": {}})", hits) == doctest::Approx(13.84826362927298));
  CHECK(score(R"({"dcg": {"normalize": true}})", hits, {3, 2, 3, 0, 1, 2}) ==
        doctest::Approx(13.84826362927298 / 14.595390756454922));
  CHECK(score(R"({"dcg": {"normalize": true}})", {none}, {}) == 0);
  CHECK(score(R"({"dcg": {}})", {none, 1}) == doctest::Approx(1 / std::log2(3.0)));
}

TEST_CASE("rank metrics: who reads on until content") {
  // 7/8 content with the first, 3/8 of the others with the second.
  CHECK(score(R"({"expected_reciprocal_rank": {"maximum_relevance": 3}})", {3, 2}) ==
        doctest::Approx(7.0 / 8 + (1.0 / 8) * (3.0 / 8) / 2));
  CHECK(score(R"({"expected_reciprocal_rank": {"maximum_relevance": 3}})", {none, 3}) ==
        doctest::Approx(7.0 / 8 / 2));
}

TEST_CASE("rank metrics: what they may not be") {
  const auto fault = [](const char* text) {
    const auto read = read_rank_metric("", *parse_json(text));
    return read.ok() ? std::string("no error") : read.error().message;
  };
  CHECK(fault(R"({"precision": {"k": 0}})") == "[k] must be from 1 to 10000");
  CHECK(fault(R"({"map": {}})").find("unknown metric [map]") != std::string::npos);
  CHECK(fault(R"({"recall": {"normalize": true}})").find("normalize") != std::string::npos);
  CHECK(fault(R"({"expected_reciprocal_rank": {}})").find("Required [maximum_relevance]") !=
        std::string::npos);
  CHECK(fault(R"({"precision": {}, "recall": {}})").find("one metric") != std::string::npos);
  CHECK(fault(R"({"dcg": {"k": 5, "normalize": true}})") == "no error");
}

}  // namespace cairn::search
