// SPDX-License-Identifier: Apache-2.0
// Intervals: rules of words and of other rules, with filters.
#include <algorithm>
#include <array>
#include <limits>

#include "search/errors.h"
#include "search/read/query_reader.h"
#include "search/read/text_options.h"

namespace cairn::search {
namespace {

using index::IntervalsRule;
using index::Query;

using IntervalsFilter = IntervalsRule::Filter;
constexpr std::array<std::pair<std::string_view, IntervalsFilter>, 8> filters = {
    {{"after", IntervalsFilter::after},
     {"before", IntervalsFilter::before},
     {"contained_by", IntervalsFilter::contained_by},
     {"containing", IntervalsFilter::containing},
     {"not_contained_by", IntervalsFilter::not_contained_by},
     {"not_containing", IntervalsFilter::not_containing},
     {"not_overlapping", IntervalsFilter::not_overlapping},
     {"overlapping", IntervalsFilter::overlapping}}};

constexpr std::array<std::string_view, 8> rule_names = {"match",    "any_of", "all_of", "prefix",
                                                        "wildcard", "regexp", "fuzzy",  "range"};

/// -1, or nothing: any number.
Status read_gaps(Reader& in, IntervalsRule& out) {
  CAIRN_TRY(const std::int64_t most, in.integer_or("max_gaps", -1));
  if (most < -1 || most > std::numeric_limits<std::int32_t>::max())
    return in.fault("max_gaps", "[max_gaps] must be -1, for any number, or from 0 to 2147483647");
  if (most >= 0) out.max_gaps = static_cast<std::uint32_t>(most);
  return ok_status();
}

/// Scalars, one bound on each side.
Result<Query> read_term_range(Reader& in) {
  index::RangeQuery range;
  const auto bound = [&](std::string_view name, std::optional<Json>& out) -> Status {
    CAIRN_TRY(const auto text, in.string(name));
    if (text) out = Json(*text);
    return ok_status();
  };
  CAIRN_CHECK(bound("gt", range.gt));
  CAIRN_CHECK(bound("gte", range.gte));
  CAIRN_CHECK(bound("lt", range.lt));
  CAIRN_CHECK(bound("lte", range.lte));
  if (range.gt.has_value() == range.gte.has_value())
    return illegal_argument("Either [gte] or [gt], one of them must be provided");
  if (range.lt.has_value() == range.lte.has_value())
    return illegal_argument("Either [lte] or [lt], one of them must be provided");
  return Query{.node = std::move(range)};
}

Result<Query> read_like(Reader& in) {
  index::FuzzyQuery fuzzy;
  CAIRN_TRY(fuzzy.value, in.required_string("term"));
  CAIRN_TRY(fuzzy.fuzziness, in.string_or("fuzziness", "AUTO"));
  CAIRN_TRY(fuzzy.prefix_length, read_unsigned(in, "prefix_length", 0));
  CAIRN_TRY(fuzzy.transpositions, in.boolean_or("transpositions", true));
  fuzzy.max_expansions = std::numeric_limits<std::size_t>::max();
  return Query{.node = std::move(fuzzy)};
}

/// The query that a rule of this name stands for.
Result<Query> read_many_words(Reader& in, std::string_view name) {
  if (name == "fuzzy") return read_like(in);
  if (name == "range") return read_term_range(in);
  CAIRN_TRY(auto text, in.required_string(name == "prefix" ? "prefix" : "pattern"));
  if (name == "prefix") return Query{.node = index::PrefixQuery{.field = {}, .value = text}};
  if (name == "wildcard") return Query{.node = index::WildcardQuery{.field = {}, .value = text}};
  return Query{.node = index::RegexpQuery{.field = {}, .value = text}};
}

Status read_words(Reader& in, std::string_view name, IntervalsRule& out) {
  if (name == "match") {
    CAIRN_TRY(out.text, in.required_string("query"));
  } else {
    CAIRN_TRY(auto of, read_many_words(in, name));
    out.kind = IntervalsRule::Kind::multi;
    out.of.push_back(std::move(of));
  }
  CAIRN_TRY(out.analyzer, in.string_or("analyzer", ""));
  CAIRN_TRY(out.use_field, in.string_or("use_field", ""));
  return ok_status();
}

}  // namespace

Result<IntervalsRule> QueryReader::read_only_rule(const Json& json, const std::string& path) {
  if (!json.is_object() || json.as_object().size() != 1)
    return parsing_error(text_, path, "[intervals] a rule is an object with its one name");
  const auto& [name, body] = json.as_object().front();
  return read_rule(name, body, path + "." + name);
}

Result<IntervalsRule> QueryReader::read_rule(const std::string& name, const Json& body,
                                             const std::string& path) {
  if (std::find(rule_names.begin(), rule_names.end(), name) == rule_names.end())
    return parsing_error(
        text_, path,
        "Unknown interval type [" + name +
            "], expecting one of [match, any_of, all_of, prefix, wildcard, regexp, "
            "fuzzy, range]");
  if (!body.is_object())
    return parsing_error(text_, path, "[intervals] [" + name + "] must be an object");
  if (++read_ > 2 * options_.max_clauses) return too_many_clauses();
  if (depth_ >= options_.max_query_depth)
    return illegal_argument(
        "The nested depth of the query exceeds the maximum nested depth for "
        "queries: [" +
        std::to_string(options_.max_query_depth) + "] rules in one another");
  ++depth_;
  auto rule = read_rule_body(name, body, path);
  --depth_;
  return rule;
}

Result<IntervalsRule> QueryReader::read_rule_body(const std::string& name, const Json& body,
                                                  const std::string& path) {
  Reader in = reader(body, path, name);
  IntervalsRule rule;
  if (name == "all_of" || name == "any_of")
    CAIRN_CHECK(read_parts(in, name == "all_of", rule));
  else
    CAIRN_CHECK(read_words(in, name, rule));
  if (name == "match" || name == "all_of") {
    CAIRN_CHECK(read_gaps(in, rule));
    CAIRN_TRY(rule.ordered, in.boolean_or("ordered", false));
  }
  CAIRN_CHECK(read_interval_filter(in, rule));
  CAIRN_CHECK(in.finish());
  return rule;
}

Status QueryReader::read_parts(Reader& in, bool all, IntervalsRule& out) {
  out.kind = all ? IntervalsRule::Kind::all : IntervalsRule::Kind::any;
  CAIRN_TRY(const Json* rules, in.array("intervals"));
  if (rules == nullptr) return in.fault("intervals", "Required [intervals]");
  if (rules->as_array().size() > options_.max_clauses) return too_many_clauses();
  for (const Json& one : rules->as_array()) {
    CAIRN_TRY(auto rule, read_only_rule(one, in.path_of("intervals")));
    out.parts.push_back(std::move(rule));
  }
  return ok_status();
}

Status QueryReader::read_interval_filter(Reader& in, IntervalsRule& out) {
  CAIRN_TRY(const Json* filter, in.object("filter"));
  if (filter == nullptr) return ok_status();
  const std::string path = in.path_of("filter");
  if (filter->as_object().size() != 1)
    return parsing_error(text_, path, "[filter] is an object with the one name of a comparison");
  const auto& [name, rule] = filter->as_object().front();
  if (name == "script")
    return not_offered("script in a filter of intervals",
                       "scripts do not run here: use max_gaps, containing and the others");
  for (const auto& [known, kind] : filters) {
    if (known != name) continue;
    out.filter = kind;
    CAIRN_TRY(auto by, read_only_rule(rule, path + "." + name));
    out.by.push_back(std::move(by));
    return ok_status();
  }
  return illegal_argument("Unknown filter type [" + name + "]");
}

Result<Query> QueryReader::read_intervals(const Json& body, const std::string& path) {
  CAIRN_TRY(const FieldBody given, field_body(body, path, "intervals"));
  const std::string at = path + "." + given.field;
  if (!given.value->is_object())
    return parsing_error(text_, at, "[intervals] query malformed, no start_object after its field");
  Reader in = reader(*given.value, at, "intervals", Reader::Style::query);
  index::IntervalsQuery query{.field = given.field};
  std::string first;
  for (const auto& [name, value] : given.value->as_object()) {
    if (name == "boost" || name == "_name") continue;
    if (!query.rule.empty())
      return parsing_error(
          text_, at,
          "Only one interval rule can be specified, found [" + first + "] and [" + name + "]");
    first = name;
    (void)in.any(name);
    CAIRN_TRY(auto rule, read_rule(name, value, at + "." + name));
    query.rule.push_back(std::move(rule));
  }
  if (query.rule.empty())
    return parsing_error(text_, at, "Missing intervals from interval query definition");
  return made(std::move(query), in);
}

}  // namespace cairn::search
