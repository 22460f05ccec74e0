// SPDX-License-Identifier: Apache-2.0
// Which query is it, and the queries made of queries.
#include "search/read/query_reader.h"

#include <array>
#include <memory>

#include "base/strings.h"
#include "search/errors.h"

namespace cairn::search {

using index::Query;

namespace {

/// The error for a query of a name that nobody knows.
Error unknown_query(std::string_view text, const std::string& path, const std::string& name,
                    const std::vector<std::string>& known) {
  std::string message = "unknown query [" + name + "]";
  if (const auto near = nearest(name, known)) message += " did you mean [" + *near + "]?";
  const std::string at = path.empty() ? name : path + "." + name;
  Error error = parsing_error(text, at, std::move(message));
  Error cause = content_error(text, at, "unknown field [" + name + "]");
  cause.code = "named_object_not_found_exception";
  error.cause = std::make_shared<const Error>(std::move(cause));
  return error;
}

}  // namespace

QueryReader::Face QueryReader::face_of(std::string_view name) {
  static const std::array<std::pair<std::string_view, Face>, 47> table = {{
      {"match_all", &QueryReader::read_match_all},
      {"match_none", &QueryReader::read_match_none},
      {"match", &QueryReader::read_match},
      {"match_bool_prefix", &QueryReader::read_match_bool_prefix},
      {"match_phrase", &QueryReader::read_match_phrase},
      {"match_phrase_prefix", &QueryReader::read_match_phrase_prefix},
      {"multi_match", &QueryReader::read_multi_match},
      {"combined_fields", &QueryReader::read_combined_fields},
      {"term", &QueryReader::read_term},
      {"terms", &QueryReader::read_terms},
      {"terms_set", &QueryReader::read_terms_set},
      {"range", &QueryReader::read_range},
      {"exists", &QueryReader::read_exists},
      {"ids", &QueryReader::read_ids},
      {"prefix", &QueryReader::read_prefix},
      {"wildcard", &QueryReader::read_wildcard},
      {"regexp", &QueryReader::read_regexp},
      {"fuzzy", &QueryReader::read_fuzzy},
      {"bool", &QueryReader::read_bool},
      {"constant_score", &QueryReader::read_constant_score},
      {"dis_max", &QueryReader::read_dis_max},
      {"boosting", &QueryReader::read_boosting},
      {"nested", &QueryReader::read_nested},
      {"function_score", &QueryReader::read_function_score},
      {"script_score", &QueryReader::read_script_score},
      {"script", &QueryReader::read_script},
      {"distance_feature", &QueryReader::read_distance_feature},
      {"rank_feature", &QueryReader::read_rank_feature},
      {"more_like_this", &QueryReader::read_more_like_this},
      {"pinned", &QueryReader::read_pinned},
      {"span_term", &QueryReader::read_span_term},
      {"span_multi", &QueryReader::read_span_multi},
      {"span_near", &QueryReader::read_span_near},
      {"span_gap", &QueryReader::read_span_gap},
      {"span_or", &QueryReader::read_span_or},
      {"span_not", &QueryReader::read_span_not},
      {"span_first", &QueryReader::read_span_first},
      {"span_containing", &QueryReader::read_span_containing},
      {"span_within", &QueryReader::read_span_within},
      {"span_field_masking", &QueryReader::read_span_masking},
      {"field_masking_span", &QueryReader::read_span_masking},
      {"intervals", &QueryReader::read_intervals},
      {"knn", &QueryReader::read_knn_query},
      {"sparse_vector", &QueryReader::read_sparse_vector},
      {"semantic", &QueryReader::read_semantic},
      {"query_string", &QueryReader::read_query_string},
      {"simple_query_string", &QueryReader::read_simple_query_string},
  }};
  for (const auto& [known, face] : table)
    if (known == name) return face;
  return nullptr;
}

std::vector<std::string> QueryReader::names() {
  return {"match_all",
          "match_none",
          "match",
          "match_bool_prefix",
          "match_phrase",
          "match_phrase_prefix",
          "multi_match",
          "combined_fields",
          "term",
          "terms",
          "terms_set",
          "range",
          "exists",
          "ids",
          "prefix",
          "wildcard",
          "regexp",
          "fuzzy",
          "bool",
          "dis_max",
          "boosting",
          "nested",
          "function_score",
          "script_score",
          "script",
          "distance_feature",
          "rank_feature",
          "more_like_this",
          "pinned",
          "span_term",
          "span_multi",
          "span_near",
          "span_gap",
          "span_or",
          "span_not",
          "span_first",
          "span_containing",
          "span_within",
          "span_field_masking",
          "field_masking_span",
          "intervals",
          "knn",
          "sparse_vector",
          "semantic",
          "query_string",
          "simple_query_string",
          "constant_score"};
}

Result<Query> QueryReader::read(const Json& json, const std::string& path) {
  if (!json.is_object())
    return parsing_error(text_, path, "[_na] query malformed, must start with start_object");
  if (json.as_object().empty()) return illegal_argument("query malformed, empty clause found");
  const auto& [name, body] = json.as_object().front();
  if (json.as_object().size() > 1)
    return parsing_error(text_, path,
                         "[" + name +
                             "] malformed query, expected [END_OBJECT] but found "
                             "[FIELD_NAME]");
  const Face face = face_of(name);
  if (face == nullptr) return unknown_query(text_, path, name, names());
  if (!body.is_object())
    return parsing_error(text_, path,
                         "[" + name + "] query malformed, no start_object after query name");
  // Queries made of queries are no clauses, so an index counts exactly; here is what ends the
  // reading of a body that is all queries.
  if (depth_ == 0) read_ = 0;
  if (++read_ > 2 * options_.max_clauses) return too_many_clauses();
  if (depth_ >= options_.max_query_depth)
    return illegal_argument(
        "The nested depth of the query exceeds the maximum nested depth for "
        "queries set in [indices.query.bool.max_nested_depth: " +
        std::to_string(options_.max_query_depth) + "]");
  ++depth_;
  auto query = (this->*face)(body, path.empty() ? name : path + "." + name);
  --depth_;
  return query;
}

Error QueryReader::too_many_clauses() const {
  return illegal_argument("Query contains too many nested clauses; maxClauseCount is set to " +
                          std::to_string(options_.max_clauses));
}

Result<std::vector<Query>> QueryReader::read_list(const Json& json, const std::string& path) {
  std::vector<Query> out;
  if (!json.is_array()) {
    CAIRN_TRY(auto one, read(json, path));
    out.push_back(std::move(one));
    return out;
  }
  // Before the work: nothing of a list that is too long is read.
  if (json.as_array().size() > options_.max_clauses) return too_many_clauses();
  for (const Json& element : json.as_array()) {
    CAIRN_TRY(auto one, read(element, path));
    out.push_back(std::move(one));
  }
  return out;
}

Result<Query> QueryReader::made(Query::Node node, Reader& reader, bool lenient) {
  CAIRN_TRY(const float boost, reader.number_or("boost", 1));
  CAIRN_TRY(const auto name, reader.string("_name"));
  CAIRN_CHECK(reader.finish());
  if (boost < 0)
    return illegal_argument(
        "negative [boost] are not allowed in queries, use a value between 0 "
        "and 1 to deboost");
  Query query{.node = std::move(node), .boost = boost, .lenient = lenient};
  if (name) {
    query.label = static_cast<std::uint32_t>(named_.size() + 1);
    named_.push_back({*name, query});
  }
  return query;
}

Result<QueryReader::FieldBody> QueryReader::field_body(const Json& body, const std::string& path,
                                                       std::string_view name) {
  const auto& members = body.as_object();
  if (members.empty()) return illegal_argument("[" + std::string(name) + "] requires a field name");
  if (members.size() > 1)
    return parsing_error(text_, path,
                         "[" + std::string(name) +
                             "] query doesn't support multiple fields, found [" + members[0].first +
                             "] and [" + members[1].first + "]");
  return FieldBody{members[0].first, &members[0].second};
}

Result<Query> QueryReader::read_match_all(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "match_all");
  return made(index::MatchAllQuery{}, in);
}

Result<Query> QueryReader::read_match_none(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "match_none");
  return made(index::MatchNoneQuery{}, in);
}

Result<Query> QueryReader::read_bool(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "bool");
  index::BoolQuery query;
  const auto clauses = [&](std::string_view name, std::vector<Query>& out) -> Status {
    const Json* given = in.any(name);
    if (given == nullptr) return ok_status();
    CAIRN_TRY(out, read_list(*given, in.path_of(name)));
    return ok_status();
  };
  CAIRN_CHECK(clauses("must", query.must));
  CAIRN_CHECK(clauses("should", query.should));
  CAIRN_CHECK(clauses("filter", query.filter));
  CAIRN_CHECK(clauses("must_not", query.must_not));
  CAIRN_TRY(query.minimum_should_match, in.string_or("minimum_should_match", ""));
  if (query.must.empty() && query.should.empty() && query.filter.empty() && query.must_not.empty())
    return made(index::MatchAllQuery{}, in);
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_constant_score(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "constant_score", Reader::Style::query);
  CAIRN_TRY(const Json* filter, in.object("filter"));
  if (filter == nullptr)
    return parsing_error(text_, path, "[constant_score] requires a 'filter' element");
  index::ConstantScoreQuery query;
  CAIRN_TRY(query.filter, read_list(*filter, in.path_of("filter")));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_dis_max(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "dis_max", Reader::Style::query);
  const Json* queries = in.any("queries");
  if (queries == nullptr)
    return parsing_error(text_, path,
                         "[dis_max] requires 'queries' field with at least one clause");
  index::DisMaxQuery query;
  CAIRN_TRY(query.queries, read_list(*queries, in.path_of("queries")));
  CAIRN_TRY(query.tie_breaker, in.number_or("tie_breaker", 0));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_boosting(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "boosting", Reader::Style::query);
  CAIRN_TRY(const Json* positive, in.object("positive"));
  CAIRN_TRY(const Json* negative, in.object("negative"));
  CAIRN_TRY(const auto negative_boost, in.number("negative_boost"));
  if (positive == nullptr)
    return parsing_error(text_, path, "[boosting] query requires 'positive' query to be set'");
  if (negative == nullptr)
    return parsing_error(text_, path, "[boosting] query requires 'negative' query to be set'");
  if (!negative_boost || *negative_boost < 0)
    return parsing_error(text_, path,
                         "[boosting] query requires 'negative_boost' to be set to be a positive "
                         "value'");
  index::BoostingQuery query{
      .positive = {}, .negative = {}, .negative_boost = static_cast<float>(*negative_boost)};
  CAIRN_TRY(query.positive, read_list(*positive, in.path_of("positive")));
  CAIRN_TRY(query.negative, read_list(*negative, in.path_of("negative")));
  return made(std::move(query), in);
}

Result<WeightedFields> QueryReader::expand(const std::vector<std::string>& patterns) const {
  WeightedFields out;
  const auto has_words = [](index::FieldType type) {
    return type < index::FieldType::dense_vector;  // texts, numbers, booleans and dates
  };
  const auto add_matching = [&](const std::string& pattern, float boost) {
    for (const index::Field* field : mapping_.match(pattern))
      if (has_words(field->type) && field->index) out.emplace_back(field->name, boost);
  };
  const auto too_many = [&](const std::string& pattern) {
    return illegal_argument(
        "field expansion for [" + pattern + "] matches too many fields, limit: " +
        std::to_string(options_.max_clauses) + ", got: " + std::to_string(out.size()));
  };
  for (const std::string& pattern : patterns) {
    if (out.size() > options_.max_clauses) return too_many(pattern);
    const auto caret = pattern.find('^');
    const std::string name = pattern.substr(0, caret);
    float boost = 1;
    if (caret != std::string::npos)
      boost = parse_number<float>(std::string_view(pattern).substr(caret + 1)).value_or(1);
    if (name.find('*') == std::string::npos)
      out.emplace_back(name, boost);
    else
      add_matching(name, boost);
  }
  if (patterns.empty()) add_matching("*", 1);
  if (out.size() > options_.max_clauses) return too_many(patterns.empty() ? "*" : patterns.back());
  return out;
}

}  // namespace cairn::search
