// SPDX-License-Identifier: Apache-2.0
// Queries for pieces of a text: span_term, span_near and the others that take them as clauses.
#include <limits>

#include "search/errors.h"
#include "search/read/query_reader.h"

namespace cairn::search {
namespace {

using index::Query;
using index::SpanQuery;

/// The field of a query that stands for terms of one; null for any other query.
const std::string* field_of_terms(const Query& query) {
  return std::visit(
      [](const auto& node) -> const std::string* {
        using Node = std::decay_t<decltype(node)>;
        constexpr bool stands_for_terms = std::is_same_v<Node, index::PrefixQuery> ||
                                          std::is_same_v<Node, index::WildcardQuery> ||
                                          std::is_same_v<Node, index::RegexpQuery> ||
                                          std::is_same_v<Node, index::RangeQuery> ||
                                          std::is_same_v<Node, index::FuzzyQuery>;
        if constexpr (stands_for_terms) return &node.field;
        return nullptr;
      },
      query.node);
}

/// A number of positions. Errors: parsing_exception for one below 0, or above what a text has.
Result<std::uint32_t> read_positions(Reader& in, std::string_view name) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  CAIRN_TRY(const std::int64_t given, in.integer_or(name, 0));
  if (given < 0 || given > most)
    return in.fault(name, "[" + std::string(name) + "] must be from 0 to " + std::to_string(most) +
                              ", but was [" + std::to_string(given) + "]");
  return static_cast<std::uint32_t>(given);
}

}  // namespace

Result<SpanQuery> QueryReader::span_clause(const Json& json, const std::string& path,
                                           const std::string& parent) {
  CAIRN_TRY(Query query, read(json, path));
  auto* span = std::get_if<SpanQuery>(&query.node);
  if (span == nullptr) return parsing_error(text_, path, parent + " must be of type span query");
  if (query.boost != 1)
    return parsing_error(text_, path,
                         parent +
                             " as a nested span clause can't have non-default boost value; "
                             "give the boost to the outermost query");
  span->label = query.label;
  return std::move(*span);
}

Result<std::vector<SpanQuery>> QueryReader::span_clauses(Reader& in, const std::string& parent) {
  CAIRN_TRY(const Json* clauses, in.array("clauses"));
  if (clauses == nullptr || clauses->as_array().empty())
    return parsing_error(text_, in.path_of("clauses"), parent + " must include [clauses]");
  if (clauses->as_array().size() > options_.max_clauses) return too_many_clauses();
  std::vector<SpanQuery> out;
  for (const Json& clause : clauses->as_array()) {
    CAIRN_TRY(auto one, span_clause(clause, in.path_of("clauses"), parent + " [clauses]"));
    out.push_back(std::move(one));
  }
  return out;
}

Status QueryReader::add_span_clause(Reader& in, std::string_view member, const std::string& parent,
                                    SpanQuery& out) {
  CAIRN_TRY(const Json* clause, in.object(member));
  const std::string name = parent + " [" + std::string(member) + "]";
  if (clause == nullptr)
    return parsing_error(text_, in.path_of(member),
                         parent + " must have [" + std::string(member) + "] span query clause");
  CAIRN_TRY(auto one, span_clause(*clause, in.path_of(member), name));
  out.parts.push_back(std::move(one));
  return ok_status();
}

Result<Query> QueryReader::read_span_term(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "span_term"));
  SpanQuery query;
  query.field = given.field;
  const auto wrong = [&] {
    return parsing_error(text_, path, "[span_term] query takes one value that is no list");
  };
  if (given.value->is_array()) return wrong();
  if (!given.value->is_object()) {
    if (given.value->is_null()) return illegal_argument("value cannot be null");
    query.value = *given.value;
    return Query{.node = std::move(query)};
  }
  Reader in = reader(*given.value, path + "." + given.field, "span_term", Reader::Style::query);
  const Json* value = in.any("value");
  if (value == nullptr) value = in.any("term");
  if (value == nullptr) return illegal_argument("value cannot be null");
  if (value->is_array() || value->is_object()) return wrong();
  query.value = *value;
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_span_multi(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "span_multi", Reader::Style::query);
  CAIRN_TRY(const Json* match, in.object("match"));
  if (match == nullptr)
    return parsing_error(text_, path, "[span_multi] must have [match] multi term query clause");
  CAIRN_TRY(Query of, read(*match, in.path_of("match")));
  const std::string* field = field_of_terms(of);
  if (field == nullptr)
    return in.fault(
        "match",
        "[match] must be of type multi term query: a prefix, wildcard, regexp, range or "
        "fuzzy");
  if (of.boost != 1 || of.label != 0)
    return in.fault("match",
                    "[boost] and [_name] have no effect in the [match] of [span_multi]; give them "
                    "to [span_multi]");
  SpanQuery query;
  query.kind = SpanQuery::Kind::multi;
  query.field = *field;
  query.of.push_back(std::move(of));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_span_near(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "span_near", Reader::Style::query);
  SpanQuery query;
  query.kind = SpanQuery::Kind::near;
  CAIRN_TRY(query.parts, span_clauses(in, "span_near"));
  CAIRN_TRY(query.slop, read_positions(in, "slop"));
  CAIRN_TRY(query.in_order, in.boolean_or("in_order", true));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_span_gap(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "span_gap"));
  Reader in = reader(body, path, "span_gap", Reader::Style::query);
  SpanQuery query;
  query.kind = SpanQuery::Kind::gap;
  query.field = given.field;
  CAIRN_TRY(query.width, read_positions(in, given.field));
  return Query{.node = std::move(query)};
}

Result<Query> QueryReader::read_span_or(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "span_or", Reader::Style::query);
  SpanQuery query;
  query.kind = SpanQuery::Kind::any;
  CAIRN_TRY(query.parts, span_clauses(in, "span_or"));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_span_not(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "span_not", Reader::Style::query);
  SpanQuery query;
  query.kind = SpanQuery::Kind::without;
  CAIRN_CHECK(add_span_clause(in, "include", "span_not", query));
  CAIRN_CHECK(add_span_clause(in, "exclude", "span_not", query));
  const bool both = in.has("dist");
  if (both && (in.has("pre") || in.has("post")))
    return parsing_error(text_, path, "span_not can either use [dist] or [pre] & [post] (or none)");
  CAIRN_TRY(query.before, read_positions(in, both ? "dist" : "pre"));
  CAIRN_TRY(query.after, read_positions(in, both ? "dist" : "post"));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_span_first(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "span_first", Reader::Style::query);
  SpanQuery query;
  query.kind = SpanQuery::Kind::first;
  CAIRN_CHECK(add_span_clause(in, "match", "span_first", query));
  if (!in.has("end")) return parsing_error(text_, path, "span_first must have [end] set for it");
  CAIRN_TRY(query.end, read_positions(in, "end"));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_span_pair(const Json& body, const std::string& path,
                                          const std::string& name, SpanQuery::Kind kind) {
  Reader in = reader(body, path, name, Reader::Style::query);
  SpanQuery query;
  query.kind = kind;
  CAIRN_CHECK(add_span_clause(in, "big", name, query));
  CAIRN_CHECK(add_span_clause(in, "little", name, query));
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_span_containing(const Json& body, const std::string& path) {
  return read_span_pair(body, path, "span_containing", SpanQuery::Kind::containing);
}

Result<Query> QueryReader::read_span_within(const Json& body, const std::string& path) {
  return read_span_pair(body, path, "span_within", SpanQuery::Kind::within);
}

Result<Query> QueryReader::read_span_masking(const Json& body, const std::string& path) {
  const std::string name = "span_field_masking";
  Reader in = reader(body, path, name, Reader::Style::query);
  SpanQuery query;
  query.kind = SpanQuery::Kind::masked;
  CAIRN_CHECK(add_span_clause(in, "query", name, query));
  CAIRN_TRY(query.field, in.string_or("field", ""));
  if (query.field.empty())
    return parsing_error(text_, path, name + " must have [field] set for it");
  return made(std::move(query), in);
}

}  // namespace cairn::search
