// SPDX-License-Identifier: Apache-2.0
// Queries that raise scores by features of documents, and documents that somebody put first.
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "format/time.h"
#include "search/errors.h"
#include "search/read/query_reader.h"

namespace cairn::search {
namespace {

using index::Query;
using index::RankFeatureQuery;

constexpr std::size_t pinned_max = 100;
// Scores of what was found by itself end here; those of what was put first are greater.
constexpr std::uint32_t organic_most_bits = (0xfeu << 23) - 1;

float score_of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

constexpr std::array<std::string_view, 4> feature_functions = {"saturation", "log", "sigmoid",
                                                               "linear"};

Result<float> positive(Reader& in, std::string_view name) {
  CAIRN_TRY(const auto value, in.number(name));
  if (!value) return in.fault(name, "Required [" + std::string(name) + "]");
  const auto out = static_cast<float>(*value);
  if (out > 0 && std::isfinite(out)) return out;
  return illegal_argument("[" + std::string(name) + "] must be > 0, got: [" + Json(*value).dump() +
                          "]");
}

Status read_feature_function(RankFeatureQuery& query, Reader in) {
  using enum RankFeatureQuery::Shape;
  if (query.shape == log) {
    CAIRN_TRY(query.scaling_factor, positive(in, "scaling_factor"));
    if (query.scaling_factor < 1)
      return illegal_argument("[scaling_factor] must be >= 1, or scores would be negative");
  }
  if (query.shape == sigmoid || (query.shape == saturation && in.any("pivot") != nullptr)) {
    CAIRN_TRY(query.pivot, positive(in, "pivot"));
  }
  if (query.shape == sigmoid) {
    CAIRN_TRY(query.exponent, positive(in, "exponent"));
  }
  return in.finish();
}

}  // namespace

Result<Query> QueryReader::read_distance_feature(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "distance_feature");
  CAIRN_TRY(const auto field, in.string("field"));
  const Json* origin = in.any("origin");
  CAIRN_TRY(const auto pivot, in.string("pivot"));
  if (!field) return in.fault("field", "Required [field]");
  if (origin == nullptr) return in.fault("origin", "Required [origin]");
  if (!pivot) return in.fault("pivot", "Required [pivot]");
  if (origin->is_object() || origin->is_array())
    return not_offered("distance_feature from a place", "there are no geo_point fields");
  CAIRN_TRY(const std::int64_t pivot_ms, parse_time_value(*pivot, "distance_feature.pivot"));
  if (pivot_ms <= 0) return illegal_argument("pivotDistance must be > 0, got [" + *pivot + "]");
  return made(index::DistanceFeatureQuery{.field = *field, .origin = *origin, .pivot_ms = pivot_ms},
              in);
}

Result<Query> QueryReader::read_rank_feature(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "rank_feature");
  CAIRN_TRY(const auto field, in.string("field"));
  if (!field) return in.fault("field", "Required [field]");
  RankFeatureQuery query{.field = *field};
  bool found = false;
  for (std::size_t i = 0; i < feature_functions.size(); ++i) {
    CAIRN_TRY(const Json* function, in.object(feature_functions[i]));
    if (function == nullptr) continue;
    if (found)
      return illegal_argument(
          "Can only specify one of [log], [saturation], [sigmoid] and [linear]");
    found = true;
    query.shape = static_cast<RankFeatureQuery::Shape>(i);
    const std::string name(feature_functions[i]);
    CAIRN_CHECK(read_feature_function(query, reader(*function, in.path_of(name), name)));
  }
  return made(std::move(query), in);
}

/// What a `pinned` names: ids, or documents with their indices.
Result<std::vector<Query>> QueryReader::read_pins(Reader& in) {
  CAIRN_TRY(const auto ids, in.strings("ids"));
  CAIRN_TRY(const Json* docs, in.array("docs"));
  if (ids.has_value() == (docs != nullptr))
    return parsing_error(text_, in.path_of("ids"),
                         "[pinned] takes either [ids] or [docs], and one of them");
  std::vector<Query> out;
  for (const std::string& id : ids.value_or(std::vector<std::string>{}))
    out.push_back({.node = index::IdsQuery{{id}}});
  for (std::size_t i = 0; docs != nullptr && i < docs->as_array().size(); ++i) {
    const Json& doc = docs->as_array()[i];
    if (!doc.is_object()) return in.fault("docs", "[docs] must have objects");
    Reader one = reader(doc, in.path_of("docs"), "pinned");
    CAIRN_TRY(const auto id, one.string("_id"));
    CAIRN_TRY(const auto index, one.string("_index"));
    CAIRN_CHECK(one.finish());
    if (!id) return one.fault("_id", "Required [_id]");
    index::BoolQuery both;
    both.filter.push_back({.node = index::IdsQuery{{*id}}});
    if (index)
      both.filter.push_back({.node = index::TermQuery{.field = "_index", .value = *index}});
    out.push_back({.node = std::move(both)});
  }
  if (out.size() > pinned_max)
    return illegal_argument("[pinned] takes [" + std::to_string(pinned_max) +
                            "] documents at most, but got [" + std::to_string(out.size()) + "]");
  return out;
}

Result<Query> QueryReader::read_pinned(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "pinned", Reader::Style::query);
  CAIRN_TRY(const Json* organic, in.object("organic"));
  if (organic == nullptr) return parsing_error(text_, path, "[pinned] requires an [organic] query");
  CAIRN_TRY(auto pins, read_pins(in));
  CAIRN_TRY(auto found, read(*organic, in.path_of("organic")));
  // No score of it reaches those of the pins.
  index::FunctionScoreQuery capped;
  capped.query.push_back(std::move(found));
  capped.functions.push_back({.filter = {}, .of = {}, .weight = score_of_bits(organic_most_bits)});
  capped.boost_mode = index::FunctionScoreQuery::BoostMode::min;
  index::DisMaxQuery any;
  auto bits = static_cast<std::uint32_t>(organic_most_bits + pins.size());
  for (Query& pin : pins)
    any.queries.push_back({.node = index::ConstantScoreQuery{.filter = {std::move(pin)}},
                           .boost = score_of_bits(bits--)});
  any.queries.push_back({.node = std::move(capped)});
  CAIRN_TRY(Query out, made(std::move(any), in));
  if (out.boost != 1) return not_offered("boost of a pinned query", "boost its [organic] query");
  return out;
}

}  // namespace cairn::search
