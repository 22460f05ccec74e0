// SPDX-License-Identifier: Apache-2.0
#include "format/mustache.h"

#include <doctest/doctest.h>

#include <string>

namespace cairn::mustache_test {

std::string rendered(std::string_view text, std::string_view values,
                     MustacheEscape escape = MustacheEscape::none) {
  const auto json = parse_json(values);
  if (!json.ok()) return json.error().message;
  const auto read = Mustache::parse(text);
  if (!read.ok()) return read.error().message;
  const auto out = read->render(*json, escape);
  return out.ok() ? *out : out.error().message;
}

TEST_CASE("mustache: values, sections and comments") {
  struct Row {
    std::string_view text, values, out;
  };
  const Row rows[] = {
      {"plain", "{}", "plain"},
      {"a {{x}} b", R"({"x": "y"})", "a y b"},
      {"{{ x }}{{&x}}{{{ x }}}", R"({"x": 1})", "111"},
      {"[{{missing}}]", "{}", "[]"},
      {"[{{x}}]", R"({"x": null})", "[]"},
      {"{{x}} {{y}} {{z}}", R"({"x": 1.5, "y": true, "z": -3})", "1.5 true -3"},
      {"{{a.b.c}}", R"({"a": {"b": {"c": "deep"}}})", "deep"},
      {"{{a.b.c}}", R"({"a": {}, "b": {"c": 1}})", ""},
      {"{{list.1}} of {{list.size}}", R"({"list": ["a", "b"]})", "b of 2"},
      {"{{list.2}}{{list.01x}}{{list.-1}}", R"({"list": ["a", "b"]})", ""},
      {"{{list}} {{map}}", R"({"list": ["a", null, 1], "map": {"k": "v", "l": [2]}})",
       "[a, null, 1] {k=v, l=[2]}"},
      {"{{#x}}yes{{/x}}{{^x}}no{{/x}}", R"({"x": true})", "yes"},
      {"{{#x}}yes{{/x}}{{^x}}no{{/x}}", R"({"x": false})", "no"},
      {"{{#x}}yes{{/x}}{{^x}}no{{/x}}", R"({"x": ""})", "no"},
      {"{{#x}}yes{{/x}}{{^x}}no{{/x}}", R"({"x": []})", "no"},
      {"{{#x}}yes{{/x}}{{^x}}no{{/x}}", R"({})", "no"},
      {"{{#x}}yes{{/x}}{{^x}}no{{/x}}", R"({"x": 0})", "yes"},
      {"{{#x}}yes{{/x}}{{^x}}no{{/x}}", R"({"x": {}})", "yes"},
      {"{{#x}}<{{.}}>{{/x}}", R"({"x": ["a", "b", 3]})", "<a><b><3>"},
      {"{{#x}}<{{.}}>{{/x}}", R"({"x": "word"})", "<word>"},
      {"{{#x}}{{n}}{{all}} {{/x}}", R"({"all": "!", "x": [{"n": 1}, {"n": 2}, {}]})", "1! 2! ! "},
      {"{{#a}}{{b.c}}{{/a}}", R"({"a": {"b": {}}, "b": {"c": "outer"}})", ""},
      {"{{#x}}{{#x}}in{{/x}}{{/x}}", R"({"x": true})", "in"},
      {"{{#rows}}{{#.}}{{.}}{{/.}};{{/rows}}", R"({"rows": [[1, 2], [3]]})", "12;3;"},
      {"a{{! anything { } here }}b", "{}", "ab"},
      {"{{=<% %>=}}<%x%> {{x}} <%={{ }}=%>{{x}}", R"({"x": 1})", "1 {{x}} 1"},
      {"a\n  {{#x}}  \nb\n{{/x}}\nc", R"({"x": true})", "a\nb\nc"},
      {"a\n{{! comment }}\r\nb", "{}", "a\nb"},
      {"a {{! comment }}\nb", "{}", "a \nb"},
      {"  {{x}}\n", R"({"x": 1})", "  1\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CAPTURE(row.values);
    CHECK(rendered(row.text, row.values) == row.out);
  }
}

TEST_CASE("mustache: values are escaped for what stands around them") {
  const std::string_view values = R"({"x": "a \"b\"\n\\ü", "y": "a b&c~d*"})";
  CHECK(rendered("{{x}}", values, MustacheEscape::json) == "a \\\"b\\\"\\n\\\\ü");
  CHECK(rendered("{{{x}}}", values, MustacheEscape::json) == "a \"b\"\n\\ü");
  CHECK(rendered("{{y}}", values, MustacheEscape::form) == "a+b%26c~d*");
}

TEST_CASE("mustache: toJson, join and url") {
  const std::string_view values =
      R"({"l": ["a\"", 1, {"k": [true]}], "s": "x y", "o": {"l": [1, 2]}, "n": null})";
  const auto json = MustacheEscape::json;
  CHECK(rendered("{{#toJson}}l{{/toJson}}", values, json) == R"(["a\"",1,{"k":[true]}])");
  CHECK(rendered("{{#toJson}} o.l {{/toJson}}", values, json) == "[1,2]");
  CHECK(rendered("{{#tojson}}s{{/tojson}}", values, json) == "x y");
  CHECK(rendered("{{#toJson}}none{{/toJson}}{{#toJson}}n{{/toJson}}", values, json) == "");
  CHECK(rendered("{{#join}}o.l{{/join}}", values, json) == "1,2");
  CHECK(rendered("{{#join delimiter=' or '}}o.l{{/join delimiter=' or '}}", values, json) ==
        "1 or 2");
  CHECK(rendered("{{#url}}/{{s}}?{{/url}}", values, json) == "%2Fx+y%3F");
  CHECK(rendered("{{#toJson}}{{s}}{{/toJson}}", values, json).find(
            "Mustache function [toJson] must contain one and only one identifier") !=
        std::string::npos);
}

TEST_CASE("mustache: what is wrong with a template") {
  struct Row {
    std::string_view text, fault;
  };
  const Row rows[] = {
      {"a\n {{#x}}", "[2:2] the section [x] is not closed"},
      {"{{x", "[1:1] a tag is not closed: [}}] is missing"},
      {"{{{x}}", "[1:1] a tag is not closed: [}}}] is missing"},
      {"{{/x}}", "[1:1] [x] is closed, but no section is open"},
      {"{{#a}}{{/b}}", "[1:7] [b] is closed, but the section [a] is open"},
      {"{{}}", "[1:1] a tag has no name"},
      {"{{> other}}", "[1:1] other templates cannot be included: [other]"},
      {"{{=<%=}}", "[1:1] new delimiters are two"},
      {"{{#join}}{{/join}}", "must contain one and only one identifier"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto read = Mustache::parse(row.text);
    REQUIRE(!read.ok());
    CHECK(read.error().code == "script_exception");
    CHECK(read.error().message.find(row.fault) != std::string::npos);
  }
}

TEST_CASE("mustache: what it costs is bounded") {
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "{{#x}}";
  const auto nested = Mustache::parse(deep);
  REQUIRE(!nested.ok());
  CHECK(nested.error().message.find("more than [100] sections") != std::string::npos);

  std::string list = "[0";
  for (int i = 0; i < 1000; ++i) list += ",0";
  const auto values = parse_json(R"({"x": )" + list + "]}");
  REQUIRE(values.ok());
  const auto nothing = Mustache::parse("{{#x}}{{#x}}{{#x}}{{^x}}{{/x}}{{/x}}{{/x}}{{/x}}");
  REQUIRE(nothing.ok());
  const auto slow = nothing->render(*values, MustacheEscape::none);
  REQUIRE(!slow.ok());
  CHECK(slow.error().message.find("more than [2000000] steps") != std::string::npos);

  const auto much = Mustache::parse("{{#x}}{{#x}}{{x}}{{/x}}{{/x}}");
  REQUIRE(much.ok());
  const auto long_text = much->render(*values, MustacheEscape::none);
  REQUIRE(!long_text.ok());
  CHECK(long_text.error().message.find("longer than [1048576] bytes") != std::string::npos);

  const std::string wide(60'000, '-');
  const auto joined = Mustache::parse("{{#join delimiter='" + wide + "'}}x{{/join delimiter='" +
                                      wide + "'}}");
  REQUIRE(joined.ok());
  CHECK(!joined->render(*values, MustacheEscape::none).ok());
}

}  // namespace cairn::mustache_test
