// SPDX-License-Identifier: Apache-2.0
// function_score: a query, and functions that change its scores.
#include <algorithm>
#include <array>
#include <span>

#include "base/hash.h"
#include "base/strings.h"
#include "search/errors.h"
#include "search/read/query_reader.h"

namespace cairn::search {
namespace {

using index::DecayFunction;
using index::FieldValueFunction;
using index::FunctionScoreQuery;
using index::Query;
using index::RandomFunction;
using index::ScoreFunction;

constexpr std::array<std::string_view, 6> score_modes = {"multiply", "sum", "avg",
                                                         "first",    "max", "min"};
constexpr std::array<std::string_view, 6> boost_modes = {"multiply", "replace", "sum",
                                                         "avg",      "max",     "min"};
constexpr std::array<std::string_view, 10> modifiers = {
    "none", "log", "log1p", "log2p", "ln", "ln1p", "ln2p", "square", "sqrt", "reciprocal"};
constexpr std::array<std::string_view, 3> decays = {"gauss", "exp", "linear"};
constexpr std::array<std::string_view, 4> distance_modes = {"min", "max", "avg", "sum"};

bool is_function(std::string_view name) {
  return name == "field_value_factor" || name == "random_score" || name == "script_score" ||
         std::find(decays.begin(), decays.end(), name) != decays.end();
}

/// Which of the names a member is, in any case; the first where it is absent.
Result<std::size_t> one_of(Reader& in, std::string_view member,
                           std::span<const std::string_view> names) {
  CAIRN_TRY(const auto given, in.string(member));
  if (!given) return std::size_t{0};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (equals_ignore_case(*given, names[i])) return i;
  return illegal_argument("illegal [" + std::string(member) + "] [" + *given +
                          "] in [function_score]; use one of [" +
                          join(std::vector<std::string>(names.begin(), names.end()), ", ") + "]");
}

Result<FieldValueFunction> value_factor(Reader in) {
  FieldValueFunction out;
  CAIRN_TRY(out.field, in.string_or("field", ""));
  CAIRN_TRY(const auto factor, in.number("factor"));
  CAIRN_TRY(out.missing, in.number("missing"));
  CAIRN_TRY(const std::size_t modifier, one_of(in, "modifier", modifiers));
  CAIRN_CHECK(in.finish());
  if (out.field.empty())
    return in.fault("field", "[field_value_factor] required field 'field' missing");
  out.factor = factor.value_or(1);
  out.modifier = static_cast<index::FieldModifier>(modifier);
  return out;
}

// A seed without a field goes by the order of the documents' changes.
Result<RandomFunction> random(Reader in, const Json& body) {
  RandomFunction out;
  CAIRN_TRY(const auto seed, in.string("seed"));
  CAIRN_TRY(const auto field, in.string("field"));
  CAIRN_CHECK(in.finish());
  if (field && !seed)
    return in.fault("field",
                    "[random_score] a [field] needs a [seed]: scores would not be the "
                    "same when asked again");
  if (!seed) return out;
  const Json* given = body.find("seed");
  const auto number = parse_number<std::int64_t>(*seed);
  if (!number && given->is_number())
    return in.fault("seed", "[random_score] seed must be a whole number");
  out.seed = number ? static_cast<std::uint64_t>(*number) : fast_hash(*seed);
  out.field = field.value_or("_seq_no");
  return out;
}

}  // namespace

/// The function of one name.
Result<ScoreFunction> QueryReader::read_function(const std::string& name, const Json& body,
                                                 const std::string& path) {
  if (!body.is_object())
    return parsing_error(text_, path, "[" + name + "] malformed, no start_object after its name");
  ScoreFunction out;
  if (name == "field_value_factor") {
    CAIRN_TRY(out.of, value_factor(reader(body, path, name, Reader::Style::query)));
  } else if (name == "script_score") {
    Reader in = reader(body, path, name, Reader::Style::query);
    CAIRN_TRY(out.of, read_script_of(in, "script"));
    CAIRN_CHECK(in.finish());
  } else if (name == "random_score") {
    CAIRN_TRY(out.of, random(reader(body, path, name, Reader::Style::query), body));
  } else {
    CAIRN_TRY(out.of, read_decay(name, body, path));
  }
  return out;
}

Result<DecayFunction> QueryReader::read_decay(const std::string& name, const Json& body,
                                              const std::string& path) {
  DecayFunction out;
  out.shape = static_cast<DecayFunction::Shape>(std::find(decays.begin(), decays.end(), name) -
                                                decays.begin());
  Reader in = reader(body, path, name, Reader::Style::query);
  CAIRN_TRY(const std::size_t mode, one_of(in, "multi_value_mode", distance_modes));
  out.mode = static_cast<DecayFunction::Mode>(mode);
  for (const auto& [member, value] : body.as_object()) {
    if (member == "multi_value_mode") continue;
    (void)in.any(member);
    if (!out.field.empty())
      return parsing_error(
          text_, path,
          "[" + name + "] takes one field, found [" + out.field + "] and [" + member + "]");
    if (!value.is_object())
      return parsing_error(text_, path,
                           "[" + name + "] malformed, no object after [" + member + "]");
    out.field = member;
    Reader inside = reader(value, path + "." + member, name, Reader::Style::query);
    const auto scalar = [&](std::string_view wanted, Json& to) -> Status {
      const Json* given = inside.any(wanted);
      if (given == nullptr) return ok_status();
      if (given->is_object() || given->is_array())
        return inside.fault(wanted, "[" + std::string(wanted) + "] must be a number or a text");
      to = *given;
      return ok_status();
    };
    CAIRN_CHECK(scalar("origin", out.origin));
    CAIRN_CHECK(scalar("scale", out.scale));
    CAIRN_CHECK(scalar("offset", out.offset));
    CAIRN_TRY(const auto decay, inside.number("decay"));
    CAIRN_CHECK(inside.finish());
    out.decay = decay.value_or(0.5);
  }
  if (out.field.empty()) return parsing_error(text_, path, "[" + name + "] needs a field");
  return out;
}

/// An element of `functions`: a filter, a weight, a function.
Result<ScoreFunction> QueryReader::read_filtered_function(const Json& body,
                                                          const std::string& path) {
  if (!body.is_object())
    return parsing_error(text_, path,
                         "failed to parse [function_score] query. malformed query, expected a "
                         "[START_OBJECT] while parsing functions");
  Reader in = reader(body, path, "function_score", Reader::Style::query);
  ScoreFunction out;
  std::string found;
  for (const auto& [name, value] : body.as_object()) {
    if (!is_function(name)) continue;
    (void)in.any(name);
    if (!found.empty())
      return parsing_error(text_, path,
                           "failed to parse function_score functions. already found [" + found +
                               "], now encountering [" + name + "].");
    found = name;
    CAIRN_TRY(out, read_function(name, value, path + "." + name));
  }
  CAIRN_TRY(const Json* filter, in.object("filter"));
  if (filter != nullptr) {
    CAIRN_TRY(auto query, read(*filter, in.path_of("filter")));
    out.filter.push_back(std::move(query));
  }
  CAIRN_TRY(out.weight, read_weight(in));
  CAIRN_CHECK(in.finish());
  if (found.empty() && !out.weight)
    return parsing_error(text_, path, "an entry in functions list is missing a function.");
  return out;
}

Result<std::optional<float>> QueryReader::read_weight(Reader& in) const {
  CAIRN_TRY(const auto weight, in.number("weight"));
  if (!weight) return std::optional<float>();
  if (*weight < 0) return illegal_argument("[weight] cannot be negative for a filtering function");
  return std::optional(static_cast<float>(*weight));
}

Result<Query> QueryReader::read_function_score(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "function_score", Reader::Style::query);
  FunctionScoreQuery query;
  CAIRN_TRY(const Json* inner, in.object("query"));
  if (inner != nullptr) {
    CAIRN_TRY(auto read_inner, read(*inner, in.path_of("query")));
    query.query.push_back(std::move(read_inner));
  } else {
    query.query.push_back({});
  }
  CAIRN_TRY(const std::size_t score_mode, one_of(in, "score_mode", score_modes));
  CAIRN_TRY(const std::size_t boost_mode, one_of(in, "boost_mode", boost_modes));
  query.score_mode = static_cast<FunctionScoreQuery::ScoreMode>(score_mode);
  query.boost_mode = static_cast<FunctionScoreQuery::BoostMode>(boost_mode);
  CAIRN_TRY(query.max_boost, in.number_or("max_boost", query.max_boost));
  CAIRN_TRY(const auto min_score, in.number("min_score"));
  if (min_score) query.min_score = static_cast<float>(*min_score);
  CAIRN_TRY(const Json* functions, in.array("functions"));
  if (functions != nullptr) {
    if (functions->as_array().size() > options_.max_clauses) return too_many_clauses();
    for (const Json& element : functions->as_array()) {
      CAIRN_TRY(auto one, read_filtered_function(element, in.path_of("functions")));
      query.functions.push_back(std::move(one));
    }
  }
  // One function may stand here itself.
  std::string found = functions == nullptr ? "" : "functions";
  for (const auto& [name, value] : body.as_object()) {
    if (!is_function(name)) continue;
    (void)in.any(name);
    if (!found.empty())
      return parsing_error(text_, path,
                           "failed to parse [function_score] query. already found [" + found +
                               "], now encountering [" + name +
                               "]. use [functions] array if you want to define several functions.");
    found = name;
    CAIRN_TRY(auto one, read_function(name, value, path + "." + name));
    query.functions.push_back(std::move(one));
  }
  CAIRN_TRY(const auto weight, read_weight(in));
  if (weight && found == "functions")
    return parsing_error(text_, path,
                         "failed to parse [function_score] query. you can either define "
                         "[functions] array or a single function, not both.");
  if (weight && query.functions.empty()) query.functions.emplace_back();
  if (weight) query.functions.front().weight = *weight;
  return made(std::move(query), in);
}

}  // namespace cairn::search
