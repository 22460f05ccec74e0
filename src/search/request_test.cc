// SPDX-License-Identifier: Apache-2.0
#include "search/request.h"

#include <doctest/doctest.h>

namespace cairn::search::request_test {
namespace {

Result<SearchRequest> parsed(std::string_view body, const SearchParameters& parameters = {}) {
  const auto json = parse_json(body);
  REQUIRE(json.ok());
  return parse_request(body, *json, parameters, {});
}

std::string fault(std::string_view body) {
  const auto result = parsed(body);
  return result.ok() ? "no error" : result.error().code + ": " + result.error().message;
}

}  // namespace

TEST_CASE("request: the members, and what they become") {
  const auto request = parsed(R"({"query":{"match_all":{}},"from":5,"size":3,
      "sort":["title",{"date":{"order":"desc","missing":"_first"}},{"_score":"asc"}],
      "track_total_hits":false,"_source":["a*"],"fields":["x",{"field":"d","format":"yyyy"}],
      "min_score":0.5,"timeout":"2s","knn":{"field":"v"},"highlight":{"fields":{"body":{}}}})");
  REQUIRE(request.ok());
  CHECK(request->from == 5);
  CHECK(request->size == 3);
  REQUIRE(request->sort.size() == 3);
  CHECK_FALSE(request->sort[0].descending);
  CHECK(request->sort[1].missing_first);
  CHECK(request->sort[2].by == index::SortKey::By::score);
  CHECK_FALSE(request->sort[2].descending);
  CHECK_FALSE(request->show_total);
  CHECK(request->fields[1].format == "yyyy");
  CHECK(request->timeout_ms == 2000);
  CHECK(request->knn.size() == 1);
  CHECK(request->highlight->fields[0].pattern == "body");
}

TEST_CASE("request: what the URL says wins") {
  const auto request =
      parsed(R"({"size":3,"query":{"match_none":{}}})", {.q = "a b",
                                                         .default_operator = "AND",
                                                         .size = 7,
                                                         .sort = {"n:desc", "_score"},
                                                         .source = "a,b",
                                                         .track_total_hits = "true"});
  REQUIRE(request.ok());
  CHECK(request->size == 7);
  CHECK(request->query.find_path("query_string.query")->as_string() == "a b");
  CHECK(request->sort[0].descending);
  CHECK(request->sort[1].descending);
  CHECK(request->source.includes == std::vector<std::string>{"a", "b"});
  CHECK(request->track_total_hits == UINT64_MAX);
}

TEST_CASE("request: errors have the platform's texts") {
  CHECK(fault(R"({"foo":{}})") == "parsing_exception: Unknown key for a START_OBJECT in [foo].");
  CHECK(fault(R"({"query":5})") == "parsing_exception: Unknown key for a VALUE_NUMBER in [query].");
  CHECK(fault(R"({"from":-1})") ==
        "illegal_argument_exception: [from] parameter cannot be negative, found [-1]");
  CHECK(fault(R"({"sort":["a"],"search_after":[1,2]})") ==
        "illegal_argument_exception: search_after has 2 value(s) but sort has 1.");
  CHECK(fault(R"({"from":1,"sort":["a"],"search_after":[1]})") ==
        "action_request_validation_exception: Validation Failed: 1: `from` parameter must be set "
        "to 0 when `search_after` is used.;");
  CHECK(fault(R"({"query":{"match_all":{}},"retriever":{"standard":{}}})") ==
        "action_request_validation_exception: Validation Failed: 1: cannot specify [retriever] and "
        "[query];");
  CHECK(fault(R"({"suggest":{"a":{"text":"b","phrase":{"field":"c"}}}})") == "no error");
  CHECK(fault(R"({"suggest":{"a":{"prefix":"b","completion":{"field":"c"}}}})") == "no error");
  CHECK(fault(R"({"suggest":{"a":{"text":"b","term":{}}}})") ==
        "illegal_argument_exception: the required field option is missing");
  CHECK(fault(R"({"suggest":{"a":{"text":"b","term":{"field":"c","max_edits":3}}}})") ==
        "illegal_argument_exception: maxEdits must be between 1 and 2");
  CHECK(fault(R"({"explain":false,"profile":false})") == "no error");
  CHECK(fault(R"({"collapse":{}})").find("Required [field]") != std::string::npos);
  CHECK(fault(R"({"collapse":{"field":"a","max_concurrent_group_searches":4}})")
            .find("[max_concurrent_group_searches] is not offered") != std::string::npos);
  CHECK(fault(R"({"collapse":{"field":"a"},"sort":["b"],"search_after":[1]})")
            .find("unless the search is sorted on the same field") != std::string::npos);
  CHECK(fault(R"({"collapse":{"field":"a"},"rescore":{"query":{"rescore_query":{}}}})") ==
        "illegal_argument_exception: cannot use `collapse` in conjunction with `rescore`");
  CHECK(fault(R"({"terminate_after":-5})") ==
        "illegal_argument_exception: terminateAfter must be > 0");
  CHECK(fault(R"({"indices_boost":[{"a":1,"b":2}]})").find("one index and its boost each") !=
        std::string::npos);
  CHECK(fault(R"({"script_fields":{"a":{}}})").find("Required [script]") != std::string::npos);
  CHECK(fault(R"({"script_fields":{"a":{"script":{"source":"1","id":"b"}}}})")
            .find("either [source] for an inline script or [id]") != std::string::npos);
  CHECK(fault(R"({"runtime_mappings":[]})").find("Unknown key for a START_ARRAY") !=
        std::string::npos);
  CHECK(fault(R"({"sort":{"_script":{"type":"version","script":"1"}}})").find("is not offered") !=
        std::string::npos);
  CHECK(fault(R"({"sort":[{"a":"up"}]})") ==
        "illegal_argument_exception: Unknown SortOrder [up]; use asc or desc");
  CHECK(fault(R"({"highlight":{"fields":{"a":{"foo":1}}}})").find("unknown field [foo]") !=
        std::string::npos);
}

}  // namespace cairn::search::request_test
