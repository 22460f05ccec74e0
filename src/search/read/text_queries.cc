// SPDX-License-Identifier: Apache-2.0
// Queries for analysed text of one field: match, match_bool_prefix, match_phrase.
#include "search/errors.h"
#include "search/read/query_reader.h"
#include "search/read/rewrite.h"
#include "search/read/text_options.h"

namespace cairn::search {
namespace {

using index::FieldType;
using index::MatchPhraseQuery;
using index::MatchQuery;
using index::Query;

}  // namespace

Result<MatchQuery> QueryReader::word_options(Reader& in) {
  MatchQuery match;
  const Json* value = in.any("query");
  if (value == nullptr) return illegal_argument("No text specified for text query");
  if (value->is_object() || value->is_array())
    return in.fault("query",
                    "unknown token [" + std::string(json_token_of(*value)) + "] after [query]");
  match.value = *value;
  CAIRN_TRY(match.op, read_operator(in));
  CAIRN_TRY(match.minimum_should_match, in.string_or("minimum_should_match", ""));
  CAIRN_TRY(match.fuzziness, in.string_or("fuzziness", ""));
  CAIRN_TRY(match.prefix_length, read_unsigned(in, "prefix_length", 0));
  CAIRN_TRY(match.max_expansions, read_unsigned(in, "max_expansions", 50));
  CAIRN_TRY(match.transpositions, in.boolean_or("fuzzy_transpositions", true));
  CAIRN_TRY(match.analyzer, in.string_or("analyzer", ""));
  CAIRN_TRY(const Rewrite rewrite, read_rewrite(in, "fuzzy_rewrite"));
  if (rewrite.constant)
    return not_offered("[fuzzy_rewrite] with a constant score", "put the query in constant_score");
  if (rewrite.most) match.max_expansions = *rewrite.most;
  return match;
}

Result<MatchQuery> QueryReader::match_options(Reader& in) {
  CAIRN_TRY(MatchQuery match, word_options(in));
  CAIRN_TRY(match.zero_terms, read_zero_terms(in));
  CAIRN_TRY(match.lenient, in.boolean_or("lenient", false));
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

Result<Query> QueryReader::read_match_bool_prefix(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "match_bool_prefix"));
  if (given.value->is_array())
    return parsing_error(
        text_, path, "[match_bool_prefix] unknown token [START_ARRAY] after [" + given.field + "]");
  if (!given.value->is_object()) {
    if (given.value->is_null()) return illegal_argument("[match_bool_prefix] requires query value");
    return Query{.node = MatchQuery{.field = given.field, .value = *given.value, .prefix = true}};
  }
  Reader in =
      reader(*given.value, path + "." + given.field, "match_bool_prefix", Reader::Style::query);
  CAIRN_TRY(MatchQuery match, word_options(in));
  match.field = given.field;
  match.prefix = true;
  return made(std::move(match), in);
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
  CAIRN_TRY(query.slop, read_unsigned(in, "slop", 0));
  CAIRN_TRY(query.analyzer, in.string_or("analyzer", ""));
  CAIRN_TRY(query.zero_terms, read_zero_terms(in));
  if (prefix) {
    CAIRN_TRY(query.max_expansions, read_unsigned(in, "max_expansions", 50));
  }
  return made(std::move(query), in);
}

}  // namespace cairn::search
