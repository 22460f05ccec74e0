// SPDX-License-Identifier: Apache-2.0
#include "search/read/query_string.h"

#include <doctest/doctest.h>

#include "search/read/simple_query_string.h"

namespace cairn::search::query_string_test {
namespace {

using index::Query;

std::string shown(const Query& query);

std::string shown(const char* name, const std::vector<Query>& list) {
  std::string out;
  for (const Query& one : list) out += " " + std::string(name) + shown(one);
  return out;
}

std::string bound(const std::optional<Json>& value) { return value ? value->dump() : "*"; }

std::string shown(const Query& query) {
  std::string out = "?";
  if (const auto* match = std::get_if<index::MatchQuery>(&query.node))
    out = match->field + ":" + match->value.as_string() +
          (match->fuzziness.empty() ? "" : "~" + match->fuzziness);
  if (const auto* phrase = std::get_if<index::MatchPhraseQuery>(&query.node))
    out = phrase->field + ":\"" + phrase->value + "\"" +
          (phrase->slop > 0 ? "~" + std::to_string(phrase->slop) : "");
  if (const auto* wild = std::get_if<index::WildcardQuery>(&query.node))
    out = wild->field + ":*" + wild->value;
  if (const auto* exists = std::get_if<index::ExistsQuery>(&query.node))
    out = "exists:" + exists->field;
  if (const auto* range = std::get_if<index::RangeQuery>(&query.node))
    out = range->field + ":(" + bound(range->gt) + "," + bound(range->gte) + "," +
          bound(range->lt) + "," + bound(range->lte) + ")";
  if (const auto* all = std::get_if<index::BoolQuery>(&query.node))
    out = "(" +
          (shown("+", all->must) + shown("", all->should) + shown("-", all->must_not)).substr(1) +
          ")";
  if (const auto* prefix = std::get_if<index::PrefixQuery>(&query.node))
    out = prefix->field + ":" + prefix->value + "*";
  if (const auto* any = std::get_if<index::DisMaxQuery>(&query.node))
    out = (any->tie_breaker == 1 ? "sum(" : "max(") + shown("", any->queries).substr(1) + ")";
  if (std::holds_alternative<index::MatchAllQuery>(query.node)) out = "all";
  if (std::holds_alternative<index::MatchNoneQuery>(query.node)) out = "none";
  if (query.boost != 1) out += "^" + Json(query.boost).dump();
  return out;
}

std::string parsed(std::string_view text, QueryStringOptions options = {}) {
  if (options.fields.empty()) options.fields = {{"f", 1.0f}};
  const auto query = parse_query_string(text, options);
  return query.ok() ? shown(*query) : query.error().message;
}

std::string simple(std::string_view text, QueryStringOptions options = {}) {
  if (options.fields.empty()) options.fields = {{"f", 1.0f}};
  const auto query = parse_simple_query_string(text, options);
  return query.ok() ? shown(*query) : query.error().message;
}

}  // namespace

TEST_CASE("query string: words, operators and groups") {
  CHECK(parsed("a") == "f:a");
  CHECK(parsed("a b") == "(f:a f:b)");
  CHECK(parsed("a AND b") == "(+f:a +f:b)");
  CHECK(parsed("a OR b AND c") == "(+f:b +f:c f:a)");
  CHECK(parsed("+a -b c") == "(+f:a f:c -f:b)");
  CHECK(parsed("a NOT b") == "(f:a -f:b)");
  CHECK(parsed("(a OR b) AND c") == "(+(f:a f:b) +f:c)");
  CHECK(parsed("a b", {.default_operator = index::Operator::and_}) == "(+f:a +f:b)");
  CHECK(parsed("a OR b", {.default_operator = index::Operator::and_}) == "(f:a f:b)");
  CHECK(parsed("ORDER ANDY") == "(f:ORDER f:ANDY)");
}

TEST_CASE("query string: a star without a field is every document, unless fields were chosen") {
  CHECK(parsed("*", {.every_field = true}) == "all");
  CHECK(parsed("*") == "exists:f");
  CHECK(parsed("a -b*", {.every_field = true}) == "(f:a -f:*b*)");
  CHECK(parsed("*^3 OR a", {.every_field = true}) == "(all^3.0 f:a)");
  CHECK(parsed("\\*", {.every_field = true}) == "f:*");
  CHECK(parsed("g:*", {.every_field = true}) == "exists:g");
  CHECK(parsed("g:(a *)", {.every_field = true}) == "(g:a exists:g)");
}

TEST_CASE("query string: fields, phrases, ranges, wildcards, boosts") {
  CHECK(parsed("title:a^2") == "title:a^2.0");
  CHECK(parsed("title:(a b)") == "(title:a title:b)");
  CHECK(parsed("\"a b\"~3") == "f:\"a b\"~3");
  CHECK(parsed("n:[1 TO 5}") == "n:(*,\"1\",\"5\",*)");
  CHECK(parsed("n:>=5") == "n:(*,\"5\",*,*)");
  CHECK(parsed("n:[* TO 5]") == "n:(*,*,*,\"5\")");
  CHECK(parsed("qu?ck*") == "f:*qu?ck*");
  CHECK(parsed("quick~") == "f:quick~AUTO");
  CHECK(parsed("quick~1") == "f:quick~1");
  CHECK(parsed("*:*") == "all");
  CHECK(parsed("_exists_:a") == "exists:a");
  CHECK(parsed("a\\:b") == "f:a:b");
  CHECK(parsed("a", {.fields = {{"x", 2.0f}, {"y", 1.0f}}}) == "max(x:a^2.0 y:a)");
}

TEST_CASE("query string: what cannot be read is an error, but never for the simple one") {
  for (const auto* bad : {"(a", "a AND", "\"a", "n:[1 TO", "f:", "a)", "AND"}) {
    CHECK(parsed(bad) == "Failed to parse query [" + std::string(bad) + "]");
    CHECK(simple(bad).find("Failed") == std::string::npos);
  }
  CHECK(parsed("", {}) == "none");
}

TEST_CASE("query string: words with nothing between them are one text of several fields") {
  const QueryStringOptions two{.fields = {{"x", 1.0f}, {"y", 2.0f}}};
  CHECK(parsed("a b", two) == "max(x:a b y:a b^2.0)");
  CHECK(parsed("a b c AND d", two) == "(+max(x:c y:c^2.0) +max(x:d y:d^2.0) max(x:a b y:a b^2.0))");
  CHECK(parsed("a b*", two) == "(max(x:a y:a^2.0) max(x:*b* y:*b*^2.0))");
  CHECK(parsed("a b \"c\"", two) == "(max(x:a b y:a b^2.0) max(x:\"c\" y:\"c\"^2.0))");
  CHECK(parsed("a -b", two) == "(max(x:a y:a^2.0) -max(x:b y:b^2.0))");
  CHECK(parsed("z:(a b)", two) == "(z:a z:b)");
  const QueryStringOptions whole{.takes_values = [](const std::string&) { return true; }};
  CHECK(parsed("a b", whole) == "f:a b");
}

TEST_CASE("query string: minimum_should_match is of the whole, not of groups in it") {
  const auto least = [](std::string_view text) {
    const auto query =
        parse_query_string(text, {.fields = {{"f", 1.0f}}, .minimum_should_match = "2"});
    REQUIRE(query.ok());
    const auto& all = std::get<index::BoolQuery>(query->node);
    const auto* inner = std::get_if<index::BoolQuery>(&all.should.front().node);
    return all.minimum_should_match + (inner == nullptr ? "" : inner->minimum_should_match);
  };
  CHECK(least("a b") == "2");
  CHECK(least("(a b) c") == "2");
}

TEST_CASE("query strings: what has no words is as if it did not stand there") {
  const QueryStringOptions some{.fields = {{"f", 1.0f}},
                                .has_words = [](const std::string&, const std::string& text) {
                                  return text.find("the") == std::string::npos;
                                }};
  CHECK(parsed("the AND a", some) == "f:a");
  CHECK(parsed("a AND the", some) == "f:a");
  CHECK(parsed("a \"the\"", some) == "f:a");
  CHECK(parsed("a AND (the)", some) == "f:a");
  CHECK(parsed("the", some) == "none");
  CHECK(simple("the + a", some) == "f:a");
  CHECK(simple("a + \"the\"", some) == "f:a");
  CHECK(simple("a -the", some) == "f:a");
  CHECK(simple("the", some) == "none");
  QueryStringOptions two = some;
  two.fields = {{"f", 1.0f}, {"g", 1.0f}};
  two.has_words = [](const std::string& field, const std::string&) { return field == "g"; };
  CHECK(parsed("the a", two) == "g:the a");
  CHECK(simple("the", two) == "g:the");
}

TEST_CASE("simple query string: signs are read from left to right") {
  CHECK(simple("a b") == "(f:a f:b)");
  CHECK(simple("a b + c") == "(+(f:a f:b) +f:c)");
  CHECK(simple("a + b | c") == "((+f:a +f:b) f:c)");
  CHECK(simple("a | b c") == "(f:a f:b f:c)");
  CHECK(simple("a+b") == "(+f:a +f:b)");
  CHECK(simple("+ a") == "f:a");
  CHECK(simple("a + | b") == "(+f:a +f:b)");
  CHECK(simple("(a | b) + c") == "(+(f:a f:b) +f:c)");
  CHECK(simple("a + ) b") == "(+f:a +f:b)");
  CHECK(simple("a + () b") == "(f:a f:b)");
  CHECK(simple("(a \"b") == "(f:a f:b)");
  CHECK(simple("a b", {.default_operator = index::Operator::and_}) == "(+f:a +f:b)");
}

TEST_CASE("simple query string: a minus stands before what it leaves out, and the rest scores 1") {
  CHECK(simple("-a") == "(all -f:a)");
  CHECK(simple("--a") == "f:a");
  CHECK(simple("- a") == "f:a");
  CHECK(simple("a-b") == "f:a-b");
  CHECK(simple("a -b") == "(f:a (all -f:b))");
  CHECK(simple("a + -(b c)") == "(+f:a +(all -(f:b f:c)))");
  CHECK(simple("a -b", {.default_operator = index::Operator::and_}) == "(+f:a +(all -f:b))");
}

TEST_CASE("simple query string: phrases, beginnings, near words, stars") {
  CHECK(simple("\"a b\"~3") == "f:\"a b\"~3");
  CHECK(simple("\"\" a") == "f:a");
  CHECK(simple("qu*") == "f:qu*");
  CHECK(simple("q*k") == "f:q*k");
  CHECK(simple("quick~1") == "f:quick~1");
  CHECK(simple("quick~") == "f:quick~2");
  CHECK(simple("quick~9") == "f:quick~2");
  CHECK(simple("quick~x") == "f:quick");
  CHECK(simple("\\-a\\*") == "f:-a*");
  CHECK(simple(" * ") == "all");
  CHECK(simple("a *") == "(f:a f:*)");
  CHECK(simple("") == "none");
  CHECK(simple("a", {.fields = {{"x", 2.0f}, {"y", 1.0f}}}) == "sum(x:a^2.0 y:a)");
}

TEST_CASE("query string: a field has one word, phrase, range or group, and no other field") {
  for (const std::string bad : {"a:b:c", "a:b:\"c d\"", "day:10:30"})
    CHECK(parsed(bad.c_str()) == "Failed to parse query [" + bad + "]");
  CHECK(parsed("a:(b:c d)") == "(b:c a:d)");
  CHECK(parsed("a:b\\:c") == "a:b:c");
}

TEST_CASE(
    "query string: text that is nested without end is refused, or read flat by the simple one") {
  const auto many = [](std::string_view piece) {
    std::string text;
    for (int i = 0; i < 300'000; ++i) text += piece;
    return text + "b";
  };
  for (const std::string_view piece : {"(", "a:", "a:(", "-(", "+("}) {
    const std::string text = many(piece);
    CHECK(parsed(text.c_str()).starts_with("Failed to parse query"));
    CHECK_FALSE(simple(text.c_str()).starts_with("Failed"));
  }
}

}  // namespace cairn::search::query_string_test
