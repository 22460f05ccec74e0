// SPDX-License-Identifier: Apache-2.0
// From values and their places to one tree, and back to rows and a schema.
#include "app/settings/limit_settings.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace cairn::app {
namespace {

constexpr std::string_view section_name = "rate_limit";
constexpr std::string_view search_page_rule = "search_page";
constexpr std::array<std::string_view, 2> fixture_names = {"tokens", "oauth_apps"};
constexpr std::array<std::string_view, 4> list_keys = {
    "rate_limit.store.urls", "rate_limit.store.sentinels", "rate_limit.identity.trusted_proxies",
    "rate_limit.identity.exempt"};

bool contains(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error fault(const std::string& origin, const std::string& what) {
  return {.kind = ErrorKind::invalid_argument, .message = origin + ": " + what};
}

Json value_of(const GivenSetting& given) {
  if (given.value) return *given.value;
  if (auto json = parse_json(given.text); json.ok() && !json->is_string()) return *std::move(json);
  if (!contains(list_keys, given.key)) return given.text;
  Json out = Json::array();
  for (const auto piece : split(given.text, ','))
    if (!trim(piece).empty()) out.push(std::string(trim(piece)));
  return out;
}

/// ConfigReader of objects are put one by one, so that a later source changes what it names only.
Status put(Json& into, const std::vector<std::string>& path, std::size_t at, Json value,
           const GivenSetting& given) {
  if (!into.is_object())
    return fault(given.origin, given.key + " cannot be set: what holds it is no object");
  if (at + 1 == path.size()) {
    Json* old = into.find(path[at]);
    if (old == nullptr || !old->is_object() || !value.is_object()) {
      into.set(path[at], std::move(value));
      return ok_status();
    }
    for (auto& [name, member] : value.as_object())
      CAIRN_CHECK(put(*old, {name}, 0, std::move(member), given));
    return ok_status();
  }
  Json* next = into.find(path[at]);
  if (next == nullptr) next = &into.set(path[at], Json::object());
  return put(*next, path, at + 1, std::move(value), given);
}

/// Where the value stands that a message is about: "[rate_limit.plans.usr] must be ...".
std::string origin_in(const Origins& origins, const std::string& message) {
  const auto begin = message.find("[rate_limit");
  if (begin == std::string::npos) return {};
  const std::string path = message.substr(begin + 1, message.find("] ", begin) - begin - 1);
  std::string best, out;
  for (const auto& [key, origin] : origins) {
    if (!key.starts_with(section_name) || key.size() <= best.size()) continue;
    const bool around =
        path.starts_with(key) &&
        (path.size() == key.size() || path[key.size()] == '.' || path[key.size()] == '[');
    const bool inside = best.empty() && key.starts_with(path + ".");
    if (!around && !inside) continue;
    best = key;
    out = origin;
  }
  return out;
}

/// Strangers at the search page share a key; their addresses are told apart by a rule. One of the
/// operator's own with its name goes before it.
void add_search_page_rule(const Settings& settings, Json& section) {
  if (settings.search_page_key.empty() || settings.search_page_per_minute == 0) return;
  Json* rules = section.find("rules");
  if (rules == nullptr) rules = &section.set("rules", Json::array());
  if (!rules->is_array()) return;  // which the policy refuses
  for (const Json& rule : rules->as_array())
    if (rule.string_or("name") == search_page_rule) return;
  rules->push(Json::object({{"name", search_page_rule},
                            {"match", "POST /search/{index}/_search"},
                            {"identity", "service:*"},
                            {"per", "address"},
                            {"limit", settings.search_page_per_minute},
                            {"window", "minute"}}));
}

void add_rows(const Json& value, const std::string& key, std::vector<LimitRow>& out) {
  if (value.is_object() && !value.as_object().empty()) {
    for (const auto& [name, member] : value.as_object()) add_rows(member, key + "." + name, out);
    return;
  }
  if (value.is_string()) return out.push_back({key, value.as_string()});
  if (!contains(list_keys, key) || !value.is_array()) return out.push_back({key, value.dump()});
  std::vector<std::string> texts;
  for (const Json& element : value.as_array()) texts.push_back(element.as_string());
  out.push_back({key, join(texts, ",")});
}

Json closed_object(Json properties) {
  return Json::object(
      {{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}});
}

Json choice(std::initializer_list<Json> values) {
  return Json::object({{"enum", Json::array(values)}});
}

Json integer_type() { return Json::object({{"type", "integer"}, {"minimum", 0}}); }
Json limit_type() {
  return Json::object({{"type", Json::array({"integer", "null"})}, {"minimum", 0}});
}
Json plain_type(std::string_view type) { return Json::object({{"type", type}}); }

Json status_type() {
  const Json status = choice({403, 429, 503});
  const Json each = closed_object(Json::object({{"primary", status}, {"secondary", status}}));
  return Json::object({{"anyOf", Json::array({status, each})}});
}

Json resource_type() {
  return closed_object(
      Json::object({{"window", Json::object({{"type", Json::array({"integer", "string"})}})},
                    {"authenticated", limit_type()},
                    {"unauthenticated", limit_type()},
                    {"service", limit_type()},
                    {"shown", plain_type("boolean")}}));
}

Json rules_type() {
  return Json::object(
      {{"type", "array"},
       {"items", closed_object(Json::object({{"match", plain_type("string")},
                                             {"points", integer_type()},
                                             {"content", plain_type("boolean")},
                                             {"resource", plain_type("string")},
                                             {"content_per_minute", integer_type()},
                                             {"content_per_hour", integer_type()},
                                             {"shadow", plain_type("boolean")}}))}});
}

Json texts_type() { return Json::object({{"type", "array"}, {"items", plain_type("string")}}); }

Json limit_rules_type() {
  const Json count_or_size = Json::object({{"type", Json::array({"integer", "string"})}});
  Json rule = closed_object(Json::object(
      {{"name", plain_type("string")},
       {"match", Json::object({{"anyOf", Json::array({plain_type("string"), texts_type()})}})},
       {"identity", plain_type("string")},
       {"index", plain_type("string")},
       {"header", plain_type("string")},
       {"value", plain_type("string")},
       {"per", choice({"identity", "index", "header", "all", "address"})},
       {"weight", choice({"requests", "bytes", "searches"})},
       {"limit", count_or_size},
       {"window", count_or_size},
       {"checks", plain_type("boolean")},
       {"shadow", plain_type("boolean")}}));
  rule.set("required", Json::array({"name", "limit"}));
  return Json::object({{"type", "array"}, {"items", std::move(rule)}});
}

/// Accounts, each with limits by resource.
Json identities_type() {
  const Json limits = Json::object({{"type", "object"}, {"additionalProperties", limit_type()}});
  return Json::object({{"type", "object"}, {"additionalProperties", limits}});
}

/// True where null, for "no limit", may stand.
bool is_limit(std::string_view key) {
  if (key.find(".installation.") != std::string_view::npos) return false;
  return key.starts_with("rate_limit.plans.") || key.starts_with("rate_limit.graphql_plans.") ||
         key.starts_with("rate_limit.secondary.") || key == "rate_limit.objects";
}

/// What may stand in the place of a default.
Json type_of(const Json& value, const std::string& key) {
  if (key == "rate_limit.points.routes") return rules_type();
  if (key == "rate_limit.rules") return limit_rules_type();
  if (key == "rate_limit.identities") return identities_type();
  if (key == "rate_limit.store.tls")
    return closed_object(Json::object({{"ca_file", plain_type("string")},
                                       {"certificate_file", plain_type("string")},
                                       {"key_file", plain_type("string")},
                                       {"server_name", plain_type("string")},
                                       {"verify", plain_type("boolean")}}));
  if (key.starts_with("rate_limit.status.")) return status_type();
  if (key == "rate_limit.store.kind") return choice({"memory", "redis"});
  if (key == "rate_limit.store.on_store_error") return choice({"local", "open", "closed"});
  if (key.ends_with("plans.installation.count")) return choice({"all", "excess"});
  if (value.is_array()) return texts_type();
  return value.is_bool()     ? plain_type("boolean")
         : value.is_string() ? plain_type("string")
         : is_limit(key)     ? limit_type()
                             : integer_type();
}

/// The types of a section's members, each with its default.
Json schema_of(const Json& value, const std::string& key) {
  const bool section = value.is_object() && !key.starts_with("rate_limit.status.") &&
                       key != "rate_limit.identities" && key != "rate_limit.store.tls";
  if (!section) {
    Json out = type_of(value, key);
    out.set("default", value);
    return out;
  }
  Json out =
      key.starts_with("rate_limit.resources.") ? resource_type() : closed_object(Json::object());
  Json& properties = *out.find("properties");
  for (const auto& [name, member] : value.as_object()) {
    if (Json* const known = properties.find(name))
      known->set("default", member);
    else
      properties.set(name, schema_of(member, key + "." + name));
  }
  if (key == "rate_limit.resources") out.set("additionalProperties", resource_type());
  return out;
}

}  // namespace

std::optional<std::vector<std::string>> limit_path(std::string_view key) {
  std::vector<std::string> out;
  for (const auto part : split(key, '.')) out.emplace_back(part);
  if (contains(fixture_names, out.front())) return out;
  if (out.front() != section_name) return std::nullopt;
  out.erase(out.begin());
  return out;
}

std::string limit_key(const std::vector<std::string>& path) {
  return std::string(section_name) + (path.empty() ? "" : ".") + join(path, ".");
}

Status set_limit(LoadedSettings& into, const GivenSetting& given) {
  const auto path = given.path.empty() ? limit_path(given.key).value_or(given.path) : given.path;
  into.origins[limit_key(path)] = given.origin;
  Json value = value_of(given);
  if (!path.empty()) return put(into.rate_limit, path, 0, std::move(value), given);
  if (!value.is_object()) return fault(given.origin, given.key + " must be an object");
  for (auto& [name, member] : value.as_object())
    CAIRN_CHECK(put(into.rate_limit, {name}, 0, std::move(member), given));
  return ok_status();
}

Result<ratelimit::Policy> policy_of(const LoadedSettings& loaded, bool with_fixtures) {
  Json section = loaded.rate_limit;
  add_search_page_rule(loaded.settings, section);
  auto policy = ratelimit::parse_policy(section, with_fixtures);
  if (policy.ok()) return policy;
  Error error = std::move(policy).error();
  const std::string origin = origin_in(loaded.origins, error.message);
  if (!origin.empty()) error.message = origin + ": " + error.message;
  return error;
}

std::vector<LimitRow> limit_rows(const ratelimit::Policy& policy) {
  std::vector<LimitRow> out;
  add_rows(ratelimit::policy_json(policy), std::string(section_name), out);
  return out;
}

std::string limit_origin(const Origins& origins, const std::string& key) {
  for (std::string at = key;; at.resize(at.rfind('.'))) {
    if (const auto found = origins.find(at); found != origins.end()) return found->second;
    if (at.find('.') == std::string::npos) return "default";
  }
}

Json limit_schema() {
  Json out = schema_of(ratelimit::policy_json(ratelimit::default_policy()), "rate_limit");
  out.set("description", "Who may make how many requests; docs/reference/rate-limits.md.");
  const auto fixture = [](std::string_view text) {
    return Json::object({{"type", "object"}, {"description", text}});
  };
  Json* properties = out.find("properties");
  properties->set("tokens", fixture("Tokens of tests, by name; only with --test-identities."));
  properties->set("oauth_apps",
                  fixture("Client ids and secrets of tests; only with --test-identities."));
  return out;
}

}  // namespace cairn::app
