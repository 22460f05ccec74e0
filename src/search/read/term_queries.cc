// SPDX-License-Identifier: Apache-2.0
// Queries for exact values: term, terms, range, exists, ids, prefix, wildcard, regexp, fuzzy.
#include <algorithm>

#include "base/strings.h"
#include "search/errors.h"
#include "search/read/query_reader.h"
#include "search/read/rewrite.h"
#include "search/read/text_options.h"
#include "search/source_filter.h"

namespace cairn::search {

using index::Query;

Result<Query> QueryReader::read_term(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "term"));
  index::TermQuery query{.field = given.field, .value = {}};
  const auto wrong = [&] {
    return parsing_error(text_, path, "[term] query does not support array of values");
  };
  if (given.value->is_array()) return wrong();
  if (!given.value->is_object()) {
    if (given.value->is_null()) return illegal_argument("value cannot be null");
    query.value = *given.value;
    return Query{.node = std::move(query)};
  }
  Reader in = reader(*given.value, path + "." + given.field, "term", Reader::Style::query);
  const Json* value = in.any("value");
  if (value == nullptr) return illegal_argument("value cannot be null");
  if (value->is_array() || value->is_object()) return wrong();
  query.value = *value;
  CAIRN_TRY(query.case_insensitive, in.boolean_or("case_insensitive", false));
  return made(std::move(query), in);
}

// Values that stand in a document: {"index", "id", "path", "routing"}.
Result<std::vector<Json>> QueryReader::looked_up_terms(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "terms_lookup");
  DocumentName name;
  CAIRN_TRY(const auto index, in.string("index"));
  CAIRN_TRY(const auto id, in.string("id"));
  CAIRN_TRY(const auto field, in.string("path"));
  CAIRN_TRY(name.routing, in.string_or("routing", ""));
  CAIRN_CHECK(in.finish());
  if (!index || !id || !field)
    return in.fault(!index ? "index"
                    : !id  ? "id"
                           : "path",
                    "Required [" +
                        std::string(!index ? "index"
                                    : !id  ? "id"
                                           : "path") +
                        "]");
  name.index = *index;
  name.id = *id;
  if (documents_ == nullptr) return not_offered("terms lookup here", "send the values themselves");
  CAIRN_TRY(const Json* source, documents_->source(name));
  std::vector<Json> out;
  if (source == nullptr) return out;
  for (Json& value : values_at(*source, *field)) {
    if (value.is_null()) continue;
    if (value.is_object())
      return illegal_argument("[terms] lookup: [" + *field + "] of document [" + name.id +
                              "] has objects, not values");
    out.push_back(std::move(value));
  }
  return out;
}

Result<Query> QueryReader::read_terms(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "terms", Reader::Style::query);
  index::TermsQuery query;
  for (const auto& [name, value] : body.as_object()) {
    if (name == "boost" || name == "_name") continue;
    if (!query.field.empty())
      return parsing_error(text_, path,
                           "[terms] query doesn't support multiple fields, found [" + query.field +
                               "] and [" + name + "]");
    query.field = name;
    (void)in.any(name);
    if (value.is_object()) {
      CAIRN_TRY(query.values, looked_up_terms(value, path + "." + name));
      continue;
    }
    if (!value.is_array())
      return parsing_error(text_, path,
                           "[terms] query requires an array of terms for [" + name + "]");
    for (const Json& element : value.as_array()) {
      if (element.is_null() || element.is_array() || element.is_object())
        return parsing_error(text_, path, "No value specified for terms query");
      query.values.push_back(element);
    }
  }
  if (query.field.empty())
    return parsing_error(text_, path,
                         "[terms] query requires a field name, followed by array of terms or a "
                         "document lookup specification");
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_terms_set(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "terms_set"));
  if (!given.value->is_object())
    return parsing_error(text_, path,
                         "[terms_set] query malformed, no start_object after its field");
  Reader in = reader(*given.value, path + "." + given.field, "terms_set", Reader::Style::query);
  index::TermsSetQuery query{.field = given.field, .values = {}, .least_field = {}};
  CAIRN_TRY(const Json* terms, in.array("terms"));
  CAIRN_TRY(query.least_field, in.string_or("minimum_should_match_field", ""));
  CAIRN_TRY(const auto least, in.string("minimum_should_match"));
  if (in.has("minimum_should_match_script")) {
    CAIRN_TRY(query.least_script, read_script_of(in, "minimum_should_match_script"));
  }
  if (terms == nullptr) return parsing_error(text_, path, "[terms_set] requires [terms]");
  const int given_ways = (least ? 1 : 0) + (query.least_field.empty() ? 0 : 1) +
                         (query.least_script ? 1 : 0);
  if (given_ways != 1)
    return parsing_error(text_, path,
                         "[terms_set] requires either [minimum_should_match_field], "
                         "[minimum_should_match_script] or [minimum_should_match]");
  if (terms->as_array().size() > options_.max_clauses) return too_many_clauses();
  for (const Json& value : terms->as_array()) {
    if (value.is_null() || value.is_array() || value.is_object())
      return parsing_error(text_, path, "No value specified for terms query");
    query.values.push_back(value);
  }
  if (!least) return made(std::move(query), in);
  // The same number for all documents.
  index::BoolQuery any;
  any.minimum_should_match = *least;
  for (Json& value : query.values)
    any.should.push_back(
        {.node = index::TermQuery{.field = query.field, .value = std::move(value)}});
  if (any.should.empty()) return made(index::MatchNoneQuery{}, in);
  return made(std::move(any), in);
}

Result<Query> QueryReader::read_range(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "range"));
  if (!given.value->is_object())
    return parsing_error(text_, path, "[range] query malformed, no start_object after query name");
  Reader in = reader(*given.value, path + "." + given.field, "range", Reader::Style::query);
  index::RangeQuery query{.field = given.field};
  bool include_lower = true;
  bool include_upper = true;
  const auto bound = [&](std::string_view name, std::optional<Json>& out) -> Status {
    const Json* value = in.any(name);
    if (value == nullptr) return ok_status();
    if (value->is_array() || value->is_object())
      return in.fault(name, "a bound must be a number, a text or a date");
    out = *value;
    return ok_status();
  };
  CAIRN_CHECK(bound("gt", query.gt));
  CAIRN_CHECK(bound("gte", query.gte));
  CAIRN_CHECK(bound("lt", query.lt));
  CAIRN_CHECK(bound("lte", query.lte));
  // The older spelling: from, to, include_lower, include_upper.
  CAIRN_TRY(include_lower, in.boolean_or("include_lower", true));
  CAIRN_TRY(include_upper, in.boolean_or("include_upper", true));
  CAIRN_CHECK(bound("from", include_lower ? query.gte : query.gt));
  CAIRN_CHECK(bound("to", include_upper ? query.lte : query.lt));
  CAIRN_TRY(query.format, in.string_or("format", ""));
  CAIRN_TRY(query.time_zone, in.string_or("time_zone", ""));
  CAIRN_TRY(const std::string relation, in.string_or("relation", "intersects"));
  (void)relation;  // says something about ranges as values, which no field here has
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_exists(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "exists", Reader::Style::query);
  CAIRN_TRY(const auto field, in.string("field"));
  if (!field || field->empty())
    return parsing_error(text_, path, "[exists] must be provided with a [field]");
  return made(index::ExistsQuery{*field}, in);
}

Result<Query> QueryReader::read_ids(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "ids");
  CAIRN_TRY(auto values, in.strings("values"));
  if (!values) return in.fault("values", "Required [values]");
  return made(index::IdsQuery{std::move(*values)}, in);
}

Result<Query> QueryReader::read_prefix(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "prefix"));
  index::PrefixQuery query{.field = given.field, .value = {}};
  if (!given.value->is_object()) {
    query.value = scalar_text(*given.value);
    return Query{.node = std::move(query)};
  }
  Reader in = reader(*given.value, path + "." + given.field, "prefix", Reader::Style::query);
  CAIRN_TRY(query.value, in.required_string("value"));
  CAIRN_TRY(query.case_insensitive, in.boolean_or("case_insensitive", false));
  CAIRN_CHECK(check_constant_rewrite(in));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_wildcard(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "wildcard"));
  index::WildcardQuery query{.field = given.field, .value = {}};
  if (!given.value->is_object()) {
    query.value = scalar_text(*given.value);
    return Query{.node = std::move(query)};
  }
  Reader in = reader(*given.value, path + "." + given.field, "wildcard", Reader::Style::query);
  CAIRN_TRY(const auto older, in.string("wildcard"));
  if (older) {
    query.value = *older;
  } else {
    CAIRN_TRY(query.value, in.required_string("value"));
  }
  CAIRN_TRY(query.case_insensitive, in.boolean_or("case_insensitive", false));
  CAIRN_CHECK(check_constant_rewrite(in));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_regexp(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "regexp"));
  index::RegexpQuery query{.field = given.field, .value = {}};
  if (!given.value->is_object()) {
    query.value = scalar_text(*given.value);
    return Query{.node = std::move(query)};
  }
  Reader in = reader(*given.value, path + "." + given.field, "regexp", Reader::Style::query);
  CAIRN_TRY(query.value, in.required_string("value"));
  CAIRN_TRY(query.flags, read_regexp_flags(in));
  CAIRN_TRY(query.case_insensitive, in.boolean_or("case_insensitive", false));
  CAIRN_TRY(query.max_states, read_regexp_states(in, options_.max_regexp_states));
  CAIRN_CHECK(check_constant_rewrite(in));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_fuzzy(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "fuzzy"));
  index::FuzzyQuery query{.field = given.field, .value = {}};
  if (!given.value->is_object()) {
    query.value = scalar_text(*given.value);
    return Query{.node = std::move(query)};
  }
  Reader in = reader(*given.value, path + "." + given.field, "fuzzy", Reader::Style::query);
  CAIRN_TRY(query.value, in.required_string("value"));
  CAIRN_TRY(query.fuzziness, in.string_or("fuzziness", "AUTO"));
  CAIRN_TRY(const auto prefix_length, in.integer("prefix_length"));
  CAIRN_TRY(const auto max_expansions, in.integer("max_expansions"));
  CAIRN_TRY(query.transpositions, in.boolean_or("transpositions", true));
  CAIRN_TRY(const Rewrite rewrite, read_rewrite(in, "rewrite"));
  if (prefix_length.value_or(0) < 0 || max_expansions.value_or(1) < 1)
    return in.fault("max_expansions", "[prefix_length] and [max_expansions] must be positive");
  query.prefix_length = static_cast<std::size_t>(prefix_length.value_or(0));
  query.max_expansions = static_cast<std::size_t>(max_expansions.value_or(50));
  if (rewrite.most) query.max_expansions = *rewrite.most;
  if (!rewrite.constant) return made(std::move(query), in);
  return made(index::ConstantScoreQuery{.filter = {Query{.node = std::move(query)}}}, in);
}

}  // namespace cairn::search
