// SPDX-License-Identifier: Apache-2.0
#include "graphql/language/parser.h"

#include <doctest/doctest.h>

#include <string>

#include "graphql/language/lexer.h"

namespace cairn::graphql {
namespace {

/// "message line:column", or "ok".
std::string fault_of(std::string_view text, const Options& options = {}) {
  const auto parsed = parse_document(text, options);
  if (parsed.ok()) return "ok";
  std::string at;
  for (const auto& [name, value] : parsed.error().details) at += (at.empty() ? " " : ":") + value;
  return parsed.error().message + at;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("graphql parser: everything that a request may hold") {
  const auto parsed = parse_document(R"(
query Q($a: [Int!]! = [1, 2], $b: In = {x: null, y: E}) @d(n: 1.5e3) {
  one: two(s: "a\"\u00e9\uD83D\uDE00\u{1F600}", v: $a) @skip(if: false) { ...F ... on T { id } ... @include(if: true) { x } }
}
mutation { m }
subscription S { s }
fragment F on T @d { on fragment query }
)");
  REQUIRE(parsed.ok());
  REQUIRE(parsed->operations.size() == 3);
  const Operation& query = parsed->operations.front();
  CHECK(query.name == "Q");
  CHECK(query.at == Location{2, 1});
  CHECK(text_of(query.variables[0].type) == "[Int!]!");
  CHECK(query.variables[0].initial->items.size() == 2);
  CHECK(query.variables[1].initial->fields[0].value.kind == Value::Kind::null);
  const Selection& field = query.selections.front();
  CHECK(field.response_name() == "one");
  CHECK(field.name == "two");
  CHECK(field.name_at == Location{3, 8});
  CHECK(field.arguments[0].value.text == "a\"\xc3\xa9\xf0\x9f\x98\x80\xf0\x9f\x98\x80");
  CHECK(field.arguments[1].value.kind == Value::Kind::variable);
  CHECK(field.selections.size() == 3);
  CHECK(field.selections[0].kind == Selection::Kind::spread);
  CHECK(field.selections[1].name == "T");
  CHECK(field.selections[2].name.empty());
  CHECK(parsed->fragments.front().selections.size() == 3);
  CHECK(parsed->aliases == 1);
}

TEST_CASE("graphql parser: definitions of types") {
  const auto parsed = parse_document(R"(
"""
  The schema.
    indented
"""
schema @d { query: Q mutation: M }
scalar S @specifiedBy(url: "x")
type Q implements & A & B { "f" f(a: Int = 1 @d, b: [S!]): S! @deprecated }
interface A implements B { x: Int }
union U = | Q | M
enum E { A B @deprecated(reason: "r") }
input I { a: Int! = 3 b: I }
directive @d(a: Int) repeatable on FIELD | QUERY
extend type Q { more: Int }
extend schema @d
extend union U = X
)");
  REQUIRE_MESSAGE(parsed.ok(), parsed.error().message);
  CHECK(parsed->types.size() == 11);
  CHECK(parsed->types[0].description == "The schema.\n  indented");
  CHECK(parsed->types[0].roots.size() == 2);
  CHECK(parsed->types[2].interfaces.size() == 2);
  CHECK(parsed->types[2].fields[0].arguments[1].name == "b");
  CHECK(parsed->types[4].members.size() == 2);
  CHECK(parsed->types[7].repeatable);
  CHECK(parsed->types[8].extension);
}

TEST_CASE("graphql parser: block strings lose their common indent") {
  CHECK(without_indent("\n    a\n      b\r\n\n    c\n  ") == "a\n  b\n\nc");
  CHECK(without_indent("a\n  b") == "a\nb");
  CHECK(without_indent("  \n \n") == "");
  const auto parsed = parse_document("{ f(a: \"\"\"x \\\"\"\" \"y\" \\n\"\"\") }");
  REQUIRE(parsed.ok());
  CHECK(parsed->operations[0].selections[0].arguments[0].value.text == "x \"\"\" \"y\" \\n");
}

TEST_CASE("graphql parser: what is wrong is told with its place") {
  CHECK(fault_of("{") == "Syntax Error: Expected Name, found <EOF>. 1:2");
  CHECK(fault_of("") == "Syntax Error: Unexpected <EOF>. 1:1");
  CHECK(fault_of("{ ...on }") == "Syntax Error: Expected Name, found \"}\". 1:9");
  CHECK(fault_of("{ a(x: ) }") == "Syntax Error: Unexpected \")\". 1:8");
  CHECK(fault_of("{}") == "Syntax Error: Expected Name, found \"}\". 1:2");
  CHECK(fault_of("notAnOperation F { a }") ==
        "Syntax Error: Unexpected Name \"notAnOperation\". 1:1");
  CHECK(fault_of("fragment on on T { a }") == "Syntax Error: Unexpected Name \"on\". 1:10");
  CHECK(fault_of("query ($a: Int = $b) { a }") ==
        "Syntax Error: Unexpected variable \"$b\" in constant value. 1:18");
  CHECK(fault_of("{\n é }") == "Syntax Error: Unexpected character: U+00E9. 2:2");
  CHECK(fault_of("{ a(x: \"é\n\") }") == "Syntax Error: Unterminated string. 1:10");
  CHECK(fault_of("{ a(x: \"😀\n\") }") == "Syntax Error: Unterminated string. 1:11");
  CHECK(fault_of("{ a(x: 01) }") ==
        "Syntax Error: Invalid number, unexpected digit after 0: \"1\". 1:9");
  CHECK(fault_of("{ a(x: 1.) }") ==
        "Syntax Error: Invalid number, expected digit but got: \")\". 1:10");
  CHECK(fault_of("{ a(x: \"\\q\") }") ==
        "Syntax Error: Invalid character escape sequence: \"\\q\". 1:9");
  CHECK(fault_of("{ a(x: \"\\uD800\") }") ==
        "Syntax Error: Invalid Unicode escape sequence: \"\\uD800\". 1:9");
  CHECK(fault_of("{ a } \"x\" query { a }") == "ok");
  CHECK(
      fault_of("{ a } \"x\" { a }") ==
      "Syntax Error: Unexpected description, descriptions are not supported on shorthand queries. "
      "1:7");
  CHECK(fault_of("\"x\" extend type T { a: B }") ==
        "Syntax Error: Unexpected description, only GraphQL definitions support descriptions. 1:1");
  CHECK(fault_of("\xff") == "Syntax Error: Document is not UTF-8. 1:1");
}

TEST_CASE("graphql parser: bounds") {
  CHECK(fault_of(repeated("{a", 64) + repeated("}", 64)) == "ok");
  CHECK(fault_of(repeated("{a", 65) + repeated("}", 65)) ==
        "Syntax Error: Document nests deeper than 64 levels. 1:130");
  CHECK(fault_of("{ a(x: " + repeated("[", 100'000))
            .starts_with("Syntax Error: Document nests deeper"));
  CHECK(fault_of("query ($a: " + repeated("[", 100'000))
            .starts_with("Syntax Error: Document nests deeper"));
  CHECK(fault_of("{" + repeated("a ", 20'001) + "}").find("more than 20000 tokens") !=
        std::string::npos);
  CHECK(fault_of(repeated(" ", 300'000)).find("300000 bytes") != std::string::npos);
}

}  // namespace cairn::graphql
