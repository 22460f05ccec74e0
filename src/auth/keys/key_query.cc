// SPDX-License-Identifier: Apache-2.0
// Queries are checked once and then asked of each key's shown form.
#include "auth/keys/key_query.h"

#include <algorithm>
#include <array>
#include <optional>

#include "auth/errors.h"
#include "base/strings.h"
#include "format/time.h"

namespace cairn::auth {
namespace {

constexpr std::array<std::string_view, 12> fields = {
    "id",       "name",  "type",    "creation",     "expiration",       "invalidated", "invalidation",
    "username", "realm", "enabled", "last_used.at", "last_used.address"};

std::string_view real_name(std::string_view field) {
  if (field == "realm_name") return "realm";
  return field == "api_key_id" ? "id" : field;
}

Status check_field(std::string_view field) {
  const auto name = real_name(field);
  if (std::find(fields.begin(), fields.end(), name) != fields.end() || name == "metadata" ||
      name.starts_with("metadata."))
    return ok_status();
  return illegal_argument("Field [" + std::string(field) +
                          "] is not allowed for querying or aggregation");
}

/// The values at a field: those of an array one by one.
std::vector<Json> values_at(const Json& shown, std::string_view field) {
  const Json* value = shown.find_path(real_name(field));
  if (value == nullptr || value->is_null()) return {};
  if (value->is_array()) return value->as_array();
  return {*value};
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.as_double();
  if (!value.is_string()) return std::nullopt;
  if (const auto ms = parse_iso8601(value.as_string())) return static_cast<double>(*ms);
  return parse_number<double>(value.as_string());
}

int compare(const Json& a, const Json& b) {
  const auto x = a.is_number() || b.is_number() ? number_of(a) : std::nullopt;
  const auto y = a.is_number() || b.is_number() ? number_of(b) : std::nullopt;
  if (x && y) return *x < *y ? -1 : *x > *y ? 1 : 0;
  return text_of(a).compare(text_of(b));
}

/// The one member of an object that holds one: the field and what is asked of it.
Result<Json::Member> only_member(const Json& object, std::string_view query) {
  if (!object.is_object() || object.as_object().size() != 1)
    return illegal_argument("[" + std::string(query) + "] query needs exactly one field");
  return object.as_object().front();
}

const Json& given_value(const Json& value) {
  for (const auto* name : {"value", "query", "wildcard"})
    if (const Json* inner = value.find(name)) return *inner;
  return value;
}

Status check(const Json& query, int depth);

Status check_bool(const Json& body, int depth) {
  if (!body.is_object()) return illegal_argument("[bool] query must be an object");
  for (const auto& [name, clause] : body.as_object()) {
    if (name == "minimum_should_match" || name == "boost") continue;
    if (name != "must" && name != "filter" && name != "should" && name != "must_not")
      return illegal_argument("[bool] query does not support [" + name + "]");
    if (!clause.is_array()) {
      CAIRN_CHECK(check(clause, depth + 1));
      continue;
    }
    for (const auto& inner : clause.as_array()) CAIRN_CHECK(check(inner, depth + 1));
  }
  return ok_status();
}

Status check(const Json& query, int depth) {
  if (depth > 20) return illegal_argument("the query is nested too deep");
  CAIRN_TRY(const auto member, only_member(query, "query"));
  const auto& [type, body] = member;
  if (type == "match_all") return ok_status();
  if (type == "bool") return check_bool(body, depth);
  if (type == "ids") {
    const Json* values = body.find("values");
    if (values == nullptr || !(values->is_array() || values->is_string()))
      return illegal_argument("[ids] query needs [values]");
    return ok_status();
  }
  if (type == "exists") {
    if (!body.is_object() || body.string_or("field").empty())
      return illegal_argument("[exists] query needs a [field]");
    return check_field(body.string_or("field"));
  }
  constexpr std::array<std::string_view, 6> of_field = {"term",   "terms",    "match",
                                                        "prefix", "wildcard", "range"};
  if (std::find(of_field.begin(), of_field.end(), type) == of_field.end())
    return illegal_argument("Query type [" + type + "] is not supported in this context");
  CAIRN_TRY(const auto field, only_member(body, type));
  if (type == "terms" && !field.second.is_array())
    return illegal_argument("[terms] query needs an array of values");
  if (type == "range" && !field.second.is_object())
    return illegal_argument("[range] query needs bounds");
  return check_field(field.first);
}

bool in_range(const Json& value, const Json& bounds) {
  for (const auto& [name, bound] : bounds.as_object()) {
    const int order = compare(value, bound);
    if ((name == "gt" && order <= 0) || (name == "gte" && order < 0) ||
        (name == "lt" && order >= 0) || (name == "lte" && order > 0))
      return false;
  }
  return true;
}

Json::Array clauses_of(const Json& body, std::string_view name) {
  const Json* clause = body.find(name);
  if (clause == nullptr) return {};
  return clause->is_array() ? clause->as_array() : Json::Array{*clause};
}

}  // namespace

Result<KeyQuery> KeyQuery::parse(const Json& query) {
  CAIRN_CHECK(check(query, 0));
  return KeyQuery(query);
}

bool KeyQuery::fits(const Json& query, const Json& shown) {
  const auto& [type, body] = query.as_object().front();
  if (type == "match_all") return true;
  if (type == "bool") {
    const auto fit = [&](const Json& clause) { return fits(clause, shown); };
    for (const auto* name : {"must", "filter"}) {
      const auto clauses = clauses_of(body, name);
      if (!std::all_of(clauses.begin(), clauses.end(), fit)) return false;
    }
    const auto not_these = clauses_of(body, "must_not");
    if (std::any_of(not_these.begin(), not_these.end(), fit)) return false;
    const auto should = clauses_of(body, "should");
    const bool others = body.find("must") != nullptr || body.find("filter") != nullptr;
    const std::int64_t least =
        body.int_or("minimum_should_match", should.empty() || others ? 0 : 1);
    return std::count_if(should.begin(), should.end(), fit) >= least;
  }
  if (type == "ids") {
    const Json& values = *body.find("values");
    const std::string id = shown.string_or("id");
    if (values.is_string()) return values.as_string() == id;
    return std::any_of(values.as_array().begin(), values.as_array().end(),
                       [&](const Json& value) { return text_of(value) == id; });
  }
  if (type == "exists") return !values_at(shown, body.string_or("field")).empty();
  const auto& [field, asked] = body.as_object().front();
  for (const auto& value : values_at(shown, field)) {
    if (type == "range" && in_range(value, asked)) return true;
    if (type == "prefix" && text_of(value).starts_with(text_of(given_value(asked)))) return true;
    if (type == "wildcard" && wildcard_match(text_of(given_value(asked)), text_of(value)))
      return true;
    if ((type == "term" || type == "match") && compare(value, given_value(asked)) == 0) return true;
    if (type == "terms")
      for (const auto& one : asked.as_array())
        if (compare(value, one) == 0) return true;
  }
  return false;
}

Result<std::vector<KeySort>> parse_key_sort(const Json& sort) {
  std::vector<KeySort> out;
  const Json::Array entries = sort.is_array() ? sort.as_array() : Json::Array{sort};
  for (const auto& entry : entries) {
    KeySort one;
    if (entry.is_string()) {
      one.field = entry.as_string();
    } else {
      CAIRN_TRY(const auto member, only_member(entry, "sort"));
      one.field = member.first;
      const std::string order = member.second.is_string() ? member.second.as_string()
                                                          : member.second.string_or("order", "asc");
      if (order != "asc" && order != "desc")
        return illegal_argument("[sort] order [" + order + "] must be [asc] or [desc]");
      one.descending = order == "desc";
    }
    CAIRN_CHECK(check_field(one.field));
    out.push_back(std::move(one));
  }
  return out;
}

Json sort_values(const Key& key, const std::vector<KeySort>& sort) {
  const Json shown = key.shown(false);
  Json out = Json::array();
  for (const auto& one : sort) {
    const auto values = values_at(shown, one.field);
    out.push(values.empty() ? Json() : values.front());
  }
  return out;
}

int compare_sort_values(const Json& a, const Json& b, const std::vector<KeySort>& sort) {
  for (std::size_t i = 0; i < sort.size(); ++i) {
    const Json& x = a.as_array()[i];
    const Json& y = b.as_array()[i];
    if (x.is_null() != y.is_null()) return x.is_null() ? 1 : -1;  // what has no value comes last
    const int order = compare(x, y);
    if (order != 0) return sort[i].descending ? -order : order;
  }
  return 0;
}

}  // namespace cairn::auth
