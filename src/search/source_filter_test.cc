// SPDX-License-Identifier: Apache-2.0
#include "search/source_filter.h"

#include <doctest/doctest.h>

namespace cairn::search::source_filter_test {
namespace {

std::string filtered(std::string_view source, std::string_view filter) {
  const auto parsed = parse_source_filter("", parse_json(filter).value());
  REQUIRE(parsed.ok());
  return filter_source(parse_json(source).value(), *parsed).dump();
}

}  // namespace

TEST_CASE("source filter: paths, patterns, lists and exclusions") {
  const std::string doc =
      R"({"title":"t","author":{"name":"n","age":3},"tags":[{"a":1,"b":2},{"b":3}]})";
  CHECK(filtered(doc, "true") == doc);
  CHECK(filtered(doc, "false") == "{}");
  CHECK(filtered(doc, R"("title")") == R"({"title":"t"})");
  CHECK(filtered(doc, R"(["author"])") == R"({"author":{"name":"n","age":3}})");
  CHECK(filtered(doc, R"(["author.*e"])") == R"({"author":{"name":"n","age":3}})");
  CHECK(filtered(doc, R"({"includes":["author"],"excludes":["*.age"]})") ==
        R"({"author":{"name":"n"}})");
  CHECK(filtered(doc, R"({"excludes":["author","t*"]})") == "{}");
  CHECK(filtered(doc, R"("tags.a")") == R"({"tags":[{"a":1}]})");
  CHECK(filtered(doc, R"({"excludes":["tags.b"]})") ==
        R"({"title":"t","author":{"name":"n","age":3},"tags":[{"a":1},{}]})");
}

TEST_CASE("source filter: what it cannot be") {
  for (const auto* bad : {"5", "[5]", R"({"foo":["a"]})"})
    CHECK_FALSE(parse_source_filter("", parse_json(bad).value()).ok());
}

TEST_CASE("values: through objects, lists and names with dots") {
  const Json doc = parse_json(R"({"a":[{"b":1},{"b":[2,3]}],"a.b":4,"c":null})").value();
  const auto values = values_at(doc, "a.b");
  REQUIRE(values.size() == 4);
  CHECK(values[2].as_int() == 3);
  CHECK(values[3].as_int() == 4);
  CHECK(values_at(doc, "c").empty());
}

TEST_CASE("source filter: many paths are looked up, many patterns refused") {
  SourceFilter filter;
  for (int i = 0; i < 10'000; ++i) filter.includes.push_back("f" + std::to_string(i));
  CHECK(filter_source(*parse_json(R"({"f9999":1,"g":2})"), filter).dump() == R"({"f9999":1})");
  CHECK(check_patterns(filter).ok());
  filter.excludes.assign(1'025, "a*");
  CHECK_FALSE(check_patterns(filter).ok());
}

}  // namespace cairn::search::source_filter_test
