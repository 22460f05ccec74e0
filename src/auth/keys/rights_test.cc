// SPDX-License-Identifier: Apache-2.0
#include "auth/keys/rights.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace cairn::auth::rights_test {
namespace {

Rights rights_of(const char* json) {
  const auto parsed = parse_json(json);
  REQUIRE(parsed.ok());
  auto rights = Rights::parse(*parsed);
  REQUIRE_MESSAGE(rights.ok(), rights.error().message);
  return *rights;
}

std::string refusal_of(const char* json) {
  const auto parsed = parse_json(json);
  REQUIRE(parsed.ok());
  const auto rights = Rights::parse(*parsed);
  REQUIRE_FALSE(rights.ok());
  CHECK(rights.error().kind == ErrorKind::invalid_argument);
  return rights.error().message;
}

}  // namespace

TEST_CASE("rights: manage is everything but security") {
  const Rights rights = rights_of(R"({"r":{"cluster":["manage"]}})");
  for (const auto* name :
       {"manage_inference", "monitor_inference", "monitor", "create_snapshot", "manage_connector",
        "monitor_connector", "manage_ml", "monitor_snapshot"})
    CHECK_MESSAGE(rights.cluster(name), name);
  for (const auto* name :
       {"all", "manage_security", "manage_api_key", "manage_own_api_key", "read_security", "none"})
    CHECK_FALSE_MESSAGE(rights.cluster(name), name);
}

TEST_CASE("rights: monitor admits to inference but not to its management") {
  const Rights rights = rights_of(R"({"r":{"cluster":["monitor"]}})");
  CHECK(rights.cluster("monitor_inference"));
  CHECK(rights.cluster("monitor_ml"));
  CHECK_FALSE(rights.cluster("manage_inference"));
  CHECK_FALSE(rights.cluster("monitor_snapshot"));
}

TEST_CASE("rights: every privilege admits to itself, and all admits to every one but none") {
  const Rights all = Rights::all();
  for (const auto& name : cluster_privileges()) {
    const Rights one = rights_of((R"({"r":{"cluster":[")" + name + R"("]}})").c_str());
    CHECK(one.cluster(name) == (name != "none"));
    for (const auto& holder : cluster_grants(name)) {
      if (holder == "none") continue;
      const Rights wider = rights_of((R"({"r":{"cluster":[")" + holder + R"("]}})").c_str());
      CHECK_MESSAGE(wider.cluster(name), holder << " admits to " << name);
    }
    CHECK(all.cluster(name));
  }
  CHECK_FALSE(all.cluster("unheard_of"));
}

TEST_CASE("rights: the grants that a refusal lists are exactly those that admit") {
  for (const auto& name : index_privileges()) {
    for (const auto& holder : index_privileges()) {
      const auto text = R"({"r":{"indices":[{"names":["a"],"privileges":[")" + holder + R"("]}]}})";
      const auto grants = index_grants(name);
      const bool listed = std::find(grants.begin(), grants.end(), holder) != grants.end();
      if (name == "none" || holder == "none") continue;
      CHECK_MESSAGE(rights_of(text.c_str()).index(name, "a") == (listed || holder == "all"),
                    holder << " for " << name);
    }
  }
}

TEST_CASE("rights: tables of buckets are reached by patterns that mean them") {
  const struct {
    const char* index;  // of a role with the privilege read
    bool reaches;
  } rows[] = {
      {R"("names":["*"])", false},
      {R"("names":["*objects*"])", false},
      {R"("names":["?objects-journal-books"])", false},
      {R"("names":["*"],"allow_restricted_indices":false)", false},
      {R"("names":["*"],"allow_restricted_indices":true)", true},
      {R"("names":[".*"])", true},
      {R"("names":[".objects-*"])", true},
      {R"("names":["books",".objects-journal-books"])", true},
      {R"("names":[".objects-journal-other"])", false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.index);
    const std::string role = std::string(R"({"r":{"indices":[{)") + row.index +
                             R"(,"privileges":["read"]}]}})";
    const Rights rights = rights_of(role.c_str());
    CHECK(rights.index("read", ".objects-journal-books") == row.reaches);
    CHECK_FALSE(rights.index("write", ".objects-journal-books"));
  }
  CHECK(Rights::all().index("read", ".objects-journal-books"));
}

TEST_CASE("rights: names of indices fit by * and ?, and a wildcard must be covered whole") {
  const Rights rights =
      rights_of(R"({"r":{"indices":[{"names":["logs-*","a?c"],"privileges":["read"]}]}})");
  CHECK(rights.index("read", "logs-1"));
  CHECK(rights.index("read", "logs-"));
  CHECK(rights.index("read", "abc"));
  CHECK(rights.index("read", "logs-2*"));
  CHECK(rights.index("read", "logs-*"));
  CHECK_FALSE(rights.index("read", "logs*"));
  CHECK_FALSE(rights.index("read", "*"));
  CHECK_FALSE(rights.index("read", "_all"));
  CHECK_FALSE(rights.index("read", "a*c"));
  CHECK_FALSE(rights.index("read", "ac"));
  CHECK_FALSE(rights.index("write", "logs-1"));
  CHECK(Rights::all().index("write", "*"));
}

TEST_CASE("rights: what does not exist or cannot be enforced is refused by name") {
  CHECK(refusal_of(R"({"r":{"cluster":["manage_inferenc"]}})").find("[manage_inference]") !=
        std::string::npos);
  CHECK(refusal_of(R"({"r":{"clusters":["all"]}})").find("[clusters]") != std::string::npos);
  CHECK(refusal_of(R"({"r":{"indices":[{"names":["a"]}]}})").find("[privileges]") !=
        std::string::npos);
  CHECK(refusal_of(R"({"r":{"indices":[{"privileges":["read"]}]}})").find("[names]") !=
        std::string::npos);
  CHECK(refusal_of(R"({"r":{"indices":[{"names":["a"],"privileges":["read"],
                                        "field_security":{"grant":["x"]}}]}})")
            .find("[field_security]") != std::string::npos);
  CHECK(refusal_of(R"({"r":{"run_as":["x"]}})").find("[run_as]") != std::string::npos);
  CHECK(refusal_of(R"({"r":{"cluster":[1]}})").find("[cluster]") != std::string::npos);
  CHECK(refusal_of(R"([])").find("[role_descriptors]") != std::string::npos);
}

}  // namespace cairn::auth::rights_test
