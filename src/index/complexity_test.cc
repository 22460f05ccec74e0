// SPDX-License-Identifier: Apache-2.0
// How the work of reading documents and mappings grows with what a client sends: steps are counted
// for n, 2n and 4n, and must grow no faster than n log n. What is over a limit is refused before
// the work.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "index/document/document.h"
#include "index/document/semantic_texts.h"
#include "index/testing.h"

namespace cairn::index::complexity_test {
namespace {

std::shared_ptr<const Mapping> mapping_of(std::string_view text, std::uint64_t* steps = nullptr,
                                          std::size_t fields = 1'000'000) {
  MappingLimits limits(fields);
  limits.steps = steps;
  auto made = Mapping::parse(Fixture::json(text), limits);
  INFO((made.ok() ? std::string() : made.error().message));
  REQUIRE(made.ok());
  return *made;
}

struct Walked {
  Result<ParsedDocument> document;
  std::uint64_t steps = 0;
};

Walked walk(std::string source, std::shared_ptr<const Mapping> mapping,
            std::size_t fields = 1'000'000) {
  std::uint64_t steps = 0;
  DocumentLimits limits{.mapping = fields};
  limits.mapping.steps = &steps;
  auto document = parse_document("1", std::move(source), {}, std::move(mapping), limits);
  return {std::move(document), steps};
}

/// Counts for n, 2n and 4n: each doubling may double the work and add what a logarithm adds.
void check_growth(std::size_t n, const std::function<std::uint64_t(std::size_t)>& steps_for) {
  const auto once = static_cast<double>(steps_for(n));
  const auto twice = static_cast<double>(steps_for(2 * n));
  const auto four_times = static_cast<double>(steps_for(4 * n));
  CAPTURE(once);
  CAPTURE(twice);
  CAPTURE(four_times);
  CHECK(once >= static_cast<double>(n));  // the hook counts
  const auto size = static_cast<double>(n);
  CHECK(twice <= once * 2 * std::log2(2 * size) / std::log2(size) + 16);
  CHECK(four_times <= once * 4 * std::log2(4 * size) / std::log2(size) + 16);
}

std::string repeated(std::size_t count, const std::function<std::string(std::size_t)>& piece,
                     char open, char close) {
  std::string out(1, open);
  for (std::size_t i = 0; i < count; ++i) out += (i > 0 ? "," : "") + piece(i);
  return out + close;
}

std::string new_fields(std::size_t count) {
  return repeated(
      count, [](std::size_t i) { return "\"f" + std::to_string(i) + "\":1"; }, '{', '}');
}

std::string dotted(std::size_t pieces) {
  std::string name = "a";
  for (std::size_t i = 1; i < pieces; ++i) name += ".a";
  return "{\"" + name + "\":1}";
}

TEST_CASE("complexity: new fields of a document") {
  check_growth(2000, [](std::size_t n) {
    const Walked walked = walk(new_fields(n), mapping_of("null"));
    REQUIRE(walked.document.ok());
    return walked.steps;
  });
}

TEST_CASE("complexity: new fields beyond the limit are refused when the limit is reached") {
  for (const std::size_t n : {2000u, 20'000u, 100'000u}) {
    const Walked walked = walk(new_fields(n), mapping_of("null"), 1000);
    REQUIRE(!walked.document.ok());
    CHECK(walked.document.error().code == "illegal_argument_exception");
    CHECK(walked.document.error().message ==
          "Limit of total fields [1000] has been exceeded while adding new fields [1001]");
    CHECK(walked.steps <= 1100);
  }
}

TEST_CASE("complexity: known fields of a document") {
  check_growth(1000, [](std::size_t n) {
    const std::string source = new_fields(n);
    const Walked first = walk(source, mapping_of("null"));
    REQUIRE(first.document.ok());
    const Walked walked = walk(source, first.document->mapping);
    REQUIRE(walked.document.ok());
    CHECK(walked.document->mapping_change.is_null());
    CHECK(walked.document->fields.size() == n);
    return walked.steps;
  });
}

TEST_CASE("complexity: pieces of dotted names end at the depth limit") {
  const Walked fits = walk(dotted(20), mapping_of("null"));
  REQUIRE(fits.document.ok());
  for (const std::size_t pieces : {21u, 500u, 1000u, 20'000u, 500'000u}) {
    CAPTURE(pieces);
    const Walked walked = walk(dotted(pieces), mapping_of("null"));
    REQUIRE(!walked.document.ok());
    CHECK(walked.document.error().code == "illegal_argument_exception");
    CHECK(walked.document.error().message.starts_with(
        "Limit of mapping depth [20] has been exceeded due to object field [a.a."));
    CHECK(walked.steps <= 100);
    // Where new fields are left out, so is this one.
    const Walked left_out = walk(dotted(pieces), mapping_of(R"({"dynamic": false})"));
    CHECK(left_out.document.ok());
    CHECK(left_out.steps <= 100);
  }
}

TEST_CASE("complexity: dotted names of one document") {
  check_growth(1000, [](std::size_t n) {
    const Walked walked = walk(
        repeated(
            n, [](std::size_t i) { return "\"a.b.c.f" + std::to_string(i) + "\":1"; }, '{', '}'),
        mapping_of("null"));
    REQUIRE(walked.document.ok());
    return walked.steps;
  });
}

TEST_CASE("complexity: elements of lists of texts, numbers, keywords and objects") {
  const auto mapping = mapping_of(
      R"({"properties": {"t": {"type": "text"}, "n": {"type": "long"}, "k": {"type": "keyword"},)"
      R"("o": {"properties": {"n": {"type": "long"}}}}})");
  const std::pair<const char*, const char*> lists[] = {
      {"t", "\"two words\""}, {"n", "7"}, {"k", "\"x\""}, {"o", "{\"n\":1}"}, {"new", "{\"n\":1}"}};
  for (const auto& [field, element] : lists) {
    CAPTURE(field);
    check_growth(1000, [&, name = field, value = element](std::size_t n) {
      const Walked walked =
          walk("{\"" + std::string(name) + "\":" +
                   repeated(
                       n, [&](std::size_t) { return std::string(value); }, '[', ']') +
                   "}",
               mapping);
      REQUIRE(walked.document.ok());
      return walked.steps;
    });
  }
}

TEST_CASE("complexity: nested levels end at the depth limit") {
  for (const std::size_t levels : {21u, 42u, 84u}) {
    std::string source = "1";
    for (std::size_t i = 0; i < levels; ++i) source = "{\"a\":" + source + "}";
    const Walked walked = walk(source, mapping_of("null"));
    REQUIRE(!walked.document.ok());
    CHECK(walked.document.error().message.starts_with("Limit of mapping depth [20]"));
    CHECK(walked.steps <= 100);
  }
}

TEST_CASE("complexity: fields of a mapping, and names with dots in it") {
  const auto properties = [](std::size_t n, const std::string& prefix) {
    return "{\"properties\":" +
           repeated(
               n,
               [&](std::size_t i) {
                 return "\"" + prefix + std::to_string(i) + "\":{\"type\":\"long\"}";
               },
               '{', '}') +
           "}";
  };
  for (const char* prefix : {"f", "a.b.f"})
    check_growth(1000, [&](std::size_t n) {
      std::uint64_t steps = 0;
      const auto mapping = mapping_of(properties(n, prefix), &steps);
      CHECK(mapping->to_json().dump().size() > n);
      return steps;
    });
  std::uint64_t steps = 0;
  MappingLimits limits(1000);
  limits.steps = &steps;
  CHECK(!Mapping::parse(Fixture::json(properties(50'000, "f")), limits).ok());
  CHECK(steps <= 1001);
}

TEST_CASE("complexity: a mapping is as deep as its limit, however that is written") {
  std::string nested = R"({"type":"long"})";
  for (int i = 0; i < 21; ++i) nested = R"({"properties":{"a":)" + nested + "}}";
  std::string name = "a";
  for (int i = 1; i < 20'000; ++i) name += ".a";
  for (const std::string& text :
       {nested, R"({"properties":{")" + name + R"(":{"type":"long"}}})"}) {
    const auto made = Mapping::parse(Fixture::json(text), 1000);
    REQUIRE(!made.ok());
    CHECK(made.error().message.starts_with("Limit of mapping depth [20] has been exceeded"));
  }
}

TEST_CASE("complexity: names are bounded, in mappings and in documents") {
  const std::string fits(1024, 'n'), longer(1025, 'n'), huge(1 << 20, 'n');
  CHECK(walk("{\"" + fits + "\":1}", mapping_of("null")).document.ok());
  for (const std::string& name : {longer, huge}) {
    const Walked walked = walk("{\"" + name + "\":1}", mapping_of("null"));
    REQUIRE(!walked.document.ok());
    CHECK(
        walked.document.error().message.ends_with("is longer than the limit of [1024] characters"));
    CHECK(walked.document.error().message.size() < 300);
    const auto made = Mapping::parse(
        Fixture::json(R"({"properties":{")" + name + R"(":{"type":"long"}}})"), 1000);
    REQUIRE(!made.ok());
    CHECK(made.error().message.ends_with("is longer than the limit of [1024] characters"));
  }
}

TEST_CASE("complexity: patterns of templates, date formats and copies are few") {
  const auto refused = [](const std::string& text) {
    return !Mapping::parse(Fixture::json(text), 1000).ok();
  };
  const auto templates = [](std::size_t n) {
    return "{\"dynamic_templates\":" +
           repeated(
               n,
               [](std::size_t i) {
                 return "{\"t" + std::to_string(i) +
                        R"(":{"match":"x*","mapping":{"type":"long"}}})";
               },
               '[', ']') +
           "}";
  };
  CHECK(!refused(templates(1000)));
  CHECK(refused(templates(1001)));
  // Each new field is held against each of them once, however often it comes.
  const auto mapping = mapping_of(templates(1000));
  const auto twice = walk(R"({"a":[{"b":1},{"b":2},{"b":3},{"b":4}]})", mapping);
  REQUIRE(twice.document.ok());
  CHECK(twice.steps <= 2 * 1000 + 50);
  const auto copies = [](std::size_t n) {
    return R"({"properties":{"a":{"type":"keyword","copy_to":)" +
           repeated(
               n, [](std::size_t i) { return "\"c" + std::to_string(i) + "\""; }, '[', ']') +
           "}}}";
  };
  CHECK(!refused(copies(256)));
  CHECK(refused(copies(257)));
  CHECK(refused(R"({"properties":{"d":{"type":"date","format":")" + std::string(1025, 'y') +
                R"("}}})"));
}

TEST_CASE("complexity: items of a bulk that bring new fields end at the limit, the index lives") {
  Fixture fixture;
  const auto index = fixture.create("i", "null", R"({"index.mapping.total_fields.limit": 50})");
  std::vector<WriteOperation> operations(200);
  for (std::size_t i = 0; i < operations.size(); ++i)
    operations[i].source = "{\"f" + std::to_string(i) + "\":1}";
  const auto results = index->write(operations, fixture.soon());
  REQUIRE(results.ok());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    CAPTURE(i);
    CHECK(((*results)[i].error.has_value()) == (i >= 50));
  }
  CHECK(index->mapping()->size() == 50);
  CHECK(fixture.put(*index, "x", R"({"f7": 2})").version == 1);
  REQUIRE(index->refresh(fixture.soon()).ok());
  CHECK(fixture.ids(*index, term("f7", 2)) == std::vector<std::string>{"x"});
  REQUIRE(index
              ->put_settings(Fixture::json(R"({"index.mapping.total_fields.limit": 60})"),
                             fixture.soon())
              .ok());
  CHECK(fixture.put(*index, "y", R"({"another": 2})").version == 1);
}

TEST_CASE("complexity: texts of semantic fields are looked for only below the mapping's objects") {
  const auto mapping = mapping_of(R"({"properties": {"s": {"type": "semantic_text"}}})");
  Json deep = 1;
  for (int i = 0; i < 90; ++i) deep = Json::object({{"x", std::move(deep)}});
  Json document = Json::object({{"s", "a text"}, {"unknown", std::move(deep)}});
  const auto texts = semantic_texts(document, *mapping);
  REQUIRE(texts.size() == 1);
  CHECK(texts[0].texts == std::vector<std::string>{"a text"});
}

TEST_CASE("complexity: distinct values that are counted, over several segments") {
  for (const char* request : {R"({"x": {"terms": {"field": "k", "size": 3}}})",
                              R"({"x": {"terms": {"field": "k", "include": ".*7"}}})",
                              R"({"x": {"cardinality": {"field": "k"}}})"}) {
    CAPTURE(request);
    check_growth(2000, [&](std::size_t n) {
      Fixture house;
      const auto index = house.create("i", R"({"properties": {"k": {"type": "keyword"}}})");
      for (std::size_t segment = 0; segment < 4; ++segment) {
        std::vector<WriteOperation> batch;
        for (std::size_t i = segment; i < n; i += 4)
          batch.push_back({.source = R"({"k": "value )" + std::to_string(i * 7919 % n) + "\"}"});
        REQUIRE(index->write(batch, house.soon()).ok());
        REQUIRE(index->flush(house.soon()).ok());
      }
      SearchParams params{.size = 0};
      params.aggregations = Fixture::json(request);
      const std::uint64_t before = os::Steps::total();
      (void)house.search(*index, {}, params);
      return os::Steps::total() - before;
    });
  }
}

TEST_CASE("complexity: values that are chosen by name") {
  Fixture house;
  const auto index = house.create("i", R"({"properties": {"k": {"type": "keyword"}}})");
  for (int i = 0; i < 100; ++i) house.put(*index, std::to_string(i), R"({"k": "value 7"})");
  REQUIRE(index->refresh(house.soon()).ok());
  check_growth(1000, [&](std::size_t n) {
    const std::string names = repeated(
        n, [](std::size_t i) { return "\"value " + std::to_string(i) + "\""; }, '[', ']');
    SearchParams params{.size = 0};
    params.aggregations =
        Fixture::json(R"({"x": {"terms": {"field": "k", "include": )" + names + "}}}");
    const std::uint64_t before = os::Steps::total();
    (void)house.search(*index, {}, params);
    return os::Steps::total() - before;
  });
}

/// Steps of a search in a text of so many words, of three in turn.
std::uint64_t steps_of_pieces(std::size_t words, const Query::Node& query) {
  Fixture house;
  const auto index = house.create("i", R"({"properties": {"t": {"type": "text"}}})");
  std::string text;
  for (std::size_t i = 0; i < words; ++i) text += std::string(1, "abc"[i % 3]) + " ";
  house.put(*index, "1", Json::object({{"t", text}}).dump());
  REQUIRE(index->refresh(house.soon()).ok());
  const std::uint64_t before = os::Steps::total();
  REQUIRE(index->view()->search({.node = query}, {}, house.soon()).ok());
  return os::Steps::total() - before;
}

SpanQuery near_words(std::size_t count, bool in_order, std::uint32_t slop) {
  SpanQuery near;
  near.kind = SpanQuery::Kind::near;
  near.in_order = in_order;
  near.slop = slop;
  for (std::size_t i = 0; i < count; ++i) {
    SpanQuery word;
    word.field = "t";
    word.value = std::string(1, "abc"[i % 3]);
    near.parts.push_back(std::move(word));
  }
  return near;
}

TEST_CASE("complexity: pieces of a text") {
  for (const bool in_order : {false, true}) {
    CAPTURE(in_order);
    check_growth(200, [&](std::size_t n) {
      return steps_of_pieces(300, near_words(n, in_order, 1'000'000));
    });
    SpanQuery deep = near_words(3, in_order, 4);
    for (int depth = 0; depth < 6; ++depth) {
      SpanQuery around = near_words(2, !in_order, 50);
      around.parts.push_back(deep);
      around.parts.push_back(std::move(deep));
      deep = std::move(around);
    }
    check_growth(2'000, [&](std::size_t n) { return steps_of_pieces(n, deep); });
  }
}

IntervalsRule rule_of_words(std::size_t count, bool ordered) {
  IntervalsRule rule;
  rule.ordered = ordered;
  for (std::size_t i = 0; i < count; ++i) rule.text += std::string(1, "abc"[i % 3]) + " ";
  return rule;
}

IntervalsRule rule_of_rules(IntervalsRule::Kind kind, std::vector<IntervalsRule> parts) {
  IntervalsRule rule;
  rule.kind = kind;
  rule.parts = std::move(parts);
  return rule;
}

TEST_CASE("complexity: intervals of a text") {
  const auto steps = [](std::size_t words, IntervalsRule rule) {
    return steps_of_pieces(words, IntervalsQuery{.field = "t", .rule = {std::move(rule)}});
  };
  for (const bool ordered : {false, true}) {
    CAPTURE(ordered);
    check_growth(200, [&](std::size_t n) { return steps(300, rule_of_words(n, ordered)); });
    check_growth(2'000, [&](std::size_t n) {
      IntervalsRule rule = rule_of_words(3, ordered);
      for (int depth = 0; depth < 6; ++depth) {
        rule.by = {rule_of_words(2, !ordered)};
        rule.filter = static_cast<IntervalsRule::Filter>(depth);
        rule = rule_of_rules(IntervalsRule::Kind::all, {rule_of_words(2, !ordered), rule});
        rule.ordered = ordered;
      }
      return steps(n, rule);
    });
  }
}

TEST_CASE("complexity: choices of intervals that come to too many are refused before the work") {
  Fixture house;
  const auto index = house.create("i", R"({"properties": {"t": {"type": "text"}}})");
  const auto ask = [&](std::size_t parts, std::size_t depth) {
    IntervalsRule phrase = rule_of_words(2, true);
    phrase.max_gaps = 0;
    auto choice = rule_of_rules(IntervalsRule::Kind::any, {rule_of_words(1, true), phrase});
    IntervalsRule rule;
    for (std::size_t i = 0; i < depth; ++i) {
      rule = rule_of_rules(IntervalsRule::Kind::all, std::vector<IntervalsRule>(parts, choice));
      for (IntervalsRule& part : rule.parts) part.parts[1].text += std::to_string(parts++);
      rule.ordered = true;
      rule.max_gaps = 0;
      choice = rule_of_rules(IntervalsRule::Kind::any, {rule_of_words(1, true), rule});
    }
    const std::uint64_t before = os::Steps::total();
    const auto count = index->view()->count(
        {.node = IntervalsQuery{.field = "t", .rule = {std::move(rule)}}}, house.soon());
    CHECK(os::Steps::total() - before < 3'000'000);
    return count.ok() ? std::string("no error") : count.error().message;
  };
  CHECK(ask(6, 1) == "no error");
  CHECK(ask(12, 1).find("Too many disjunctions to expand") != std::string::npos);
  CHECK(ask(100, 1).find("Too many disjunctions to expand") != std::string::npos);
  CHECK(ask(3, 3).find("Too many disjunctions to expand") != std::string::npos);
}

TEST_CASE("complexity: the regular expressions of a query are bounded together") {
  Fixture house;
  const auto index = house.create(
      "i", R"({"properties": {"k": {"type": "keyword"}, "o": {"type": "nested"}}})");
  house.put(*index, "1", R"({"k": "value", "o": [{"k": "value"}]})");
  REQUIRE(index->refresh(house.soon()).ok());
  const auto count = [&](std::size_t clauses, bool within) {
    BoolQuery all;
    for (std::size_t i = 0; i < clauses; ++i) {
      Query one{.node = RegexpQuery{.field = "k", .value = std::to_string(i) + "(a{99}){99}"},
                .lenient = true};
      if (within) one = {.node = NestedQuery{.path = "o", .query = {one}}};
      all.should.push_back(std::move(one));
    }
    return index->view()->count({.node = all}, house.soon());
  };
  CHECK(count(80, false).ok());
  CHECK(count(40, true).ok());
  for (const bool within : {false, true}) {
    const auto many = count(400, within);
    REQUIRE(!many.ok());
    CHECK(many.error().code == "too_complex_to_determinize_exception");
    CHECK(many.error().message.find("more than [1000000] states together") != std::string::npos);
  }
}

}  // namespace
}  // namespace cairn::index::complexity_test
