// SPDX-License-Identifier: Apache-2.0
// Whole searches over real indices with a model that knows a few words.
#include "search/service.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "search/service_test_rig.h"

namespace cairn::search::service_test {
namespace {

const os::Deadline forever = os::Deadline::never();

struct Fixture : ServiceFixture {
  Fixture() {
    create("docs");
    add("docs", "1", "The automobile stands at the road", "car", 10, "red");
    add("docs", "2", "A kitten sleeps, a kitten dreams", "cat", 20, "grey");
    add("docs", "3", "The ocean is deep. The road ends at the ocean.", "sea", 30, "blue");
    add("docs", "4", "A novel about the road", "book", 40, "red");
    refresh("docs");
  }
  void create(const char* name) {
    const auto mapping = parse_json(R"({"properties":{
        "title":{"type":"text","fields":{"raw":{"type":"keyword"}}},
        "v":{"type":"dense_vector","dims":5,"similarity":"cosine"},
        "s":{"type":"sparse_vector"},
        "m":{"type":"semantic_text","inference_id":".cairn-dense"},
        "n":{"type":"long"},"d":{"type":"date"},
        "colour":{"type":"keyword"}}})");
    REQUIRE(indices->create(name, *mapping, {}, forever).ok());
  }
  /// `word` is what the document is about: its vectors say so.
  void add(const char* index, const char* id, const char* title, const char* word, int n,
           const char* colour) {
    const auto vector = inference::ConceptModel::vector_of(word);
    const Json doc = Json::object({{"title", title},
                                   {"v", Json::array_of(vector)},
                                   {"s", Json::object({{word, 1.5}})},
                                   {"m", title},
                                   {"n", n},
                                   {"d", "2026-01-1" + std::to_string(n / 10)},
                                   {"colour", colour}});
    index::ModelSettings settings{.service = "cairn",
                                  .task_type = "text_embedding",
                                  .dimensions = 5,
                                  .similarity = "cosine",
                                  .element_type = "float"};
    const std::vector<index::WriteOperation> operations = {
        {.id = id,
         .source = doc.dump(),
         .semantic = {{.field = "m",
                       .model_settings = settings,
                       .chunks = {{.start = 0,
                                   .end = static_cast<std::uint32_t>(std::string(title).size()),
                                   .dense = inference::ConceptModel::vector_of(title)}}}}}};
    const auto written = (*indices->find(index))->write(operations, forever);
    REQUIRE(written.ok());
    REQUIRE_FALSE((*written)[0].error.has_value());
  }
  void refresh(const char* index) { REQUIRE((*indices->find(index))->refresh(forever).ok()); }

  Result<std::string> ask(std::string_view body, const char* expression = "docs",
                          const SearchParameters& parameters = {}) {
    return service.search(*indices->resolve_names(expression), body, parameters, forever);
  }
  Json answer(std::string_view body, const char* expression = "docs",
              const SearchParameters& parameters = {}) {
    const auto text = ask(body, expression, parameters);
    if (!text.ok()) INFO(text.error().message);
    REQUIRE(text.ok());
    return parse_json(*text).value();
  }
  std::string ids(std::string_view body, const char* expression = "docs",
                  const SearchParameters& parameters = {}) {
    std::string out;
    const Json all = answer(body, expression, parameters);
    for (const Json& hit : all.find_path("hits.hits")->as_array()) out += hit.string_or("_id");
    return out;
  }
  std::string fault(std::string_view body) {
    const auto text = ask(body);
    return text.ok() ? "no error" : text.error().code + ": " + text.error().message;
  }
  Json first(std::string_view body) {
    const Json all = answer(body);
    return all.find_path("hits.hits")->as_array().front();
  }
};

TEST_CASE("search: a filter of an alias narrows every way of asking") {
  Fixture fixture;
  const auto red = parse_json(R"({"filter": {"term": {"colour": "red"}}})");
  const index::AliasChange change{.index = "docs",
                                  .alias = "red",
                                  .properties = index::read_alias_properties(*red).value()};
  REQUIRE(fixture.indices->change_aliases({&change, 1}, forever).ok());
  const std::string near = Json::array_of(inference::ConceptModel::vector_of("sea")).dump();
  const std::string knn = R"({"field":"v","k":2,"query_vector":)" + near + "}";
  const std::string bodies[] = {
      "",
      R"({"query":{"match":{"title":"road"}}})",
      R"({"query":{"match":{"title":"road"}},"post_filter":{"range":{"n":{"gte":0}}}})",
      R"({"knn":)" + knn + "}",
      R"({"query":{"bool":{"should":[{"knn":)" + knn + "}]}}}",
      R"({"query":{"constant_score":{"filter":{"knn":)" + knn + "}}}}",
      R"({"query":{"match":{"title":"road"}},"knn":)" + knn + "}",
      R"({"query":{"semantic":{"field":"m","query":"ocean"}}})",
      R"({"retriever":{"rrf":{"retrievers":[{"standard":{"query":{"match":{"title":"road"}}}},
          {"knn":)" + knn + "}]}}}",
  };
  for (const std::string& body : bodies) {
    CAPTURE(body);
    const Json all = fixture.answer(body, "red");
    std::set<std::string> ids;
    for (const Json& hit : all.find_path("hits.hits")->as_array()) ids.insert(hit.string_or("_id"));
    CHECK(ids == std::set<std::string>{"1", "4"});
  }
  // Words of the filter are not marked in what is shown.
  const Json marked = fixture.answer(
      R"({"query":{"match":{"title":"road"}},"highlight":{"require_field_match":false,
          "fields":{"colour":{}}}})",
      "red");
  for (const Json& hit : marked.find_path("hits.hits")->as_array())
    CHECK(hit.find("highlight") == nullptr);
}

}  // namespace

TEST_CASE("search: the shape of an answer") {
  Fixture fixture;
  const auto text = fixture.ask(R"({"query":{"ids":{"values":["2"]}},"_source":["colour"]})");
  REQUIRE(text.ok());
  CHECK(
      *text ==
      R"({"took":0,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},)"
      R"("hits":{"total":{"value":1,"relation":"eq"},"max_score":1.0,"hits":[)"
      R"({"_index":"docs","_id":"2","_score":1.0,"_source":{"colour":"grey"}}]}})");
  CHECK(fixture.ids("") == "1234");
  CHECK(fixture.ids("{}") == "1234");
}

TEST_CASE("search: hits are explained, and documents by themselves") {
  Fixture fixture;
  const Json hit = fixture.first(R"({"explain":true,"query":{"match":{"title":"kitten"}}})");
  const Json* explained = hit.find("_explanation");
  REQUIRE(explained != nullptr);
  CHECK(explained->find("value")->as_double() == hit.find("_score")->as_double());
  CHECK(hit.string_or("_shard") == "[docs][0]");
  const auto index = fixture.indices->find("docs");
  const auto explain = [&](const char* id, const char* body) {
    auto found = fixture.service.explain(*index, id, body, {}, forever);
    REQUIRE(found.ok());
    return *found;
  };
  const auto one = explain("2", R"({"query":{"match":{"title":"kitten"}}})");
  CHECK(one.found);
  CHECK(parse_json(one.text)->find_path("explanation.value")->as_double() ==
        hit.find("_score")->as_double());
  CHECK(explain("3", R"({"query":{"match":{"title":"kitten"}}})")
            .text.find(R"("matched":false,"explanation":{"value":0)") != std::string::npos);
  const auto none = explain("nosuch", R"({"query":{"match_all":{}}})");
  CHECK(!none.found);
  CHECK(none.text == R"({"_index":"docs","_id":"nosuch","matched":false})");
  CHECK(!fixture.service.explain(*index, "2", "", {}, forever).ok());
  CHECK(!fixture.service.explain(*index, "2", R"({"size":1})", {}, forever).ok());
}

TEST_CASE("search: words, exact values, ranges and how they combine") {
  Fixture fixture;
  CHECK(fixture.ids(R"({"query":{"match":{"title":"kitten"}}})") == "2");
  CHECK(fixture.ids(R"({"query":{"match":{"title":{"query":"road ocean","operator":"and"}}}})") ==
        "3");
  CHECK(fixture.ids(R"({"query":{"match_phrase":{"title":"about the road"}}})") == "4");
  CHECK(fixture.ids(R"({"query":{"term":{"colour":"red"}},"sort":"n"})") == "14");
  CHECK(fixture.ids(R"({"query":{"terms":{"colour":["blue","grey"]}},"sort":"n"})") == "23");
  CHECK(fixture.ids(R"({"query":{"range":{"n":{"gt":10,"lte":30}}},"sort":["n"]})") == "23");
  CHECK(fixture.ids(R"({"query":{"exists":{"field":"colour"}},"sort":[{"n":"desc"}]})") == "4321");
  CHECK(fixture.ids(R"({"query":{"prefix":{"colour":"gr"}}})") == "2");
  CHECK(fixture.ids(R"({"query":{"wildcard":{"colour":{"value":"b?u*"}}}})") == "3");
  CHECK(fixture.ids(R"({"query":{"bool":{"must":[{"match":{"title":"road"}}],
      "must_not":{"term":{"colour":"blue"}},"filter":[{"range":{"n":{"gte":20}}}]}}})") == "4");
  CHECK(fixture.ids(R"({"query":{"multi_match":{"query":"red",
      "fields":["title","colour^3"]}},"sort":"n"})") == "14");
  CHECK(fixture.ids(R"({"query":{"multi_match":{"query":"road red","type":"cross_fields",
      "operator":"and","fields":["title","colour"],"analyzer":"standard"}},"sort":"n"})") == "14");
  // Fields of other analyzers are asked for themselves.
  CHECK(fixture.ids(R"({"query":{"multi_match":{"query":"road red","type":"cross_fields",
      "operator":"and","fields":["title","colour"]}}})").empty());
  CHECK(fixture.ids("", "docs", {.q = "title:road AND NOT colour:blue", .sort = {"n"}}) == "14");
  CHECK(fixture
            .ids(R"({"query":{"constant_score":{"filter":{"match_all":{}},"boost":2}},
      "min_score":2.5})")
            .empty());
}

TEST_CASE("search: by meaning, through every form of asking") {
  Fixture fixture;
  CHECK(fixture.ids(R"({"query":{"semantic":{"field":"m","query":"a vehicle"}},"size":1})") == "1");
  CHECK(fixture.ids(R"({"query":{"match":{"m":"feline"}},"size":1})") == "2");
  CHECK(fixture.ids(R"({"knn":{"field":"v","query_vector":[0,0,1,0,0],"k":1,
      "num_candidates":10}})") == "3");
  CHECK(fixture.ids(R"({"knn":{"field":"v","k":1,"query_vector_builder":{"text_embedding":{
      "model_id":".cairn-dense","model_text":"volume"}}}})") == "4");
  CHECK(fixture.ids(R"({"query":{"knn":{"field":"v","k":2,"query_vector":[1,0,0,0,0],
      "filter":{"term":{"colour":"blue"}}}}})") == "3");
  CHECK(fixture.ids(R"({"query":{"sparse_vector":{"field":"s","query_vector":{"cat":2}}}})") ==
        "2");
  CHECK(fixture.ids(R"({"query":{"sparse_vector":{"field":"s","inference_id":".cairn-sparse",
      "query":"the kitten"}}})") == "2");
  const int before = fixture.models.model->calls;
  fixture.answer(R"({"query":{"bool":{"should":[{"semantic":{"field":"m","query":"ocean"}},
      {"match":{"m":"ocean"}}]}},"highlight":{"fields":{"m":{}}}})");
  CHECK(fixture.models.model->calls - before == 1);  // one text, one call
}

TEST_CASE("search: tokens of a sparse query are pruned as its configuration says") {
  Fixture fixture;
  const auto asked = [](const std::string& rest) {
    return R"({"query":{"sparse_vector":{"field":"s","query_vector":{"cat":2})" + rest + "}}}";
  };
  CHECK(fixture.ids(asked(R"(,"prune":true)")) == "2");
  CHECK(fixture.ids(asked(R"(,"pruning_config":{"tokens_freq_ratio_threshold":1,
      "tokens_weight_threshold":0.9})")) == "2");
  // The heaviest token is never pruned, so that nothing is left where only pruned ones count.
  CHECK(fixture.ids(asked(R"(,"prune":true,"pruning_config":{"only_score_pruned_tokens":true})"))
            .empty());
  CHECK(fixture.ids(
            asked(R"(,"prune":false,"pruning_config":{"only_score_pruned_tokens":true})")) == "2");
  CHECK(fixture.fault(asked(R"(,"pruning_config":{"tokens_freq_ratio_threshold":0.5})"))
            .find("[tokens_freq_ratio_threshold] must be between [1] and [100]") !=
        std::string::npos);
  CHECK(fixture.fault(asked(R"(,"pruning_config":{"tokens_weight_threshold":2})"))
            .find("[tokens_weight_threshold] must be between 0 and 1") != std::string::npos);
  CHECK(fixture.fault(asked(R"(,"pruning_config":{"threshold":2})")).find("threshold") !=
        std::string::npos);
}

TEST_CASE("search: knn beside a query adds its hits and scores") {
  Fixture fixture;
  const Json answer = fixture.answer(R"({"query":{"match":{"title":"kitten"}},
      "knn":{"field":"v","query_vector":[1,0,0,0,0],"k":1},"_source":false})");
  CHECK(answer.find_path("hits.total.value")->as_int() == 2);
}

TEST_CASE("search: fusion of words and meaning, by ranks and by scores") {
  Fixture fixture;
  const std::string both = R"("retrievers":[
      {"standard":{"query":{"match":{"title":"road"}}}},
      {"retriever":{"standard":{"query":{"semantic":{"field":"m","query":"automobile"}}}},
       "weight":2}])";
  const Json answer =
      fixture.answer(R"({"retriever":{"rrf":{)" + both + R"(,"rank_constant":1}}})");
  const auto& hits = answer.find_path("hits.hits")->as_array();
  CHECK(hits[0].string_or("_id") == "1");
  CHECK(answer.find_path("hits.max_score")->as_double() ==
        doctest::Approx(hits[0].double_or("_score")));
  CHECK(answer.find_path("hits.total.value")->as_int() == 4);
  CHECK(fixture.ids(R"({"retriever":{"rrf":{)" + both +
                    R"(,"filter":{"term":{"colour":"blue"}}}}})") == "3");
  CHECK(fixture.ids(R"({"size":1,"retriever":{"linear":{"retrievers":[
      {"retriever":{"standard":{"query":{"match":{"title":"kitten"}}}},"weight":1,
       "normalizer":"minmax"},
      {"retriever":{"knn":{"field":"v","query_vector":[0,0,0,1,0],"k":4}},"weight":5,
       "normalizer":"minmax"}]}}})") == "4");
  CHECK(fixture.ids(
            R"({"size":1,"retriever":{"rrf":{"query":"vehicle","fields":["title","m"]}}})") == "1");
  CHECK(fixture
            .ids(R"({"size":2,"retriever":{"text_similarity_reranker":{"retriever":{"standard":{
      "query":{"match":{"title":"road"}}}},"field":"title","inference_text":"water"}}})")
            .starts_with("3"));
  CHECK(fixture.ids(R"({"retriever":{"standard":{"query":{"match_all":{}},
      "filter":{"term":{"colour":"red"}},"sort":[{"n":"desc"}]}}})") == "41");
}

TEST_CASE("search: linear brings the lists of one query to one scale, unless told otherwise") {
  Fixture fixture;
  const auto asked = [&](const char* more) {
    return fixture
        .answer(R"({"retriever":{"linear":{"query":"road","fields":["title","m"])" +
                std::string(more) + "}}}")
        .find("hits")
        ->dump();
  };
  CHECK(asked("") == asked(R"(,"normalizer":"minmax")"));
  CHECK(asked("") != asked(R"(,"normalizer":"none")"));
  // Lists that were given have the scores that they have.
  const auto given = [&](const char* more) {
    return fixture
        .answer(R"({"retriever":{"linear":{"retrievers":[{"retriever":{"standard":{
        "query":{"match":{"title":"road"}}}}}])" +
                std::string(more) + "}}}")
        .find("hits")
        ->dump();
  };
  CHECK(given("") == given(R"(,"normalizer":"none")"));
}

TEST_CASE("search: pages, sorts, and what hits show") {
  Fixture fixture;
  CHECK(fixture.ids(R"({"sort":["n"],"from":1,"size":2})") == "23");
  CHECK(fixture.ids(R"({"sort":[{"n":"desc"}],"search_after":[30]})") == "21");
  CHECK(fixture.ids(R"({"sort":["d"],"search_after":["2026-01-12"]})") == "34");
  const Json dated = fixture.first(R"({"fields":["d"],"sort":["d"]})");
  CHECK(dated.find_path("fields.d")->dump() == R"(["2026-01-11T00:00:00.000Z"])");
  const Json hit = fixture.first(R"({"query":{"term":{"colour":"grey"}},"sort":["colour","_score"],
      "fields":["n","title.raw"],"docvalue_fields":["colour"],"_source":false,"version":true,
      "seq_no_primary_term":true})");
  CHECK(hit.find("_source") == nullptr);
  CHECK(hit.find_path("fields.n")->dump() == "[20]");
  CHECK(hit.find("fields")->find("title.raw")->dump() == R"(["A kitten sleeps, a kitten dreams"])");
  CHECK(hit.find("sort")->as_array()[0].as_string() == "grey");
  CHECK(hit.int_or("_version") == 1);
  CHECK(hit.int_or("_seq_no") == 1);
  const Json named = fixture.first(R"({"query":{"bool":{"should":[
      {"term":{"colour":{"value":"grey","_name":"a"}}},
      {"match":{"title":{"query":"kitten","_name":"b"}}},
      {"match":{"title":{"query":"ocean","_name":"c"}}}],
      "filter":{"term":{"colour":"grey"}}}}})");
  CHECK(named.find("matched_queries")->dump() == R"(["a","b"])");
}

TEST_CASE("search: highlights of words and of meaning") {
  Fixture fixture;
  const Json hit = fixture.first(R"({"query":{"match":{"title":"ocean"}},
      "highlight":{"fields":{"title":{"fragment_size":30}}}})");
  CHECK(hit.find_path("highlight.title")->dump() ==
        R"(["The <em>ocean</em> is deep.","The road ends at the <em>ocean</em>."])");
  const Json meaning = fixture.first(R"({"query":{"semantic":{"field":"m","query":"kitten"}},
      "highlight":{"fields":{"m":{}}}})");
  CHECK(meaning.find_path("highlight.m")->dump() == R"(["A kitten sleeps, a kitten dreams"])");
}

TEST_CASE("search: several indices are merged by score or by key") {
  Fixture fixture;
  fixture.create("more");
  fixture.add("more", "5", "A kitten and the ocean", "cat", 25, "red");
  fixture.refresh("more");
  CHECK(fixture.ids(R"({"sort":["n"]})", "docs,more") == "12534");
  const Json all = fixture.answer("{}", "*");
  CHECK(all.find_path("hits.total.value")->as_int() == 5);
  CHECK(all.find_path("_shards.total")->as_int() == 2);
  CHECK(fixture.ids(R"({"query":{"term":{"colour":"red"}},"sort":[{"n":"desc"}],"size":2})", "*") ==
        "45");
  CHECK(fixture.ids(R"({"knn":{"field":"v","query_vector":[0,1,0,0,0],"k":1}})", "*").size() == 1);
}

TEST_CASE("search: errors have the platform's types and texts") {
  Fixture fixture;
  CHECK(fixture.fault(R"({"query":{"mtach":{"a":1}}})") ==
        "parsing_exception: unknown query [mtach] did you mean [match]?");
  CHECK(fixture.fault(R"({"query":{"match":{"title":{"query":"a","foo":1}}}})") ==
        "parsing_exception: [match] query does not support [foo]");
  CHECK(fixture.fault("{\"query\":\n {\"bool\":{\"shuold\":[]}}}") ==
        "x_content_parse_exception: [2:20] [bool] unknown field [shuold] did you mean [should]?");
  CHECK(fixture.fault(R"({"query":{}})") ==
        "illegal_argument_exception: query malformed, empty clause found");
  CHECK(fixture.fault(R"({"query":{"term":{"a":1,"b":2}}})") ==
        "parsing_exception: [term] query doesn't support multiple fields, found [a] and [b]");
  CHECK(fixture.fault(R"({"query":{"match":5}})") ==
        "parsing_exception: [match] query malformed, no start_object after query name");
  CHECK(fixture.fault(R"({"knn":{"field":"v","query_vector":[1,0,0,0,0],"k":5,
      "num_candidates":4}})") ==
        "illegal_argument_exception: [num_candidates] cannot be less than [k]");
  CHECK(fixture.fault(R"({"knn":{"field":"v"}})") ==
        "illegal_argument_exception: either [query_vector_builder] or [query_vector] must be "
        "provided");
  CHECK(fixture.fault(R"({"query":{"semantic":{"field":"title","query":"x"}}})") ==
        "illegal_argument_exception: Field [title] of type [text] does not support semantic "
        "queries");
  CHECK(fixture.fault(R"({"aggs":{"x":{"nosuch":{}}}})") ==
        "parsing_exception: Unknown aggregation type [nosuch]");
  CHECK(fixture.fault(R"({"aggs":{"x":{"terms":{"field":"lang","foo":1}}}})") ==
        "x_content_parse_exception: [1:23] [terms] unknown field [foo]");
  CHECK(fixture.fault(R"({"aggs":{"x":{"terms":{"field":"lang","size":0}}}})") ==
        "x_content_parse_exception: [1:23] [terms] failed to parse field [size]: [size] must be "
        "greater than 0. Found [0] in [x]");
  CHECK(fixture.fault(R"({"aggs":{"x":{"avg":{}}}})")
            .starts_with("illegal_argument_exception: Required one of fields [field]"));
  CHECK(fixture.fault(R"({"aggs":{"x":{"filter":{"mtach":{}}}}})")
            .starts_with("parsing_exception: unknown query [mtach]"));
  const auto of_index = fixture.ask(R"({"aggs":{"x":{"terms":{"field":"title"}}}})");
  CHECK(of_index.error().code == "search_phase_execution_exception");
  CHECK(fixture.fault("{").starts_with("x_content_parse_exception: [1:"));
  const auto window = fixture.ask(R"({"from":9999,"size":2})");
  CHECK(window.error().code == "search_phase_execution_exception");
  REQUIRE(window.error().cause != nullptr);
  CHECK(window.error().cause->message.starts_with(
      "Result window is too large, from + size must be less than or equal to: [10000] but was "
      "[10001]."));
  const auto shard = fixture.ask(R"({"query":{"range":{"n":{"gte":"x"}}}})");
  CHECK(shard.error().code == "search_phase_execution_exception");
  CHECK(shard.error().message == "all shards failed");
  CHECK(fixture.fault(R"({"retriever":{"rrf":{"retrievers":[],"rank_window_size":5}},"size":6})")
            .find("be greater than or equal to [size: 6]") != std::string::npos);
  CHECK(fixture.fault(R"({"retriever":{"foo":{}}})").find("unknown retriever [foo]") !=
        std::string::npos);
}

TEST_CASE("count: what a query matches, and nothing else in the body") {
  Fixture fixture;
  const auto count = [&](std::string_view body) {
    return fixture.service.count(*fixture.indices->resolve_names("docs"), body, {}, forever);
  };
  CHECK(count("")->total == 4);
  CHECK(count(R"({"query":{"term":{"colour":"red"}}})")->total == 2);
  const auto early = count(R"({"query":{"match_all":{}},"terminate_after":3})");
  CHECK(early.error().message == "request does not support [terminate_after]");
  CHECK(count(R"({"size":1})").error().message == "request does not support [size]");
}

TEST_CASE("search: a request that searches nothing is still checked") {
  Fixture fixture;
  CHECK(fixture.service.search({}, R"({"query":{"match":{"a":"b"}}})", {}, forever).ok());
  CHECK_FALSE(fixture.service.search({}, R"({"query":{"foo":{}}})", {}, forever).ok());
}

}  // namespace cairn::search::service_test
