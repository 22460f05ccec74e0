// SPDX-License-Identifier: Apache-2.0
#include "ratelimit/policy/rules_parse.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/strings.h"
#include "format/time.h"

namespace cairn::ratelimit {
namespace {

constexpr std::uint32_t an_hour_s = 3'600;
constexpr std::uint32_t a_minute_s = 60;
constexpr std::uint32_t longest_window_s = 366 * 86'400;
constexpr std::size_t rules_max = 64;  // each request is compared with those of its route
constexpr std::size_t matches_max = 64;
constexpr std::size_t accounts_max = 10'000;
constexpr std::size_t pattern_bytes_max = 512;
constexpr std::uint64_t kib = 1'024;

constexpr std::array<std::string_view, 3> weights = {"requests", "bytes", "searches"};
constexpr std::array<std::string_view, 5> pers = {"identity", "index", "header", "all", "address"};

bool is_field_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

void read_pattern(ConfigReader& in, std::string_view name, std::string& into) {
  in.text(name, into);
  if (into.size() > pattern_bytes_max)
    in.fail(name, "a pattern of at most " + std::to_string(pattern_bytes_max) + " bytes");
}

void read_matches(ConfigReader& in, std::vector<std::string>& into) {
  const Json* const value = in.take("match");
  if (value == nullptr) return;
  const auto add = [&](const Json& one) {
    if (!one.is_string() || !is_route_match(one.as_string()))
      return in.fail(
          "match", "a method (or *), a space and a path, as in [POST /_search], or a list of such",
          &one);
    into.push_back(one.as_string());
  };
  if (!value->is_array()) return add(*value);
  if (value->as_array().empty() || value->as_array().size() > matches_max)
    return in.fail("match", "a list of 1 to " + std::to_string(matches_max) + " routes");
  for (const Json& one : value->as_array()) add(one);
}

/// A count; of bytes "5mb" too, which is held in KiB.
void read_limit(ConfigReader& in, LimitRule& into) {
  const Json* const value = in.take("limit");
  if (value == nullptr) return in.fail("limit", "given: how many requests, searches or bytes");
  if (into.weight != RuleWeight::bytes) {
    Limit limit;
    in.limit("limit", limit);
    if (!limit) return in.fail("limit", "a count: a rule without a limit limits nothing", value);
    into.limit = *limit;
    return;
  }
  const std::string text = value->is_string()  ? value->as_string()
                           : value->is_count() ? std::to_string(value->as_unsigned())
                                               : std::string();
  const auto bytes = parse_byte_size(text, "limit");
  if (text.empty() || !bytes.ok() || *bytes / kib >= std::numeric_limits<std::uint32_t>::max())
    return in.fail("limit", "a size in bytes below 4tb, as in [500mb]", value);
  into.limit = static_cast<std::uint32_t>((*bytes + kib - 1) / kib);
}

void check_rule(ConfigReader& in, const LimitRule& rule) {
  if (!is_good_name(rule.name)) in.fail("name", "given, of a-z, 0-9 and _");
  if (!rule.header.empty() && !is_field_name(rule.header))
    in.fail("header", "the name of a header field, as in [x-tenant]");
  if (rule.header.empty() && !rule.value.empty()) in.fail("header", "given where [value] is");
  if (rule.header.empty() && rule.per == RulePer::header)
    in.fail("header", "given where [per] is [header]");
}

Status read_limit_rule(ConfigReader& in, const Policy& policy, LimitRule& into) {
  in.text("name", into.name);
  read_matches(in, into.match);
  read_pattern(in, "identity", into.identity);
  read_pattern(in, "index", into.index);
  in.text("header", into.header);
  into.header = lower_ascii(into.header);
  read_pattern(in, "value", into.value);
  std::size_t per = 0;
  in.choice("per", {pers[0], pers[1], pers[2], pers[3], pers[4]}, per);
  into.per = static_cast<RulePer>(per);
  std::size_t weight = 0;
  in.choice("weight", {weights[0], weights[1], weights[2]}, weight);
  into.weight = static_cast<RuleWeight>(weight);
  into.window_s = policy.hour_s;
  read_window(in, policy, into.window_s);
  read_limit(in, into);
  in.flag("checks", into.checks);
  in.flag("shadow", into.shadow);
  check_rule(in, into);
  return ok_status();
}

void add_rule(ConfigReader& in, Policy& policy, LimitRule rule) {
  const auto same = [&](const LimitRule& other) { return other.name == rule.name; };
  if (std::any_of(policy.rules.begin(), policy.rules.end(), same))
    return in.fail("rules",
                   "a list of rules with names of their own; [" + rule.name + "] comes twice");
  rule.resource = static_cast<std::uint16_t>(policy.resources.size());
  policy.resources.push_back({.name = rule_resource(rule.name),
                              .window_s = rule.window_s,
                              .authenticated = rule.limit,
                              .unauthenticated = rule.limit,
                              .shown = false,
                              .of_rule = true});
  policy.rules.push_back(std::move(rule));
}

Json limit_or_null(const Limit& limit) { return limit ? Json(*limit) : Json(); }

Json rule_json(const Policy& policy, const LimitRule& rule) {
  Json out = Json::object({{"name", rule.name}});
  if (!rule.match.empty()) out.set("match", Json::array_of(rule.match));
  for (const auto& [name, text] :
       {std::pair<std::string_view, const std::string&>{"identity", rule.identity},
        {"index", rule.index},
        {"header", rule.header},
        {"value", rule.value}})
    if (!text.empty()) out.set(name, text);
  out.set("per", name_of(rule.per));
  out.set("weight", name_of(rule.weight));
  if (rule.weight == RuleWeight::bytes)
    out.set("limit", std::to_string(rule.limit) + "kb");
  else
    out.set("limit", rule.limit);
  out.set("window", window_setting(policy, rule.window_s));
  if (rule.checks) out.set("checks", true);
  out.set("shadow", rule.shadow);
  return out;
}

}  // namespace

std::string_view name_of(RuleWeight weight) { return weights[static_cast<std::size_t>(weight)]; }
std::string_view name_of(RulePer per) { return pers[static_cast<std::size_t>(per)]; }

bool is_good_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_route_match(std::string_view match) {
  const std::size_t slash = match.find('/');
  const std::string_view before = match.substr(0, slash);
  return slash != std::string_view::npos &&
         (before.empty() || before.find(' ') == before.size() - 1);
}

// 3,600 and 60 are an hour and a minute too, and scale as such.
void read_window(ConfigReader& in, const Policy& policy, std::uint32_t& into) {
  const Json* value = in.take("window");
  if (value == nullptr) return;
  if (*value == Json("hour") || *value == Json(an_hour_s)) {
    into = policy.hour_s;
  } else if (*value == Json("minute") || *value == Json(a_minute_s)) {
    into = policy.minute_s;
  } else if (value->is_integer() && value->as_int() >= 1 && value->as_int() <= longest_window_s) {
    into = static_cast<std::uint32_t>(value->as_int());
  } else {
    in.fail("window", "[hour], [minute], or seconds from 1 to " + std::to_string(longest_window_s),
            value);
  }
}

Status read_rules(ConfigReader& in, Policy& policy) {
  const Json* const rules = in.take("rules");
  if (rules == nullptr) return ok_status();
  if (!rules->is_array() || rules->as_array().size() > rules_max) {
    in.fail("rules", "a list of at most " + std::to_string(rules_max) + " rules",
            rules->is_array() ? nullptr : rules);
    return ok_status();
  }
  for (std::size_t i = 0; i < rules->as_array().size(); ++i) {
    ConfigReader inside(rules->as_array()[i], in.path_of("rules[" + std::to_string(i) + "]"));
    LimitRule rule;
    CAIRN_CHECK(read_limit_rule(inside, policy, rule));
    CAIRN_CHECK(inside.finish());
    add_rule(in, policy, std::move(rule));
  }
  return ok_status();
}

Status read_identities(ConfigReader& in, Policy& policy) {
  const auto all = in.rest();
  if (all.size() > accounts_max)
    in.fail("identities", "at most " + std::to_string(accounts_max) + " accounts");
  for (const auto& [account, value] : all) {
    if (account.find(':') == std::string::npos) {
      in.fail(account, "an account with its kind, as in [user:alice] or [ip:192.0.2.1]");
      break;
    }
    ConfigReader inside(*value, in.path_of(account));
    std::vector<std::string> names;
    for (const Resource& each : policy.resources)
      if (!each.of_rule) names.push_back(each.name);
    for (const auto& [name, limit] : inside.rest()) {
      const auto resource = policy.resource(name);
      if (!resource || policy.resources[*resource].of_rule) {
        std::string must = "a resource";
        if (const auto near = nearest(name, names)) must += "; did you mean [" + *near + "]?";
        inside.fail(name, must);
        break;
      }
      Limit own;
      inside.limit(name, own);
      policy.identities[account].push_back({*resource, own});
    }
    CAIRN_CHECK(inside.finish());
  }
  return ok_status();
}

Json window_setting(const Policy& policy, std::uint32_t window_s) {
  if (window_s == policy.hour_s) return Json("hour");
  if (window_s == policy.minute_s) return Json("minute");
  return Json(window_s);
}

Json rules_json(const Policy& policy) {
  Json out = Json::array();
  for (const LimitRule& rule : policy.rules) out.push(rule_json(policy, rule));
  return out;
}

Json identities_json(const Policy& policy) {
  Json out = Json::object();
  for (const auto& [account, limits] : policy.identities) {
    Json one = Json::object();
    for (const OwnLimit& each : limits)
      one.set(policy.resources[each.resource].name, limit_or_null(each.limit));
    out.set(account, std::move(one));
  }
  return out;
}

}  // namespace cairn::ratelimit
