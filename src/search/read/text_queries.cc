// SPDX-License-Identifier: Apache-2.0
// Queries for analysed text: match, match_phrase, multi_match.
#include <algorithm>

#include "search/errors.h"
#include "search/read/query_reader.h"
#include "search/read/rewrite.h"
#include "text/analyzer.h"

namespace cairn::search {
namespace {

using index::FieldType;
using index::MatchPhraseQuery;
using index::MatchQuery;
using index::Query;

Result<index::ZeroTerms> zero_terms(Reader& in) {
  CAIRN_TRY(const std::string name, in.string_or("zero_terms_query", "none"));
  if (name == "none") return index::ZeroTerms::none;
  if (name == "all") return index::ZeroTerms::all;
  return in.fault("zero_terms_query", "unsupported zero_terms_query value [" + name + "]");
}

Result<std::size_t> count_of(Reader& in, std::string_view name, std::size_t fallback) {
  CAIRN_TRY(const auto value, in.integer(name));
  if (value.value_or(0) < 0)
    return in.fault(name, "No negative " + std::string(name) + " allowed.");
  return value ? static_cast<std::size_t>(*value) : fallback;
}

}  // namespace

Result<MatchQuery> QueryReader::match_options(Reader& in) {
  MatchQuery match;
  const Json* value = in.any("query");
  if (value == nullptr) return illegal_argument("No text specified for text query");
  if (value->is_object() || value->is_array())
    return in.fault("query",
                    "unknown token [" + std::string(json_token_of(*value)) + "] after [query]");
  match.value = *value;
  CAIRN_TRY(const std::string op, in.string_or("operator", "or"));
  if (op == "and" || op == "AND")
    match.op = index::Operator::and_;
  else if (op != "or" && op != "OR")
    return illegal_argument("operator needs to be either OR or AND, but not [" + op + "]");
  CAIRN_TRY(match.minimum_should_match, in.string_or("minimum_should_match", ""));
  CAIRN_TRY(match.fuzziness, in.string_or("fuzziness", ""));
  CAIRN_TRY(match.prefix_length, count_of(in, "prefix_length", 0));
  CAIRN_TRY(match.max_expansions, count_of(in, "max_expansions", 50));
  CAIRN_TRY(match.transpositions, in.boolean_or("fuzzy_transpositions", true));
  CAIRN_TRY(match.analyzer, in.string_or("analyzer", ""));
  CAIRN_TRY(match.zero_terms, zero_terms(in));
  CAIRN_TRY(match.lenient, in.boolean_or("lenient", false));
  CAIRN_TRY(const Rewrite rewrite, read_rewrite(in, "fuzzy_rewrite"));
  if (rewrite.constant)
    return not_offered("[fuzzy_rewrite] with a constant score", "put the query in constant_score");
  if (rewrite.most) match.max_expansions = *rewrite.most;
  CAIRN_CHECK(in.boolean("auto_generate_synonyms_phrase_query"));
  return match;
}

// On a semantic_text field the text is embedded instead of analysed.
Result<Query> QueryReader::match_on(MatchQuery match, float boost) {
  const index::Field* field = mapping_.find(match.field);
  if (field == nullptr || field->type != FieldType::semantic_text)
    return Query{.node = std::move(match), .boost = boost};
  CAIRN_TRY(auto node, semantic(*field, scalar_text(match.value)));
  return Query{.node = std::move(node), .boost = boost};
}

Result<Query> QueryReader::read_match(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "match"));
  if (given.value->is_array())
    return parsing_error(text_, path,
                         "[match] unknown token [START_ARRAY] after [" + given.field + "]");
  if (!given.value->is_object()) {
    if (given.value->is_null()) return illegal_argument("[match] requires query value");
    return match_on({.field = given.field, .value = *given.value}, 1);
  }
  Reader in = reader(*given.value, path + "." + given.field, "match", Reader::Style::query);
  CAIRN_TRY(MatchQuery match, match_options(in));
  match.field = given.field;
  CAIRN_TRY(Query query, match_on(std::move(match), 1));
  return made(std::move(query.node), in);
}

Result<Query> QueryReader::read_match_phrase(const Json& body, const std::string& path) {
  return read_phrase(body, path, false);
}

Result<Query> QueryReader::read_match_phrase_prefix(const Json& body, const std::string& path) {
  return read_phrase(body, path, true);
}

Result<Query> QueryReader::read_phrase(const Json& body, const std::string& path, bool prefix) {
  const std::string name = prefix ? "match_phrase_prefix" : "match_phrase";
  CAIRN_TRY(const FieldBody given, field_body(body, path, name));
  MatchPhraseQuery query{.field = given.field, .value = {}, .prefix = prefix};
  if (given.value->is_array())
    return parsing_error(text_, path,
                         "[" + name + "] unknown token [START_ARRAY] after [" + given.field + "]");
  if (!given.value->is_object()) {
    query.value = scalar_text(*given.value);
    return Query{.node = std::move(query)};
  }
  Reader in = reader(*given.value, path + "." + given.field, name, Reader::Style::query);
  CAIRN_TRY(query.value, in.required_string("query"));
  CAIRN_TRY(query.slop, count_of(in, "slop", 0));
  CAIRN_TRY(query.analyzer, in.string_or("analyzer", ""));
  CAIRN_TRY(query.zero_terms, zero_terms(in));
  if (prefix) {
    CAIRN_TRY(query.max_expansions, count_of(in, "max_expansions", 50));
  }
  return made(std::move(query), in);
}

Status QueryReader::check_copies(const std::string& text, std::size_t fields) const {
  if (fields == 0 || text.size() <= options_.max_copied_bytes / fields) return ok_status();
  return illegal_argument("a text of [" + std::to_string(text.size()) + "] bytes for [" +
                          std::to_string(fields) + "] fields is too much: together at most [" +
                          std::to_string(options_.max_copied_bytes) +
                          "] bytes; shorten it, or name fewer fields");
}

Result<Query> QueryReader::cross_fields(const MatchQuery& match, const WeightedFields& fields,
                                        float tie_breaker) {
  // The words are those of the first text field; each may be found in any of the fields.
  std::shared_ptr<const text::Analyzer> analyzer = mapping_.analyzers().find(match.analyzer);
  for (const auto& [name, boost] : fields)
    if (const index::Field* field = mapping_.find(name);
        analyzer == nullptr && field != nullptr && field->type == FieldType::text)
      analyzer = field->search_analysis != nullptr ? field->search_analysis : field->index_analysis;
  if (analyzer == nullptr) analyzer = text::named_analyzer("standard");
  index::BoolQuery all;
  text::Tokens tokens;
  tokens.most = options_.max_clauses;
  analyzer->analyze(scalar_text(match.value), tokens);
  if (tokens.cut || tokens.list.size() * fields.size() > options_.max_clauses)
    return too_many_clauses();
  for (const text::Token& token : tokens.list) {
    const std::string term(tokens.term(token));
    index::DisMaxQuery any{.queries = {}, .tie_breaker = tie_breaker};
    for (const auto& [name, boost] : fields)
      any.queries.push_back(
          {.node = MatchQuery{.field = name, .value = term, .analyzer = "keyword", .lenient = true},
           .boost = boost});
    auto& clauses = match.op == index::Operator::and_ ? all.must : all.should;
    clauses.push_back({.node = std::move(any)});
  }
  if (all.must.empty() && all.should.empty()) {
    if (match.zero_terms == index::ZeroTerms::all) return Query{.node = index::MatchAllQuery{}};
    return Query{.node = index::MatchNoneQuery{}};
  }
  all.minimum_should_match = match.minimum_should_match;
  return Query{.node = std::move(all)};
}

Result<Query> QueryReader::read_multi_match(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "multi_match", Reader::Style::query);
  CAIRN_TRY(auto patterns, in.strings("fields"));
  if (!patterns && !default_fields_.empty()) patterns = default_fields_;
  CAIRN_TRY(const std::string type, in.string_or("type", "best_fields"));
  CAIRN_TRY(MatchQuery match, match_options(in));
  CAIRN_TRY(const auto tie_breaker, in.number("tie_breaker"));
  CAIRN_TRY(const std::size_t slop, count_of(in, "slop", 0));
  const bool phrase = type == "phrase" || type == "phrase_prefix";
  if (type == "bool_prefix")
    return not_offered("multi_match type bool_prefix", "use phrase_prefix or best_fields");
  if (!phrase && type != "best_fields" && type != "most_fields" && type != "cross_fields")
    return in.fault("type",
                    "failed to parse [multi_match] query type [" + type + "]. unknown type.");
  CAIRN_TRY(const auto fields, expand(patterns.value_or(std::vector<std::string>{})));
  CAIRN_CHECK(check_copies(scalar_text(match.value), fields.size()));
  if (!patterns || *patterns == std::vector<std::string>{"*"}) match.lenient = true;
  const float tie = static_cast<float>(tie_breaker.value_or(type == "most_fields" ? 1.0 : 0.0));
  if (type == "cross_fields") {
    CAIRN_TRY(Query query, cross_fields(match, fields, tie));
    return made(std::move(query.node), in);
  }
  index::DisMaxQuery any{.queries = {}, .tie_breaker = tie};
  for (const auto& [name, boost] : fields) {
    if (phrase) {
      any.queries.push_back({.node = MatchPhraseQuery{.field = name,
                                                      .value = scalar_text(match.value),
                                                      .slop = slop,
                                                      .analyzer = match.analyzer,
                                                      .zero_terms = match.zero_terms,
                                                      .prefix = type == "phrase_prefix",
                                                      .max_expansions = match.max_expansions},
                             .boost = boost,
                             .lenient = match.lenient});
      continue;
    }
    MatchQuery one = match;
    one.field = name;
    CAIRN_TRY(auto query, match_on(std::move(one), boost));
    any.queries.push_back(std::move(query));
  }
  if (any.queries.empty()) return made(index::MatchNoneQuery{}, in);
  return made(std::move(any), in);
}

}  // namespace cairn::search
