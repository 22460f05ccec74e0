// SPDX-License-Identifier: Apache-2.0
// Work grows with what a client sends at most as n log n, and ends with its deadline: counted in
// steps (os::Steps), never in seconds.
#include <doctest/doctest.h>

#include <functional>
#include <map>

#include "base/sanitized.h"
#include "os/step_clock.h"
#include "os/steps.h"
#include "search/analyze.h"
#include "search/run/ranking.h"
#include "search/service_test_rig.h"

namespace cairn::search::complexity_test {
namespace {

const os::Deadline forever = os::Deadline::never();

/// An index of 4,000 short documents.
struct Fixture : ServiceFixture {
  Fixture() : ServiceFixture(1) {
    const auto mapping = parse_json(R"({"properties":{"t":{"type":"text"},"n":{"type":"long"},
        "k":{"type":"keyword"},"v":{"type":"dense_vector","dims":2}}})");
    REQUIRE(indices->create("words", *mapping, {}, forever).ok());
    const auto index = *indices->find("words");
    std::vector<index::WriteOperation> operations;
    for (int i = 0; i < 4'000; ++i) {
      std::string text = "all w" + std::to_string(i % 50) + " x" + std::to_string(i);
      if (i == 0) text = repeated("same ", 20'000);
      const Json document = Json::object({{"t", text},
                                          {"n", i},
                                          {"k", "k" + std::to_string(i)},
                                          {"v", Json::array({1.0, i * 0.001})}});
      operations.push_back({.id = std::to_string(i), .source = document.dump()});
    }
    REQUIRE(index->write(operations, forever).ok());
    REQUIRE(index->refresh(forever).ok());
  }

  static std::string repeated(std::string_view piece, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += piece;
    return out;
  }
  /// `piece(0), piece(1), ..., piece(n - 1)`
  static std::string listed(std::size_t n, const std::function<std::string(std::size_t)>& piece) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += (i == 0 ? "" : ",") + piece(i);
    return out;
  }

  Result<std::string> ask(const std::string& body, const os::Deadline& deadline = forever) {
    return service.search(*indices->resolve_names("words"), body, {}, deadline);
  }
};

std::uint64_t steps_of(const std::function<void()>& work) {
  const std::uint64_t before = os::Steps::total();
  work();
  return os::Steps::total() - before;
}

/// The steps for n, 2n and 4n; log n grows by less than a tenth from one to the next.
void check_growth(std::size_t n, const std::function<void(std::size_t)>& work) {
  const std::uint64_t one = steps_of([&] { work(n); });
  const std::uint64_t two = steps_of([&] { work(2 * n); });
  const std::uint64_t four = steps_of([&] { work(4 * n); });
  INFO("steps for n, 2n, 4n: " << one << " " << two << " " << four);
  CHECK(one >= n / 2);  // it is counted at all
  CHECK(static_cast<double>(two) <= 2.2 * static_cast<double>(one));
  CHECK(static_cast<double>(four) <= 2.2 * static_cast<double>(two));
}

void check_search_growth(Fixture& fixture, std::size_t n,
                         const std::function<std::string(std::size_t)>& body) {
  check_growth(n, [&](std::size_t size) {
    const auto answer = fixture.ask(body(size));
    INFO((answer.ok() ? std::string() : answer.error().message));
    REQUIRE(answer.ok());
  });
}

std::string number(std::size_t i) { return std::to_string(i); }

/// Indices o1, o2 and o4 of n, 2n and 4n documents, with four objects each and two in each of them;
/// and w1, w2, w4 of one document with as many objects.
struct Objects : ServiceFixture {
  explicit Objects(std::size_t n) : ServiceFixture(1) {
    for (const std::size_t times : {1u, 2u, 4u}) {
      fill("o" + number(times), n * times, 4);
      fill("w" + number(times), 1, n * times);
    }
  }
  void fill(const std::string& name, std::size_t documents, std::size_t objects) {
    const auto mapping = parse_json(R"({"properties":{"k":{"type":"keyword"},"c":{"type":"nested",
        "properties":{"n":{"type":"long"},"k":{"type":"keyword"},
        "v":{"type":"dense_vector","dims":2},
        "d":{"type":"nested","properties":{"n":{"type":"long"}}}}}}})");
    REQUIRE(indices->create(name, *mapping, {}, forever).ok());
    const auto index = *indices->find(name);
    std::vector<index::WriteOperation> operations;
    for (std::size_t i = 0; i < documents; ++i) {
      const auto object = [&](std::size_t j) {
        const std::string at = number(i * objects + j);
        return R"({"n":)" + at + R"(,"k":"k)" + at + R"(","v":[1,)" + at +
               R"(],"d":[{"n":1},{"n":2}]})";
      };
      operations.push_back({.id = number(i),
                            .source = R"({"k":"k)" + number(i) + R"(","c":[)" +
                                      Fixture::listed(objects, object) + "]}"});
    }
    const auto written = index->write(operations, forever);
    REQUIRE(written.ok());
    REQUIRE_FALSE(written->front().error.has_value());
    REQUIRE(index->refresh(forever).ok());
  }
  /// The same request of each of three sizes.
  void check(const std::string& indices_of, std::size_t n, const std::string& body) {
    INFO(body);
    check_growth(n, [&](std::size_t size) {
      const auto answer = service.search(
          *indices->resolve_names(indices_of + number(size / n)), body, {}, forever);
      INFO((answer.ok() ? std::string() : answer.error().message));
      REQUIRE(answer.ok());
    });
  }
};

}  // namespace

TEST_CASE("complexity: the clauses of a query") {
  Fixture fixture;
  const auto clause = [](std::size_t i) { return R"({"match":{"t":"w)" + number(i) + "\"}}"; };
  for (const char* kind : {"should", "filter", "must_not"})
    check_search_growth(fixture, 500, [&](std::size_t n) {
      return R"({"query":{"bool":{")" + std::string(kind) + "\":[" + fixture.listed(n, clause) +
             "]}}}";
    });
  check_search_growth(fixture, 500, [&](std::size_t n) {
    return R"({"query":{"dis_max":{"queries":[)" + fixture.listed(n, clause) + "]}}}";
  });
}

TEST_CASE("complexity: the values of terms and ids") {
  Fixture fixture;
  const auto text = [](std::size_t i) { return "\"k" + number(i) + "\""; };
  for (const char* field : {"k", "_id"})
    check_search_growth(fixture, 4'000, [&](std::size_t n) {
      return R"({"query":{"terms":{")" + std::string(field) + "\":[" + fixture.listed(n, text) +
             "]}}}";
    });
  check_search_growth(fixture, 4'000, [&](std::size_t n) {
    return R"({"query":{"terms":{"n":[)" + fixture.listed(n, number) + "]}}}";
  });
}

TEST_CASE("complexity: the words of a text that is sought") {
  Fixture fixture;
  const auto word = [](std::size_t i) { return "w" + number(i); };
  for (const std::string query : {"match", "match_phrase"})
    check_search_growth(fixture, 500, [&](std::size_t n) {
      std::string words;
      for (std::size_t i = 0; i < n; ++i) words += word(i) + " ";
      return "{\"query\":{\"" + query + "\":{\"t\":\"" + words + "\"}}}";
    });
  check_search_growth(fixture, 500, [&](std::size_t n) {
    return R"({"query":{"query_string":{"query":")" + fixture.repeated("w1 ", n) +
           R"(","fields":["t"]}}})";
  });
}

TEST_CASE("complexity: a phrase that repeats one word, in a text that does") {
  Fixture fixture;
  for (const char* slop : {"0", "2"})
    check_search_growth(fixture, 20, [&](std::size_t n) {
      return R"({"query":{"match_phrase":{"t":{"query":")" + fixture.repeated("same ", n) +
             R"(","slop":)" + slop + "}}}}";
    });
}

TEST_CASE("complexity: a pattern and a similar term, however long") {
  Fixture fixture;
  check_search_growth(fixture, 100, [&](std::size_t n) {
    return R"({"query":{"wildcard":{"k":")" + fixture.repeated("*k", n) + "\"}}}";
  });
  check_search_growth(fixture, 1'000, [&](std::size_t n) {
    return R"({"query":{"fuzzy":{"k":")" + fixture.repeated("k", n) + "\"}},\"size\":" + number(n) +
           "}";
  });
}

TEST_CASE("complexity: a text that is highlighted") {
  const std::set<std::string, std::less<>> terms = {"word"};
  const std::map<std::string, std::string> texts = {{"without sentences", "word other "},
                                                    {"sentences", "A word. Another one. "},
                                                    {"lines", "word\n"},
                                                    {"dots", "word... other"}};
  for (const auto& [name, piece] : texts)
    for (const std::size_t fragments : {0, 5, 1'000})
      for (const std::size_t size : {20, 100, 1'000'000}) {
        if (sanitized && size != (fragments == 0 ? 20u : 100u)) continue;
        INFO(name << ", " << fragments << " of " << size);
        check_growth(10'000, [&, piece = piece](std::size_t n) {
          os::Steps steps(forever);
          const auto shown = fragments_of(
              Fixture::repeated(piece, n), *text::named_analyzer("english"), terms,
              {.pattern = {}, .fragment_size = size, .number_of_fragments = fragments}, steps);
          REQUIRE(shown.ok());
          CHECK_FALSE(shown->empty());
        });
      }
}

TEST_CASE("complexity: a text that is analysed") {
  const auto check = [](const char* piece, const Json& custom) {
    INFO(std::string(piece));
    check_growth(10'000, [&](std::size_t n) {
      const AnalyzeRequest request{
          .texts = {Fixture::repeated(piece, n)}, .custom = custom, .max_token_count = SIZE_MAX};
      REQUIRE(analyze(request, nullptr, forever).ok());
    });
  };
  const auto custom = [](const char* text) { return parse_json(text).value(); };
  check("word ", {});
  check("w\xC3\xB6rd\xF0\x9F\x98\x80 ", {});
  check("words ", custom(R"({"tokenizer":"standard","filter":["lowercase","porter_stem"]})"));
  check("word ", custom(R"({"tokenizer":"whitespace",
      "filter":[{"type":"shingle","min_shingle_size":2,"max_shingle_size":3}]})"));
  const Json strip = custom(R"({"tokenizer":"standard","char_filter":["html_strip"]})");
  for (const char* piece : {"<b>word</b> ", "<", "&", "<!--", "<'", "<'<\"", "&amp"})
    check(piece, strip);
  check("aab", custom(R"({"tokenizer":"standard","char_filter":[{"type":"mapping",
      "mappings":["a => b","aaaa => c","aaaaaaaaaaaaaaaaaaaaaaaaa => d"]}]})"));
}

TEST_CASE("complexity: the buckets of an aggregation") {
  Fixture fixture;
  check_search_growth(fixture, 1'000, [&](std::size_t n) {
    return R"({"size":0,"aggs":{"a":{"histogram":{"field":"n","keyed":true,"interval":)" +
           std::to_string(4'000.0 / static_cast<double>(n)) + "}}}}";
  });
  check_search_growth(fixture, 4'000, [&](std::size_t n) {
    return R"({"size":0,"aggs":{"a":{"histogram":{"field":"n","interval":1,"extended_bounds":)"
           R"({"min":0,"max":)" +
           number(n) + "}}}}}";
  });
  check_search_growth(fixture, 1'000, [&](std::size_t n) {
    return R"({"query":{"range":{"n":{"lt":)" + number(n) +
           R"(}}},"size":0,"aggs":{"a":{"terms":{"field":"k","size":10000}}}})";
  });
  const auto range = [](std::size_t i) {
    return "{\"from\":" + number(i) + ",\"to\":" + number(i + 1) + "}";
  };
  check_search_growth(fixture, 100, [&](std::size_t n) {
    return R"({"size":0,"aggs":{"a":{"range":{"field":"n","keyed":true,"ranges":[)" +
           fixture.listed(n, range) + "]}}}}";
  });
  const auto filter = [](std::size_t i) {
    return "\"f" + number(i) + R"(":{"term":{"n":)" + number(i) + "}}";
  };
  check_search_growth(fixture, 100, [&](std::size_t n) {
    return R"({"size":0,"aggs":{"a":{"filters":{"filters":{)" + fixture.listed(n, filter) + "}}}}}";
  });
  const auto metric = [](std::size_t i) {
    return "\"m" + number(i) + R"(":{"max":{"field":"n"}})";
  };
  check_search_growth(fixture, 100, [&](std::size_t n) {
    return R"({"size":0,"aggs":{)" + fixture.listed(n, metric) + "}}";
  });
}

TEST_CASE("complexity: aggregations below one another") {
  Fixture fixture;
  // n documents, each a value of its own with what is counted below it.
  check_search_growth(fixture, 1'000, [&](std::size_t n) {
    return R"({"query":{"range":{"n":{"lt":)" + number(n) +
           R"(}}},"size":0,"aggs":{"a":{"terms":{"field":"k","size":10},"aggs":{)"
           R"("b":{"terms":{"field":"n"},"aggs":{"c":{"max":{"field":"n"}}}}}}}})";
  });
  // All of them answered with, by an order that has to look below each.
  check_search_growth(fixture, 1'000, [&](std::size_t n) {
    return R"({"query":{"range":{"n":{"lt":)" + number(n) +
           R"(}}},"size":0,"aggs":{"a":{"terms":{"field":"k","size":9000,"order":{"c":"asc"}},)"
           R"("aggs":{"c":{"max":{"field":"n"}}}}}})";
  });
  // One below another.
  check_search_growth(fixture, 5, [&](std::size_t n) {
    std::string inner = R"({"max":{"field":"n"}})";
    for (std::size_t i = 0; i < n; ++i)
      inner = R"({"filter":{"match_all":{}},"aggs":{"a":)" + inner + "}}";
    return R"({"size":0,"aggs":{"a":)" + inner + "}}";
  });
  // Ranges within ranges, as many as the answer may have.
  check_search_growth(fixture, 50, [&](std::size_t n) {
    const auto range = [](std::size_t i) { return "{\"from\":" + number(i) + "}"; };
    return R"({"query":{"range":{"n":{"lt":100}}},"size":0,"aggs":{"a":{"range":{"field":"n",)"
           R"("ranges":[)" +
           fixture.listed(n, range) +
           R"(]},"aggs":{"b":{"range":{"field":"n","ranges":[{"to":9},{"from":9}]}}}}}})";
  });
}

TEST_CASE("complexity: objects that are joined, sorted by, counted and shown") {
  constexpr std::size_t n = 500;
  Objects fixture(n);
  const std::string all = R"({"range":{"c.n":{"gte":0}}})";
  const std::string deep = R"({"nested":{"path":"c.d","query":{"term":{"c.d.n":1}}}})";
  const auto nested = [](const std::string& query, const std::string& more = "") {
    return R"("query":{"nested":{"path":"c","score_mode":"sum","query":)" + query + more + "}}";
  };
  for (const char* of : {"o", "w"}) {
    fixture.check(of, n, "{" + nested(all) + "}");
    fixture.check(of, n, "{" + nested(deep) + "}");
    fixture.check(of, n, R"({"query":{"nested":{"path":"c.d","query":{"match_all":{}}}}})");
    fixture.check(of, n, R"({"sort":[{"c.n":{"mode":"sum","nested":{"path":"c","filter":)" + deep +
                             "}}}]}");
    fixture.check(of, n, R"({"sort":[{"c.d.n":{"nested":{"path":"c","filter":)" + all +
                             R"(,"nested":{"path":"c.d"}}}}]})");
    fixture.check(of, n, R"({"size":0,"aggs":{"c":{"nested":{"path":"c"},"aggs":{"k":{"terms":)"
                         R"({"field":"c.k"},"aggs":{"r":{"reverse_nested":{},"aggs":{"k":)"
                         R"({"terms":{"field":"k"}}}}}},"d":{"nested":{"path":"c.d"},"aggs":)"
                         R"({"n":{"terms":{"field":"c.d.n"},"aggs":{"r":{"reverse_nested":)"
                         R"({"path":"c"},"aggs":{"n":{"sum":{"field":"c.n"}}}}}}}}}}}})");
    const std::string shown = R"(,"inner_hits":{"size":100,"sort":[{"c.n":"desc"}]})";
    fixture.check(of, n, "{" + nested(all, shown) + "}");
  }
}

TEST_CASE("complexity: objects of more and more hits, of an index that grows with them") {
  constexpr std::size_t n = 100;
  Objects fixture(n);
  const auto shown = [](const std::string& query) {
    return R"({"size":4000,"query":{"nested":{"path":"c","inner_hits":{"size":1},"query":)" +
           query + "}}}";
  };
  fixture.check("o", n, shown(R"({"range":{"c.n":{"gte":0}}})"));
  fixture.check("o", n, shown(R"({"prefix":{"c.k":"k"}})"));
  fixture.check("o", n, shown(R"({"wildcard":{"c.k":"*k*"}})"));
  fixture.check("o", n, shown(R"({"nested":{"path":"c.d","query":{"range":{"c.d.n":{"lt":2}}}}})"));
  fixture.check("o", n, shown(R"({"bool":{"must_not":[{"regexp":{"c.k":"x.*"}}]}})"));
}

TEST_CASE("complexity: the nearest of a document's objects") {
  constexpr std::size_t n = 200;  // fewer vectors than are worth an index
  Objects fixture(n);
  const std::string near = R"({"knn":{"field":"c.v","query_vector":[1,1],"k":1}})";
  fixture.check("w", n, near);
  fixture.check("w", n,
                R"({"query":{"nested":{"path":"c","inner_hits":{},"query":)" + near + "}}}");
}

TEST_CASE("complexity: ranked lists that are fused") {
  const auto list = [](std::size_t n, std::uint32_t first) {
    std::vector<Candidate> out;
    for (std::uint32_t i = 0; i < n; ++i)
      out.push_back({.place = {0, {.segment = 0, .doc = first + i}}, .score = 1});
    return out;
  };
  check_growth(1'000, [&](std::size_t n) {
    const std::vector<std::vector<Candidate>> lists = {list(n, 0), list(n, 500)};
    const std::vector<float> weights = {1, 1};
    os::Steps steps(forever);
    CHECK(fuse_ranks(lists, weights, 60, n, &steps).size() == n);
    CHECK(fuse_scores(lists, weights, n, &steps).size() == n);
  });
}

TEST_CASE("complexity: hits with names, highlights and a filter behind the ranking") {
  Fixture fixture;
  const std::string knn = R"({"knn":{"field":"v","query_vector":[1,1],"k":4000,)"
                          R"("num_candidates":4000}})";
  check_search_growth(fixture, 500, [&](std::size_t n) {
    return R"({"retriever":{"rrf":{"rank_window_size":)" + number(n) +
           R"(,"retrievers":[{"standard":{"query":{"match":{"t":{"query":"all","_name":"w"}}}}},)" +
           knn + R"(]}},"size":)" + number(n) +
           R"(,"post_filter":{"range":{"n":{"gte":5,"_name":"r"}}},)"
           R"("highlight":{"fields":{"t":{"number_of_fragments":1}}}})";
  });
}

TEST_CASE("complexity: a named kNN, its filter and its highlight scan the vectors once") {
  Fixture fixture;
  const std::string knn = R"("field":"v","query_vector":[1,1],"k":100,"num_candidates":100)";
  const std::uint64_t plain =
      steps_of([&] { REQUIRE(fixture.ask("{\"knn\":{" + knn + "},\"size\":100}").ok()); });
  const std::uint64_t more = steps_of([&] {
    REQUIRE(fixture
                .ask("{\"knn\":{" + knn +
                     R"(,"_name":"near"},"size":100,"highlight":{"fields":{"t":{}}}})")
                .ok());
  });
  INFO(plain << " " << more);
  CHECK(more < 2 * plain);
}

TEST_CASE("P05: what is beyond the limits is refused before the work") {
  Fixture fixture;
  const auto refused = [&](const char* what, const std::string& body, const char* message) {
    INFO(std::string(what));
    std::string found = "no error";
    const std::uint64_t steps = steps_of([&] {
      const auto answer = fixture.ask(body);
      if (answer.ok()) return;
      const Error* error = &answer.error();
      while (error->cause != nullptr) error = error->cause.get();
      CHECK(error->kind == ErrorKind::invalid_argument);
      found = error->message;
    });
    CHECK_MESSAGE(found.find(message) != std::string::npos, found);
    CHECK(steps < 2'000'000);  // about 20 ms
  };
  const auto clause = [](std::size_t) { return std::string(R"({"term":{"k":"a"}})"); };
  refused("100,000 clauses",
          R"({"query":{"bool":{"should":[)" + fixture.listed(100'000, clause) + "]}}}",
          "too many nested clauses; maxClauseCount is set to 4096");
  const auto ten = [&](std::size_t) {
    return R"({"bool":{"should":[)" + fixture.listed(100, clause) + "]}}";
  };
  refused("clauses of clauses",
          R"({"query":{"bool":{"should":[)" + fixture.listed(100, ten) + "]}}}",
          "too many nested clauses");
  refused("depth 10,000",
          "{\"query\":" + fixture.repeated(R"({"bool":{"must":)", 10'000) + R"({"match_all":{}})" +
              fixture.repeated("}}", 10'000) + "}",
          "deep");
  refused("depth 40",
          "{\"query\":" + fixture.repeated(R"({"bool":{"must":)", 40) + R"({"match_all":{}})" +
              fixture.repeated("}}", 40) + "}",
          "nested depth");
  refused("1,000,000 terms",
          R"({"query":{"terms":{"n":[)" + fixture.listed(1'000'000, number) + "]}}}",
          "The number of terms [1000000]");
  refused("a phrase of 500,000 words",
          R"({"query":{"match_phrase":{"t":")" + fixture.repeated("word ", 500'000) + "\"}}}",
          "too many nested clauses");
  refused("a match of 500,000 words, leniently",
          R"({"query":{"multi_match":{"lenient":true,"query":")" +
              fixture.repeated("word ", 500'000) + "\"}}}",
          "too many nested clauses");
  refused("cross fields of 500,000 words",
          R"({"query":{"multi_match":{"type":"cross_fields","fields":["t"],"query":")" +
              fixture.repeated("word ", 500'000) + "\"}}}",
          "too many nested clauses");
  refused("a query_string of 500,000 words",
          R"({"query":{"query_string":{"query":")" + fixture.repeated("word ", 500'000) + "\"}}}",
          "too many nested clauses");
  const auto name = [](std::size_t i) { return "\"f" + number(i) + "\""; };
  refused(
      "100,000 fields",
      R"({"query":{"multi_match":{"query":"a","fields":[)" + fixture.listed(100'000, name) + "]}}}",
      "too many fields, limit: 4096");
  refused("1 MiB for 100 fields",
          R"({"query":{"multi_match":{"query":")" + fixture.repeated("a", 1 << 20) +
              R"(","fields":[)" + fixture.listed(100, name) + "]}}}",
          "shorten it");
  refused("size 2^31 - 1", R"({"size":2147483647})", "search_after");
  refused("size 2^63 - 1", R"({"from":9223372036854775807,"size":9223372036854775807})",
          "Result window is too large");
  refused("a page beyond the window", R"({"from":9990,"size":11})",
          "less than or equal to: [10000]");
  refused("10,000,000 buckets",
          R"({"size":0,"aggs":{"a":{"histogram":{"field":"n","interval":0.0004}}}})",
          "too many buckets");
  refused("buckets of buckets",
          R"({"size":0,"aggs":{"a":{"histogram":{"field":"n","interval":1},"aggs":{"b":{"range":)"
          R"({"field":"n","ranges":[)" +
              fixture.listed(1'000, [](std::size_t) { return std::string(R"({"to":1})"); }) +
              "]}}}}}}",
          "too many buckets");
  refused("a regular expression of 1 MiB",
          R"({"query":{"regexp":{"k":")" + fixture.repeated("(a+)+", 1 << 17) + "\"}}}",
          "has exceeded the allowed maximum of [1000]");
  refused("a regular expression of very many states",
          R"({"query":{"regexp":{"k":"((a{100}){100}){100}"}}})", "more than [10000] states");
  refused("one of very many sets of states",
          R"json({"query":{"regexp":{"k":"~((a|b)*a(a|b){20})"}}})json",
          "more than [10000] states");
  refused("terms that are chosen by a pattern of very many states",
          R"({"size":0,"aggs":{"a":{"terms":{"field":"k","include":"((a{100}){100}){100}"}}}})",
          "more than [10000] states");
  refused("a script that is none", R"({"script_fields":{"a":{"script":"1 +"}}})",
          "unexpected end of script");
  refused("runtime fields of which each reads the next",
          R"json({"runtime_mappings":{"a":{"type":"long","script":"emit(doc['b'].value)"},
              "b":{"type":"long","script":"emit(doc['a'].value)"}},"sort":"a"})json",
          "Cyclic dependency");
  refused("a script as a query", R"({"query":{"script":{"script":{"source":"1","lang":"expression"}}}})",
          "[expression]");
  refused("a pattern of 1 MiB",
          R"({"query":{"wildcard":{"k":")" + fixture.repeated("*a", 1 << 19) + "\"}}}",
          "shorten it");
  refused("1,000 retrievers",
          R"({"retriever":{"rrf":{"retrievers":[)" +
              fixture.listed(1'000, [](std::size_t) { return std::string(R"({"standard":{}})"); }) +
              "]}}}",
          "128 retrievers");
  refused("101 columns", R"({"docvalue_fields":[)" + fixture.listed(101, name) + "]}",
          "Must be less than or equal to: [100] but was [101]");
}

TEST_CASE("P05: as many clauses as are allowed are allowed, and no more") {
  Fixture fixture;
  const auto with = [&](std::size_t clauses) {
    const auto clause = [](std::size_t) { return std::string(R"({"term":{"k":"a"}})"); };
    return fixture.ask(R"({"query":{"bool":{"should":[{"bool":{"should":[)" +
                       fixture.listed(clauses, clause) + "]}}]}}}");
  };
  CHECK(with(4'096).ok());
  CHECK_FALSE(with(4'097).ok());
}

TEST_CASE("P05: a term of 1 MiB is compared in steps of what stands in the index") {
  Fixture fixture;
  const std::uint64_t steps = steps_of([&] {
    const std::string word = fixture.repeated("a", 1 << 20);
    REQUIRE(fixture.ask(R"({"query":{"fuzzy":{"k":")" + word + "\"}}}").ok());
    REQUIRE(fixture.ask(R"({"query":{"wildcard":{"k":"*a*a*a*"}}})").ok());
  });
  CHECK(steps < 1'000'000);
}

TEST_CASE("deadline: every long loop of a search ends soon after its time") {
  Fixture fixture;
  const std::string all = R"("query":{"match":{"t":"all"}})";
  const std::map<std::string, std::string> bodies = {
      {"scores", "{" + all + R"(,"min_score":0,"size":10})"},
      {"sort", "{" + all + R"(,"sort":["n"]})"},
      {"range", R"({"query":{"range":{"n":{"gte":1}}},"sort":["_doc"]})"},
      {"terms", R"({"query":{"terms":{"n":[)" + fixture.listed(4'000, number) + "]}}}"},
      {"wildcard", R"({"query":{"wildcard":{"k":"*1*2*"}}})"},
      {"fuzzy", R"({"query":{"fuzzy":{"k":"k12345"}}})"},
      {"phrase", R"({"query":{"match_phrase":{"t":{"query":"same same same","slop":1}}}})"},
      {"conjunction", R"({"query":{"bool":{"filter":[{"range":{"n":{"gte":1}}},{"match":{"t":)"
                      R"("all"}},{"prefix":{"k":"k"}}]}}})"},
      {"aggregation", R"({"size":0,"aggs":{"a":{"terms":{"field":"k","size":4000}}}})"},
      {"gaps", R"({"size":0,"aggs":{"a":{"histogram":{"field":"n","interval":0.1}}}})"}};
  for (const auto& [name, body] : bodies) {
    INFO(name);
    const std::uint64_t whole = steps_of([&] { REQUIRE(fixture.ask(body).ok()); });
    CHECK(whole > 3 * 4096);  // else the test shows nothing
    std::stop_source caller;
    caller.request_stop();
    const std::uint64_t ended = steps_of([&] {
      const auto answer = fixture.ask(body, os::Deadline::never(caller.get_token()));
      REQUIRE_FALSE(answer.ok());
      const Error* error = &answer.error();
      while (error->cause != nullptr) error = error->cause.get();
      CHECK(error->kind == ErrorKind::cancelled);
    });
    CHECK(ended <= 2 * 4096);
  }
}

TEST_CASE("deadline: searches, counts, highlights and analyses end where it passes half-way") {
  Fixture fixture;
  const std::string all = R"("query":{"match":{"t":"all"}})";
  const std::string long_text = Fixture::repeated("same word here. ", 20'000);
  const auto clause = [](std::size_t i) { return R"({"match":{"t":"w)" + number(i % 50) + "\"}}"; };
  const std::string many = R"("query":{"bool":{"should":[)" + Fixture::listed(300, clause) + "]}}";
  using Work = std::function<Status(const os::Deadline&)>;
  const auto search = [&](std::string body) -> Work {
    return [&fixture, body = std::move(body)](const os::Deadline& deadline) -> Status {
      CAIRN_CHECK(fixture.ask(body, deadline));
      return ok_status();
    };
  };
  const std::map<std::string, Work> works = {
      {"search", search("{" + many + R"(,"min_score":0})")},
      {"sort", search("{" + many + R"(,"sort":["n"]})")},
      {"aggregation", search("{" + many + R"(,"aggs":{"a":{"terms":{"field":"k","size":4000}}}})")},
      {"vectors",
       search(R"({"knn":{"field":"v","query_vector":[1,2],"k":10,"num_candidates":4000},)" + many +
              "}")},
      {"highlight",
       search(R"({"query":{"match":{"t":"same"}},"highlight":{"max_analyzed_offset":-1,)"
              R"("fields":{"t":{"number_of_fragments":0}}}})")},
      {"count",
       [&](const os::Deadline& deadline) -> Status {
         CAIRN_CHECK(fixture.service.count(*fixture.indices->resolve_names("words"),
                                           "{" + many + "}", {}, deadline));
         return ok_status();
       }},
      {"analysis", [&](const os::Deadline& deadline) -> Status {
         CAIRN_CHECK(
             analyze({.texts = {long_text}, .max_token_count = SIZE_MAX}, nullptr, deadline));
         return ok_status();
       }}};
  for (const auto& [name, work] : works) {
    const os::HalfWay half = os::cut_half_way(work);
    INFO(name << ": " << half.whole_us << " steps in all, " << half.late_us << " too late "
              << (half.whole.ok() ? std::string() : half.whole.error().message));
    CHECK(half.ends_soon());
  }
}

TEST_CASE("deadline: analysis and highlights end soon after their time") {
  const std::string text = Fixture::repeated("Some word here. ", 100'000);
  const os::Deadline passed = os::Deadline::in_ms(0);
  const std::uint64_t steps = steps_of([&] {
    const auto tokens = analyze({.texts = {text}, .max_token_count = SIZE_MAX}, nullptr, passed);
    REQUIRE_FALSE(tokens.ok());
    CHECK(tokens.error().kind == ErrorKind::timeout);
    os::Steps own(passed);
    (void)fragments_of(text, *text::named_analyzer("english"), {"word"}, {.pattern = {}}, own);
    CHECK(own.status().error().kind == ErrorKind::timeout);
  });
  CHECK(steps < 300'000);
}

}  // namespace cairn::search::complexity_test
