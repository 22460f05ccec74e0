// SPDX-License-Identifier: Apache-2.0
#include "search/rank_metrics.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "search/errors.h"
#include "search/reader.h"

namespace cairn::search {
namespace {

using Kind = RankMetric::Kind;
using Ratings = std::vector<std::optional<int>>;

constexpr std::int64_t most_hits = 10'000;

std::optional<Kind> kind_of(std::string_view name) {
  if (name == "precision") return Kind::precision;
  if (name == "recall") return Kind::recall;
  if (name == "mean_reciprocal_rank") return Kind::reciprocal_rank;
  if (name == "dcg") return Kind::dcg;
  if (name == "expected_reciprocal_rank") return Kind::expected_reciprocal_rank;
  return std::nullopt;
}

std::int64_t unrated_in(const Ratings& hits) {
  return std::count(hits.begin(), hits.end(), std::nullopt);
}

double gain(int rating, std::size_t place) {
  return (std::pow(2.0, rating) - 1) / std::log2(static_cast<double>(place) + 2);
}

RankScore precision(const RankMetric& metric, const Ratings& hits) {
  std::int64_t relevant = 0, retrieved = 0;
  for (const auto& rating : hits) {
    relevant += rating && *rating >= metric.relevant_from ? 1 : 0;
    retrieved += rating || !metric.ignores_unrated ? 1 : 0;
  }
  const double score =
      retrieved == 0 ? 0 : static_cast<double>(relevant) / static_cast<double>(retrieved);
  return {score,
          Json::object({{"precision", Json::object({{"relevant_docs_retrieved", relevant},
                                                    {"docs_retrieved", retrieved}})}})};
}

RankScore recall(const RankMetric& metric, const Ratings& hits, const std::vector<int>& rated) {
  const auto is_relevant = [&](int rating) { return rating >= metric.relevant_from; };
  const std::int64_t all = std::count_if(rated.begin(), rated.end(), is_relevant);
  const std::int64_t found = std::count_if(hits.begin(), hits.end(), [&](const auto& rating) {
    return rating && is_relevant(*rating);
  });
  return {all == 0 ? 0 : static_cast<double>(found) / static_cast<double>(all),
          Json::object({{"recall", Json::object({{"relevant_docs_retrieved", found},
                                                 {"relevant_docs", all}})}})};
}

RankScore reciprocal_rank(const RankMetric& metric, const Ratings& hits) {
  std::int64_t first = -1;
  for (std::size_t i = 0; i < hits.size() && first < 0; ++i)
    if (hits[i] && *hits[i] >= metric.relevant_from) first = static_cast<std::int64_t>(i) + 1;
  return {first < 0 ? 0 : 1 / static_cast<double>(first),
          Json::object({{"mean_reciprocal_rank", Json::object({{"first_relevant", first}})}})};
}

RankScore discounted_gain(const RankMetric& metric, const Ratings& hits, std::vector<int> rated) {
  double sum = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) sum += hits[i] ? gain(*hits[i], i) : 0;
  Json details = Json::object({{"dcg", sum}});
  double score = sum;
  if (metric.normalizes) {
    std::sort(rated.rbegin(), rated.rend());
    double ideal = 0;
    for (std::size_t i = 0; i < std::min(rated.size(), hits.size()); ++i)
      ideal += gain(rated[i], i);
    score = ideal == 0 ? 0 : sum / ideal;
    details.set("ideal_dcg", ideal);
    details.set("normalized_dcg", score);
  }
  details.set("unrated_docs", unrated_in(hits));
  return {score, Json::object({{"dcg", std::move(details)}})};
}

// Somebody reads on until a hit contents them.
RankScore expected_reciprocal_rank(const RankMetric& metric, const Ratings& hits) {
  double reads_on = 1, score = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (!hits[i]) continue;
    const double contents = (std::pow(2.0, *hits[i]) - 1) / std::pow(2.0, metric.greatest);
    score += reads_on * contents / static_cast<double>(i + 1);
    reads_on *= 1 - contents;
  }
  return {score, Json::object({{"expected_reciprocal_rank",
                                Json::object({{"unrated_docs", unrated_in(hits)}})}})};
}

}  // namespace

Result<RankMetric> read_rank_metric(std::string_view text, const Json& json) {
  if (!json.is_object() || json.as_object().size() != 1)
    return parsing_error(text, "metric", "[metric] must be an object with one metric");
  const auto& [name, body] = json.as_object().front();
  const auto kind = kind_of(name);
  if (!kind)
    return parsing_error(text, "metric",
                         "unknown metric [" + name +
                             "]: there are precision, recall, mean_reciprocal_rank, dcg and "
                             "expected_reciprocal_rank");
  if (!body.is_object())
    return parsing_error(text, "metric." + name, "[" + name + "] must be an object");
  Reader in(body, text, "metric." + name, name, Reader::Style::strict);
  RankMetric out{.kind = *kind};
  const bool by_threshold = *kind == Kind::precision || *kind == Kind::recall ||
                            *kind == Kind::reciprocal_rank;
  CAIRN_TRY(const auto k, in.integer("k"));
  if (k && (*k < 1 || *k > most_hits))
    return illegal_argument("[k] must be from 1 to " + std::to_string(most_hits));
  out.k = k ? static_cast<std::size_t>(*k) : out.k;
  const auto rating = [&](std::string_view member, int fallback) -> Result<int> {
    CAIRN_TRY(const auto given, in.integer(member));
    if (given && (*given < 0 || *given > rating_max))
      return illegal_argument("[" + std::string(member) + "] must be from 0 to " +
                              std::to_string(rating_max));
    return given ? static_cast<int>(*given) : fallback;
  };
  if (by_threshold) {
    CAIRN_TRY(out.relevant_from, rating("relevant_rating_threshold", 1));
  }
  if (*kind == Kind::precision) {
    CAIRN_TRY(out.ignores_unrated, in.boolean_or("ignore_unlabeled", false));
  }
  if (*kind == Kind::dcg) {
    CAIRN_TRY(out.normalizes, in.boolean_or("normalize", false));
  }
  if (*kind == Kind::expected_reciprocal_rank) {
    CAIRN_TRY(out.greatest, rating("maximum_relevance", -1));
    if (out.greatest < 0)
      return in.fault("maximum_relevance", "Required [maximum_relevance]");
  }
  CAIRN_CHECK(in.finish());
  return out;
}

RankScore rank_score(const RankMetric& metric, const Ratings& hits, std::vector<int> rated) {
  switch (metric.kind) {
    case Kind::precision:
      return precision(metric, hits);
    case Kind::recall:
      return recall(metric, hits, rated);
    case Kind::reciprocal_rank:
      return reciprocal_rank(metric, hits);
    case Kind::dcg:
      return discounted_gain(metric, hits, std::move(rated));
    case Kind::expected_reciprocal_rank:
      break;
  }
  return expected_reciprocal_rank(metric, hits);
}

}  // namespace cairn::search
