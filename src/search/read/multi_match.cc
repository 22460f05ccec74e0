// SPDX-License-Identifier: Apache-2.0
// One text looked for in several fields: multi_match of every type, combined_fields.
#include <algorithm>
#include <array>
#include <memory>

#include "search/errors.h"
#include "search/read/query_reader.h"
#include "search/read/text_options.h"
#include "text/analyzer.h"

namespace cairn::search {

using index::FieldType;
using index::MatchPhraseQuery;
using index::MatchQuery;
using index::Query;

Status QueryReader::check_copies(const std::string& text, std::size_t fields) const {
  if (fields == 0 || text.size() <= options_.max_copied_bytes / fields) return ok_status();
  return illegal_argument("a text of [" + std::to_string(text.size()) + "] bytes for [" +
                          std::to_string(fields) + "] fields is too much: together at most [" +
                          std::to_string(options_.max_copied_bytes) +
                          "] bytes; shorten it, or name fewer fields");
}

namespace {

using AnalyzerPtr = std::shared_ptr<const text::Analyzer>;

/// The fields of one analyzer, in the order in which they were named.
struct FieldGroup {
  AnalyzerPtr analyzer;
  std::vector<std::pair<std::string, float>> fields;
};

AnalyzerPtr search_analyzer(const index::Field& field) {
  if (field.type != FieldType::text) return text::named_analyzer("keyword");
  return field.search_analysis != nullptr ? field.search_analysis : field.index_analysis;
}

/// Whatever the words of a group are; each may stand in any of its fields.
index::BoolQuery words_in(const FieldGroup& group, const text::Tokens& tokens,
                          const MatchQuery& match, float tie_breaker) {
  index::BoolQuery all;
  for (std::size_t i = 0; i < tokens.list.size();) {
    index::BlendedQuery any{.words = {}, .fields = group.fields, .tie_breaker = tie_breaker};
    const std::uint32_t position = tokens.list[i].position;
    for (; i < tokens.list.size() && tokens.list[i].position == position; ++i)
      any.words.emplace_back(tokens.term(tokens.list[i]));
    auto& clauses = match.op == index::Operator::and_ ? all.must : all.should;
    clauses.push_back({.node = std::move(any)});
  }
  all.minimum_should_match = match.minimum_should_match;
  return all;
}

}  // namespace

Result<Query> QueryReader::cross_fields(const MatchQuery& match, const WeightedFields& fields,
                                        float tie_breaker) {
  const AnalyzerPtr given = mapping_.analyzers().find(match.analyzer);
  std::vector<FieldGroup> groups;
  for (const auto& [name, boost] : fields) {
    const index::Field* field = mapping_.find(name);
    if (field == nullptr) continue;
    const AnalyzerPtr own = given != nullptr ? given : search_analyzer(*field);
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const FieldGroup& group) { return group.analyzer == own; });
    if (at == groups.end()) at = groups.insert(at, {.analyzer = own, .fields = {}});
    at->fields.emplace_back(name, boost);
  }
  index::DisMaxQuery best{.queries = {}, .tie_breaker = tie_breaker};
  std::size_t clauses = 0;
  for (const FieldGroup& group : groups) {
    text::Tokens tokens;
    tokens.most = options_.max_clauses;
    group.analyzer->analyze(scalar_text(match.value), tokens);
    clauses += tokens.list.size() * group.fields.size();
    if (tokens.cut || clauses > options_.max_clauses) return too_many_clauses();
    if (!tokens.list.empty())
      best.queries.push_back({.node = words_in(group, tokens, match, tie_breaker)});
    else if (match.zero_terms == index::ZeroTerms::all)
      best.queries.push_back({.node = index::MatchAllQuery{}});
  }
  if (best.queries.empty()) return Query{.node = index::MatchNoneQuery{}};
  if (best.queries.size() == 1) return std::move(best.queries.front());
  return Query{.node = std::move(best)};
}

namespace {

/// The ways of asking several fields.
enum class MultiMatch {
  best_fields,
  most_fields,
  cross_fields,
  phrase,
  phrase_prefix,
  bool_prefix
};
constexpr std::array<std::string_view, 6> multi_match_names = {
    "best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix", "bool_prefix"};

Result<MultiMatch> read_type(Reader& in) {
  CAIRN_TRY(const std::string name, in.string_or("type", "best_fields"));
  for (std::size_t i = 0; i < multi_match_names.size(); ++i)
    if (name == multi_match_names[i]) return static_cast<MultiMatch>(i);
  return in.fault("type", "failed to parse [multi_match] query type [" + name + "]. unknown type.");
}

/// How much of the other fields' scores is added to the best one.
float usual_tie_breaker(MultiMatch type) {
  return type == MultiMatch::most_fields || type == MultiMatch::bool_prefix ? 1.0f : 0.0f;
}

bool is_phrase(MultiMatch type) {
  return type == MultiMatch::phrase || type == MultiMatch::phrase_prefix;
}

}  // namespace

Result<Query> QueryReader::read_multi_match(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "multi_match", Reader::Style::query);
  CAIRN_TRY(auto patterns, in.strings("fields"));
  if (!patterns && !default_fields_.empty()) patterns = default_fields_;
  CAIRN_TRY(const MultiMatch type, read_type(in));
  const std::string name(multi_match_names[static_cast<std::size_t>(type)]);
  CAIRN_TRY(MatchQuery match, match_options(in));
  CAIRN_TRY(const auto tie_breaker, in.number("tie_breaker"));
  CAIRN_TRY(const std::size_t slop, read_unsigned(in, "slop", 0));
  if (!match.fuzziness.empty() && (is_phrase(type) || type == MultiMatch::cross_fields))
    return parsing_error(text_, path, "Fuzziness not allowed for type [" + name + "]");
  if (slop > 0 && type == MultiMatch::bool_prefix)
    return parsing_error(text_, path, "[slop] not allowed for type [bool_prefix]");
  match.prefix = type == MultiMatch::bool_prefix;
  CAIRN_TRY(const auto fields, expand(patterns.value_or(std::vector<std::string>{})));
  CAIRN_CHECK(check_copies(scalar_text(match.value), fields.size()));
  if (!patterns || *patterns == std::vector<std::string>{"*"}) match.lenient = true;
  const float tie = tie_breaker ? static_cast<float>(*tie_breaker) : usual_tie_breaker(type);
  if (type == MultiMatch::cross_fields) {
    CAIRN_TRY(Query query, cross_fields(match, fields, tie));
    return made(std::move(query.node), in);
  }
  index::DisMaxQuery any{.queries = {}, .tie_breaker = tie};
  for (const auto& [field, boost] : fields) {
    if (is_phrase(type)) {
      any.queries.push_back({.node = MatchPhraseQuery{.field = field,
                                                      .value = scalar_text(match.value),
                                                      .slop = slop,
                                                      .analyzer = match.analyzer,
                                                      .zero_terms = match.zero_terms,
                                                      .prefix = type == MultiMatch::phrase_prefix,
                                                      .max_expansions = match.max_expansions},
                             .boost = boost,
                             .lenient = match.lenient});
      continue;
    }
    MatchQuery one = match;
    one.field = field;
    CAIRN_TRY(auto query, match_on(std::move(one), boost));
    any.queries.push_back(std::move(query));
  }
  if (any.queries.empty()) return made(index::MatchNoneQuery{}, in);
  return made(std::move(any), in);
}

Result<Query> QueryReader::read_combined_fields(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "combined_fields", Reader::Style::query);
  const Json* value = in.any("query");
  if (value == nullptr || value->is_object() || value->is_array())
    return in.fault("query", "Required [query]");
  CAIRN_TRY(const auto patterns, in.strings("fields"));
  if (!patterns || patterns->empty())
    return in.fault("fields", "In combined_fields query, at least one field must be provided");
  index::CombinedFieldsQuery query;
  query.value = scalar_text(*value);
  CAIRN_TRY(query.op, read_operator(in));
  CAIRN_TRY(query.minimum_should_match, in.string_or("minimum_should_match", ""));
  CAIRN_TRY(query.zero_terms, read_zero_terms(in));
  CAIRN_CHECK(in.boolean("auto_generate_synonyms_phrase_query"));
  CAIRN_TRY(const WeightedFields fields, expand(*patterns));
  CAIRN_CHECK(check_copies(query.value, fields.size()));
  for (const auto& [name, weight] : fields) {
    if (!(weight >= 1))
      return illegal_argument("[combined_fields] requires field boosts to be >= 1.0");
    // A pattern stands for the texts alone.
    const index::Field* field = mapping_.find(name);
    const bool named = std::any_of(patterns->begin(), patterns->end(), [&](const auto& pattern) {
      return pattern.substr(0, pattern.find('^')) == name;
    });
    if (named || field == nullptr || field->type == FieldType::text)
      query.fields.emplace_back(name, weight);
  }
  return made(std::move(query), in);
}

}  // namespace cairn::search
