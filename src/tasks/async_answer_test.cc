// SPDX-License-Identifier: Apache-2.0
// Answers of async searches in the forms that are asked for.
#include "tasks/async_answer.h"

#include <doctest/doctest.h>

namespace cairn::tasks::async_answer_test {

std::string made_of(const std::string& text) { return parse_json(text).value().dump(); }

TEST_CASE("async answers: names lose their types, keys and metadata that look like them do not") {
  const std::string typed = made_of(R"({"hits": {"hits": [{"_source": {"a#b": 1}}]},
      "aggregations": {
        "sterms#x#y": {"buckets": [{"key": "k#1", "doc_count": 1, "avg#p": {"value": 1.5},
                                    "filter#f": {"doc_count": 2, "max#m": {"value": null}}}],
                       "meta": {"own#name": 1}},
        "filters#z": {"buckets": {"one#two": {"doc_count": 3, "sum#s": {"value": 4}}}}},
      "suggest": {"term#w": [{"text": "a#b", "options": []}]}})");
  const std::string plain = made_of(R"({"hits": {"hits": [{"_source": {"a#b": 1}}]},
      "aggregations": {
        "x#y": {"buckets": [{"key": "k#1", "doc_count": 1, "p": {"value": 1.5},
                             "f": {"doc_count": 2, "m": {"value": null}}}],
                "meta": {"own#name": 1}},
        "z": {"buckets": {"one#two": {"doc_count": 3, "s": {"value": 4}}}}},
      "suggest": {"w": [{"text": "a#b", "options": []}]}})");
  CHECK(in_form(typed, {.typed_keys = true}, {}).value() == plain);
  CHECK(in_form(typed, {.typed_keys = true}, {.typed_keys = true}).value() == typed);
  CHECK(in_form(plain, {}, {.typed_keys = true}).value() == plain);
}

TEST_CASE("async answers: totals as numbers and as objects, those of groups too") {
  const std::string objects =
      made_of(R"({"hits": {"total": {"value": 7, "relation": "eq"}, "hits": [
      {"inner_hits": {"g": {"hits": {"total": {"value": 2, "relation": "eq"}, "hits": []}}}}]}})");
  const std::string numbers = made_of(R"({"hits": {"total": 7, "hits": [
      {"inner_hits": {"g": {"hits": {"total": 2, "hits": []}}}}]}})");
  const AnswerForm as_int{.total_hits_as_int = true};
  CHECK(in_form(objects, {}, as_int).value() == numbers);
  CHECK(in_form(numbers, as_int, {}).value() == objects);
}

TEST_CASE("async answers: a total that nobody counted") {
  const std::string none = made_of(R"({"hits": {"max_score": null, "hits": []}})");
  const std::string number = made_of(R"({"hits": {"total": -1, "max_score": null, "hits": []}})");
  const AnswerForm as_int{.total_hits_as_int = true};
  CHECK(in_form(none, {}, as_int).value() == number);
  CHECK(in_form(number, as_int, {}).value() == none);
}

TEST_CASE("async answers: documents may be deep, and what is no answer is told") {
  const std::string deep = R"({"hits":{"total":1,"hits":[{"_source":)" + std::string(100, '[') +
                           std::string(100, ']') + "}]}}";
  CHECK(in_form(deep, {.total_hits_as_int = true}, {}).ok());
  CHECK(in_form("[]", {.total_hits_as_int = true}, {}).error().kind == ErrorKind::corrupt);
}

TEST_CASE("async answers: so far nothing was found, of no shard") {
  const Json answer = parse_json(answer_so_far(3, 12, {})).value();
  CHECK(answer.int_or("took") == 12);
  CHECK(answer.find_path("_shards.total")->as_int() == 3);
  CHECK(answer.find_path("_shards.successful")->as_int() == 0);
  CHECK(answer.find_path("hits.total.relation")->as_string() == "gte");
  CHECK(parse_json(answer_so_far(3, 12, {.total_hits_as_int = true}))
            .value()
            .find_path("hits.total")
            ->as_int() == 0);
}

}  // namespace cairn::tasks::async_answer_test
