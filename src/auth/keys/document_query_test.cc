// SPDX-License-Identifier: Apache-2.0
// Queries of roles: how they are read, filled in, and what bounds a key together.
#include "auth/keys/document_query.h"

#include <doctest/doctest.h>

#include "auth/keys/key.h"
#include "auth/keys/key_rules.h"

namespace cairn::auth::document_query_test {
namespace {

Json json(std::string_view text) { return parse_json(text).value(); }

const Json ann = user_of_templates("ann", json(R"({"group":"red","groups":["red","blue"]})"));

std::string read(std::string_view given) {
  const auto query = read_document_query(json(given), ann);
  return query.ok() ? query->dump() : "refused: " + query.error().message;
}

Key key_of(std::string_view roles, std::string_view metadata = "{}",
           std::string_view limited_by = "[]") {
  Key key;
  key.id = "k";
  key.username = "ann";
  key.role_descriptors = json(roles);
  key.metadata = json(metadata);
  key.limited_by = json(limited_by);
  const Status ready = key.prepare();
  REQUIRE_MESSAGE(ready.ok(), ready.error().message);
  return key;
}

std::string role(std::string_view names, std::string_view query,
                 std::string_view privileges = "\"read\"") {
  std::string out = R"({"names":[)" + std::string(names) + R"(],"privileges":[)" +
                    std::string(privileges) + "]";
  if (!query.empty()) out += R"(,"query":)" + std::string(query);
  return out + "}";
}

std::string roles(const std::string& entries) { return R"({"r":{"indices":[)" + entries + "]}}"; }

std::string filter_of(const Key& key, std::string_view index) {
  const auto filter = key.document_filter(index);
  return filter == nullptr ? "all" : filter->dump();
}

const char* red = R"({"term":{"team":"red"}})";
const char* blue = R"({"term":{"team":"blue"}})";

}  // namespace

TEST_CASE("document query: an object, its text, or a template of it") {
  CHECK(read(red) == red);
  CHECK(read(R"("{\"term\":{\"team\":\"red\"}}")") == red);
  CHECK(read(R"({"template":{"source":{"term":{"team":"{{_user.metadata.group}}"}}}})") == red);
  CHECK(read(R"({"template":{"source":"{\"term\":{\"by\":\"{{_user.username}}\"}}"}})") ==
        R"({"term":{"by":"ann"}})");
  CHECK(read(R"({"template":{"source":"{\"terms\":{\"team\":{{#toJson}}_user.metadata.groups{{/toJson}}}}"}})") ==
        R"({"terms":{"team":["red","blue"]}})");
  CHECK(read(R"({"template":{"source":"{\"terms\":{\"a\":{{#toJson}}access_control{{/toJson}}}}",)"
             R"("params":{"access_control":["ann","red"]},"lang":"mustache"}})") ==
        R"({"terms":{"a":["ann","red"]}})");
  CHECK(read(R"("{\"template\":{\"source\":{\"term\":{\"team\":\"red\"}}}}")") == red);
}

TEST_CASE("document query: no value of a user or a parameter gets out of its place") {
  const Json tricky = user_of_templates("\"}},\"match_all\":{", Json());
  const auto query =
      read_document_query(json(R"({"template":{"source":{"term":{"by":"{{_user.username}}"}}}})"),
                          tricky);
  REQUIRE(query.ok());
  CHECK(query->find_path("term.by")->as_string() == "\"}},\"match_all\":{");
  CHECK(read(R"({"template":{"source":{"term":{"by":"{{_user.username}}"}},
                            "params":{"_user":{"username":"root"}}}})") ==
        R"({"term":{"by":"ann"}})");
}

TEST_CASE("document query: what is none is refused") {
  for (const auto* given :
       {"{}", "[]", "1", R"("")", R"("{")", R"("[]")", R"("\"{}\"")", R"({"a":1,"b":2})",
        R"({"template":1})", R"({"template":{}})", R"({"template":{"id":"kept"}})",
        R"({"template":{"source":"{{#a}}"}})", R"({"template":{"source":"[]"}})",
        R"({"template":{"source":"{}","lang":"painless"}})",
        R"({"template":{"source":"{}","params":[]}})"})
    CHECK_MESSAGE(read(given).starts_with("refused: "), given);
  const std::string long_text(70'000, 'x');
  CHECK(read(R"({"term":{"a":")" + long_text + R"("}})").starts_with("refused: "));
  CHECK(read(R"({"template":{"source":"{\"term\":{\"a\":\"{{p}}\"}}","params":{"p":")" + long_text +
             R"("}}})")
            .starts_with("refused: "));
}

TEST_CASE("key: any role that reads an index shows documents of it, one without a query all") {
  const Key one = key_of(roles(role(R"("a*")", red)));
  CHECK(filter_of(one, "a1") == red);
  CHECK_FALSE(one.reads_all_of("a1"));
  CHECK_FALSE(one.reads_all_of("a*"));
  const Key two = key_of(roles(role(R"("a*")", red) + "," + role(R"("a1")", blue)));
  CHECK(filter_of(two, "a1") == R"({"bool":{"should":[)" + std::string(red) + "," + blue + "]}}");
  CHECK(filter_of(two, "a2") == red);
  const Key whole = key_of(roles(role(R"("a*")", red) + "," + role(R"("a1")", "")));
  CHECK(filter_of(whole, "a1") == "all");
  CHECK(whole.reads_all_of("a1"));
  CHECK_FALSE(whole.reads_all_of("a*"));
  CHECK(filter_of(whole, "a2") == red);
}

TEST_CASE("key: a query narrows reading alone, and a right to write does not widen it") {
  const Key key = key_of(roles(role(R"("a")", red) + "," + role(R"("a")", "", "\"write\"") + "," +
                               role(R"("b")", "", "\"write\"")));
  CHECK(filter_of(key, "a") == red);
  CHECK(key.may_index("write", "a"));
  CHECK(filter_of(key, "b") == "all");
  CHECK_FALSE(key.may_index("read", "b"));
}

TEST_CASE("key: each bound of a key must show a document") {
  const std::string limit = "[" + roles(role(R"("*")", blue, "\"all\"")) + "]";
  CHECK(filter_of(key_of("{}", "{}", limit), "a") == blue);
  CHECK(filter_of(key_of(roles(role(R"("a")", red)), "{}", limit), "a") ==
        R"({"bool":{"filter":[)" + std::string(red) + "," + blue + "]}}");
  const Key narrow = key_of(R"({"r":{"cluster":["all"],"indices":[{"names":["*"],
      "privileges":["all"],"query":{"match_all":{}}}]}})");
  CHECK_FALSE(narrow.lasting_administrator());
}

TEST_CASE("key: what a key makes is bound by its own values, whatever the new metadata say") {
  const std::string by_group =
      R"({"template":{"source":{"term":{"team":"{{_user.metadata.group}}"}}}})";
  const Key maker = key_of(roles(role(R"("a")", by_group)), R"({"group":"red"})");
  CHECK(filter_of(maker, "a") == red);
  const Json limits = limits_for_children(maker);
  const Key made = key_of("{}", R"({"group":"blue"})", limits.dump());
  CHECK(filter_of(made, "a") == red);
  // Nor does it get out of them by its own metadata.
  const KeyChange change{.metadata = json(R"({"group":"blue"})")};
  const auto changed = changed_key(maker, change, maker, 0);
  REQUIRE(changed.ok());
  REQUIRE(changed->has_value());
  CHECK(filter_of(**changed, "a") ==
        R"({"bool":{"filter":[)" + std::string(blue) + "," + red + "]}}");
  const Json shown = maker.shown(false);
  CHECK(shown.find("role_descriptors")->dump().find("_user.metadata.group") != std::string::npos);
}

TEST_CASE("key: its queries stay as they are over a restart") {
  const Key key = key_of(roles(role(R"("a")", R"("{\"term\":{\"team\":\"red\"}}")")));
  Key with_secret = key;
  with_secret.secret_sha256 = std::string(32, 's');
  const auto again = Key::decode(with_secret.encode(), "e");
  REQUIRE(again.ok());
  CHECK(filter_of(*again, "a") == red);
}

}  // namespace cairn::auth::document_query_test
