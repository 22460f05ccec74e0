// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/sync_rules.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "connectors/errors.h"
#include "connectors/records/enums.h"

namespace cairn::connectors {
namespace {

constexpr std::array<std::string_view, 7> rule_kinds = {
    "contains", "ends_with", "equals", "regex", "starts_with", ">", "<"};
constexpr std::array<std::string_view, 2> policies = {"exclude", "include"};
constexpr std::array<std::string_view, 3> validation_states = {"edited", "invalid", "valid"};
constexpr std::string_view everything = ".*";
constexpr std::size_t rules_max = 1000;

Error bad_rule(std::size_t number, std::string_view what) {
  return bad_argument("[rules] " + std::to_string(number) + ": " + std::string(what));
}

bool says_something(const Json& filtering) {
  const Json* value = filtering.find_path("advanced_snippet.value");
  if (value == nullptr || value->is_null()) return false;
  if (value->is_object()) return !value->as_object().empty();
  if (value->is_array()) return !value->as_array().empty();
  return true;
}

std::string scalar_text(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

std::optional<double> number_in(std::string_view text) {
  const auto json = parse_json(text);
  return json.ok() && json->is_number() ? std::optional(json->as_double()) : std::nullopt;
}

/// Numbers as numbers, else texts: dates in ISO 8601 stand in their order.
int compare(const Json& value, const std::string& with) {
  const auto number = number_in(with);
  if (value.is_number() && number) {
    const double own = value.as_double();
    return own < *number ? -1 : own > *number ? 1 : 0;
  }
  return scalar_text(value).compare(with);
}

}  // namespace

Status check_rules(const Json& rules) {
  if (!rules.is_array()) return bad_argument("[rules] must be a list of rules");
  if (rules.as_array().size() > rules_max)
    return bad_argument("[rules] may have at most " + std::to_string(rules_max) + " rules");
  for (std::size_t i = 0; i < rules.as_array().size(); ++i) {
    const Json& rule = rules.as_array()[i];
    if (!rule.is_object()) return bad_rule(i, "is no object");
    for (const auto& [name, value] : rule.as_object()) {
      const bool is_time = name == "created_at" || name == "updated_at";
      if (is_time && !value.is_string()) return bad_rule(i, "[" + name + "] must be a date");
      if (is_time) CAIRN_CHECK(check_moment(name, value.as_string()));
      const bool is_text =
          name == "field" || name == "id" || name == "policy" || name == "rule" || name == "value";
      if (!is_time && !is_text && name != "order")
        return bad_rule(i, "unknown field [" + name + "]");
    }
    for (const auto* name : {"field", "id", "policy", "rule", "value"})
      if (const Json* value = rule.find(name); value == nullptr || !value->is_string())
        return bad_rule(i, "[" + std::string(name) + "] must be a string");
    if (const Json* order = rule.find("order"); order == nullptr || !order->is_integer())
      return bad_rule(i, "[order] must be a whole number");
    CAIRN_CHECK(check_enum("policy", rule.string_or("policy"), policies));
    CAIRN_CHECK(check_enum("rule", rule.string_or("rule"), rule_kinds));
  }
  return ok_status();
}

Json ordered_rules(const Json& rules, const std::string& now) {
  Json out = rules;
  for (Json& rule : out.as_array())
    for (const auto* name : {"created_at", "updated_at"})
      if (rule.find(name) == nullptr) rule.set(name, now);
  std::stable_sort(out.as_array().begin(), out.as_array().end(), [](const Json& a, const Json& b) {
    return a.int_or("order") < b.int_or("order");
  });
  return out;
}

Status check_validation(const Json& validation) {
  for (const auto& [name, value] : validation.as_object())
    if (name != "errors" && name != "state")
      return bad_argument("[validation] unknown field [" + name + "]");
  CAIRN_CHECK(check_enum("state", validation.string_or("state"), validation_states));
  const Json* errors = validation.find("errors");
  if (errors == nullptr || !errors->is_array())
    return bad_argument("[validation.errors] must be a list");
  for (const Json& error : errors->as_array())
    for (const auto* name : {"ids", "messages"})
      if (const Json* list = error.find(name); list == nullptr || !list->is_array())
        return bad_argument("[validation.errors] need [ids] and [messages], each a list");
  return ok_status();
}

Json validation_of(const Json& draft) {
  const auto rules = SyncRules::of(draft);
  Json errors = Json::array();
  if (!rules.ok()) {
    std::string id;
    for (const auto& [name, value] : rules.error().details)
      if (name == "rule") id = value;
    errors.push(Json::object(
        {{"ids", Json::array({id})}, {"messages", Json::array({rules.error().message})}}));
  }
  return Json::object({{"errors", std::move(errors)}, {"state", rules.ok() ? "valid" : "invalid"}});
}

Error SyncRules::not_offered(const Rule& rule, std::string_view what) {
  return bad_argument(std::string(what)).with_detail("rule", rule.id);
}

Result<SyncRules> SyncRules::of(const Json& filtering) {
  SyncRules out;
  if (says_something(filtering))
    return not_offered(
        Rule{.id = "advanced_snippet"},
        "[advanced_snippet] is not offered by sources that run here; use rules, or a query of the "
        "source");
  const Json* rules = filtering.find("rules");
  if (rules == nullptr || !rules->is_array()) return out;
  for (const Json& json : rules->as_array()) {
    Rule rule{.field = json.string_or("field"),
              .rule = json.string_or("rule"),
              .value = json.string_or("value"),
              .includes = json.string_or("policy") != "exclude",
              .order = json.int_or("order"),
              .id = json.string_or("id")};
    if (rule.rule == "regex" && rule.value != everything)
      return not_offered(rule, "rule [" + rule.id +
                                   "]: [regex] takes [.*] alone here; use "
                                   "[contains], [starts_with] or [ends_with]");
    out.rules_.push_back(std::move(rule));
  }
  std::stable_sort(out.rules_.begin(), out.rules_.end(),
                   [](const Rule& a, const Rule& b) { return a.order < b.order; });
  // Without a rule that leaves something out there is nothing to ask.
  if (std::all_of(out.rules_.begin(), out.rules_.end(), [](const Rule& r) { return r.includes; }))
    out.rules_.clear();
  return out;
}

bool SyncRules::fits(const Rule& rule, const Json& value) {
  if (rule.rule == "regex") return true;
  if (value.is_array())
    return std::any_of(value.as_array().begin(), value.as_array().end(),
                       [&](const Json& element) { return fits(rule, element); });
  if (value.is_null() || value.is_object()) return false;
  if (rule.rule == ">") return compare(value, rule.value) > 0;
  if (rule.rule == "<") return compare(value, rule.value) < 0;
  if (rule.rule == "equals") return compare(value, rule.value) == 0;
  const std::string text = scalar_text(value);
  if (rule.rule == "contains") return text.find(rule.value) != std::string::npos;
  if (rule.rule == "starts_with") return text.starts_with(rule.value);
  return rule.rule == "ends_with" && text.ends_with(rule.value);
}

bool SyncRules::take(const Json& document) const {
  for (const Rule& rule : rules_) {
    // "_" is the field of the rule for all that is left.
    if (rule.rule == "regex" && rule.field == "_") return rule.includes;
    const Json* value = document.find(rule.field);
    if (value == nullptr) value = document.find_path(rule.field);
    if (value != nullptr && fits(rule, *value)) return rule.includes;
  }
  return true;
}

}  // namespace cairn::connectors
