// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/sync_rules.h"

#include <doctest/doctest.h>

namespace cairn::connectors::sync_rules_test {
namespace {

Json rule(const std::string& field, const std::string& kind, const std::string& value,
          const std::string& policy, int order) {
  return Json::object({{"id", "r" + std::to_string(order)},
                       {"field", field},
                       {"rule", kind},
                       {"value", value},
                       {"policy", policy},
                       {"order", order}});
}

const Json the_rest = rule("_", "regex", ".*", "include", 1000);

SyncRules of(Json::Array rules) {
  rules.push_back(the_rest);
  auto out = SyncRules::of(Json::object({{"rules", Json(std::move(rules))}}));
  REQUIRE_MESSAGE(out.ok(), (out.ok() ? std::string() : out.error().message));
  return *std::move(out);
}

bool takes(const SyncRules& rules, const char* document) {
  return rules.take(*parse_json(document));
}

}  // namespace

TEST_CASE("sync rules: the first one that fits decides, in their order") {
  const SyncRules rules = of({rule("path", "starts_with", "secret/", "exclude", 2),
                              rule("path", "ends_with", ".md", "include", 1)});
  CHECK(takes(rules, R"({"path":"a.txt"})"));
  CHECK_FALSE(takes(rules, R"({"path":"secret/a.txt"})"));
  CHECK(takes(rules, R"({"path":"secret/a.md"})"));
  CHECK(takes(rules, R"({"title":"no path"})"));
}

TEST_CASE("sync rules: numbers, dates, lists, and fields within fields") {
  CHECK_FALSE(takes(of({rule("size", ">", "1000", "exclude", 1)}), R"({"size":20000})"));
  CHECK(takes(of({rule("size", ">", "1000", "exclude", 1)}), R"({"size":999})"));
  CHECK_FALSE(takes(of({rule("modified", "<", "2026-01-01", "exclude", 1)}),
                    R"({"modified":"2025-12-31T23:59:59.000Z"})"));
  CHECK_FALSE(
      takes(of({rule("labels", "equals", "bug", "exclude", 1)}), R"({"labels":["new","bug"]})"));
  CHECK(takes(of({rule("labels", "equals", "bu", "exclude", 1)}), R"({"labels":["bug"]})"));
  CHECK_FALSE(takes(of({rule("a.b", "contains", "x", "exclude", 1)}), R"({"a":{"b":"axb"}})"));
  CHECK_FALSE(takes(of({rule("n", "equals", "1.0", "exclude", 1)}), R"({"n":1})"));
  CHECK_FALSE(takes(of({rule("yes", "equals", "true", "exclude", 1)}), R"({"yes":true})"));
  CHECK(takes(of({rule("n", "equals", "null", "exclude", 1)}), R"({"n":null})"));
}

TEST_CASE(
    "sync rules: nothing but what is included, and nothing to ask where nothing is left out") {
  const Json none = rule("_", "regex", ".*", "exclude", 1000);
  const auto rules = SyncRules::of(Json::object(
      {{"rules", Json::array({rule("kind", "equals", "issue", "include", 1), none})}}));
  REQUIRE(rules.ok());
  CHECK(takes(*rules, R"({"kind":"issue"})"));
  CHECK_FALSE(takes(*rules, R"({"kind":"comment"})"));
  CHECK(of({}).take_everything());
  CHECK(of({rule("a", "equals", "b", "include", 1)}).take_everything());
}

TEST_CASE("sync rules: what is not offered makes a draft invalid, by its name") {
  Json draft = Json::object({{"rules", Json::array({rule("a", "regex", "b+", "exclude", 1)})},
                             {"advanced_snippet", Json::object({{"value", Json::object()}})}});
  Json validation = validation_of(draft);
  CHECK(validation.string_or("state") == "invalid");
  const Json& error = validation.find("errors")->as_array()[0];
  CHECK(error.find("ids")->dump() == R"(["r1"])");
  CHECK(error.find("messages")->as_array()[0].as_string().find("[regex]") != std::string::npos);
  draft.set("rules", Json::array({the_rest}));
  CHECK(validation_of(draft).string_or("state") == "valid");
  draft.set("advanced_snippet",
            Json::object({{"value", Json::array({Json::object({{"query", "x"}})})}}));
  validation = validation_of(draft);
  CHECK(validation.find("errors")->as_array()[0].find("ids")->dump() == R"(["advanced_snippet"])");
}

TEST_CASE("sync rules: a rule of another shape is refused by its number and member") {
  const auto fault = [](const char* text) {
    const Status checked = check_rules(*parse_json(text));
    REQUIRE_FALSE(checked.ok());
    return checked.error().message;
  };
  CHECK(check_rules(Json::array({the_rest})).ok());
  CHECK(fault("{}").find("list") != std::string::npos);
  CHECK(fault("[1]").find("[rules] 0") != std::string::npos);
  CHECK(fault(R"([{"id":"a","field":"f","value":"v","policy":"include","rule":"equals"}])")
            .find("[order]") != std::string::npos);
  CHECK(fault(R"([{"id":"a","field":"f","value":"v","policy":"keep","rule":"equals","order":1}])")
            .find("[policy]") != std::string::npos);
  CHECK(fault(R"([{"id":"a","field":"f","value":"v","policy":"include","rule":"like","order":1}])")
            .find("[rule]") != std::string::npos);
  CHECK(fault(R"([{"id":"a","field":"f","value":1,"policy":"include","rule":"equals","order":1}])")
            .find("[value]") != std::string::npos);
  CHECK(
      fault(
          R"([{"id":"a","field":"f","value":"v","policy":"include","rule":"equals","order":1,"x":1}])")
          .find("[x]") != std::string::npos);
}

}  // namespace cairn::connectors::sync_rules_test
