// SPDX-License-Identifier: Apache-2.0
// Aggregations over several indices beside those over one index with all of their documents.
#include "index/joint_aggregations.h"

#include <string>

#include "index/testing.h"

namespace cairn::index::joint_aggregations_test {
namespace {

constexpr const char* fields = R"({"properties": {"k": {"type": "keyword"}, "n": {"type": "long"},
    "d": {"type": "date"}, "b": {"type": "boolean"}}})";

Result<Query> read_term(const Json& json) {
  const auto& [field, value] = json.find("term")->as_object().front();
  return term(field, value);
}

Result<Json> over(Fixture& house, const std::vector<std::shared_ptr<Index>>& indices,
                  const std::string& request, const Query& query) {
  std::vector<std::shared_ptr<const View>> views;
  for (const auto& index : indices) views.push_back(index->view());
  CAIRN_TRY(const auto joint, JointAggregations::make(views));
  const Json asked = Fixture::json(request);
  CAIRN_CHECK(joint->begin({.request = asked, .collect_until = house.soon()}, read_term));
  for (std::size_t i = 0; i < views.size(); ++i) {
    joint->next_view(i);
    SearchParams params{.size = 0};
    params.joint = joint.get();
    CAIRN_TRY(const auto found, views[i]->search(query, params, house.soon()));
    CHECK(found.aggregations.is_null());
  }
  return joint->finish(house.soon());
}

TEST_CASE("joint aggregations: several indices count as one with all of their documents") {
  Fixture house;
  const auto all = house.create("all", fields);
  std::vector<std::shared_ptr<Index>> parts;
  for (const char* name : {"a", "b", "c"}) parts.push_back(house.create(name, fields));
  const auto random = os::seeded_random(11);
  const auto dice = [&](unsigned sides) {
    return static_cast<unsigned char>(random->bytes(1)[0]) % sides;
  };
  for (int i = 0; i < 500; ++i) {
    std::string source = R"({"n": )" + std::to_string(dice(40));
    if (dice(5) > 0)
      source +=
          R"(, "k": ["w)" + std::to_string(dice(30)) + R"(", "v)" + std::to_string(dice(4)) + "\"]";
    if (dice(4) > 0) source += R"(, "d": "2026-0)" + std::to_string(1 + dice(9)) + "-11\"";
    if (dice(3) > 0) source += std::string(", \"b\": ") + (dice(2) > 0 ? "true" : "false");
    source += "}";
    const std::string id = std::to_string(i);
    Index& part = *parts[dice(3)];
    house.put(*all, id, source);
    house.put(part, id, source);
    if (dice(40) == 0) REQUIRE(part.flush(house.soon()).ok());
    if (dice(10) == 0) {
      house.remove(*all, id);
      house.remove(part, id);
    }
  }
  for (const auto& index : {all, parts[0], parts[1], parts[2]})
    REQUIRE(index->refresh(house.soon()).ok());
  const char* requests[] = {
      R"({"x": {"terms": {"field": "k", "size": 7}}})",
      R"({"x": {"terms": {"field": "k", "size": 100, "order": {"_key": "asc"}}}})",
      R"({"x": {"terms": {"field": "n", "size": 3, "order": {"m": "desc"}},
                "aggs": {"m": {"avg": {"field": "n"}}}}})",
      R"({"x": {"terms": {"field": "b"}, "aggs": {"k": {"terms": {"field": "k", "size": 2}}}}})",
      R"({"x": {"stats": {"field": "n"}}, "y": {"cardinality": {"field": "k"}}, "z": {"value_count": {"field": "k"}}})",
      R"({"x": {"histogram": {"field": "n", "interval": 7}, "aggs": {"m": {"max": {"field": "n"}}}}})",
      R"({"x": {"date_histogram": {"field": "d", "calendar_interval": "month"}, "aggs": {"c": {"cardinality": {"field": "k"}}}}})",
      R"({"x": {"filter": {"term": {"k": "v1"}}, "aggs": {"s": {"sum": {"field": "n"}}}}})",
      R"({"x": {"missing": {"field": "k"}}, "y": {"range": {"field": "n", "ranges": [{"to": 10}, {"from": 10}]}}})"};
  const Query queries[] = {{.node = MatchAllQuery{}},
                           {.node = RangeQuery{.field = "n", .gte = 20}},
                           term("k", "v2"),
                           {.node = MatchNoneQuery{}}};
  for (const char* request : requests)
    for (const Query& query : queries) {
      CAPTURE(request);
      const auto found = over(house, parts, request, query);
      INFO((found.ok() ? std::string() : found.error().message));
      REQUIRE(found.ok());
      SearchParams params{.size = 0};
      params.aggregations = Fixture::json(request);
      params.read_query = read_term;
      const auto wanted = all->view()->search(query, params, house.soon());
      REQUIRE(wanted.ok());
      CHECK(found->dump() == wanted->aggregations.dump());
    }
}

TEST_CASE("joint aggregations: each index is told by its name") {
  Fixture house;
  const auto one = house.create("one", fields);
  const auto two = house.create("two", fields);
  for (const char* id : {"1", "2", "3"}) house.put(*one, id, R"({"n": 1})");
  house.put(*two, "1", R"({"n": 5})");
  for (const auto& index : {one, two}) REQUIRE(index->refresh(house.soon()).ok());
  const auto found = over(house, {one, two}, R"({
      "a": {"filter": {"term": {"_index": "one"}}}, "b": {"filter": {"term": {"_index": "two"}},
      "aggs": {"s": {"sum": {"field": "n"}}}}, "c": {"filter": {"term": {"_index": "none"}}}})",
                          {});
  REQUIRE(found.ok());
  CHECK(found->find_path("a.doc_count")->as_int() == 3);
  CHECK(found->find_path("b.doc_count")->as_int() == 1);
  CHECK(found->find_path("b.s.value")->as_double() == 5);
  CHECK(found->find_path("c.doc_count")->as_int() == 0);
}

TEST_CASE("joint aggregations: fields come together, and must be of one kind") {
  Fixture house;
  const auto one = house.create("one", R"({"properties": {"k": {"type": "keyword"}}})");
  const auto two = house.create("two", R"({"properties": {"m": {"type": "long"}}})");
  house.put(*one, "1", R"({"k": "x"})");
  house.put(*two, "1", R"({"m": 7})");
  for (const auto& index : {one, two}) REQUIRE(index->refresh(house.soon()).ok());
  const auto found = over(house, {one, two},
                          R"({"x": {"terms": {"field": "k"}}, "y": {"max": {"field": "m"}}})", {});
  REQUIRE(found.ok());
  CHECK(found->find_path("y.value")->as_double() == 7);
  CHECK(found->find_path("x.buckets")->as_array().size() == 1);
  const auto other = house.create("other", R"({"properties": {"k": {"type": "long"}}})");
  const auto refused = over(house, {one, other}, R"({"x": {"terms": {"field": "k"}}})", {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message ==
        "aggregations over several indices want fields of one kind: index [other] has others: "
        "mapper [k] cannot be changed from type [keyword] to [long]");
  const auto named = over(house, {one, other}, R"({"x": {"filter": {"term": {"k": "x"}}}})", {});
  CHECK_FALSE(named.ok());
  // Others than those that a request names may be of any kind.
  const auto third = house.create(
      "third",
      R"({"properties": {"k": {"type": "long"}, "m": {"type": "long"}, "z": {"type": "date"}}})");
  house.put(*third, "1", R"({"k": 1, "m": 8})");
  REQUIRE(third->refresh(house.soon()).ok());
  const auto apart = over(house, {one, two, third}, R"({"y": {"max": {"field": "m"}}})", {});
  REQUIRE(apart.ok());
  CHECK(apart->find_path("y.value")->as_double() == 8);
  // Of no index they are read, and count nothing.
  CHECK(over(house, {}, R"({"x": {"terms": {"field": "k"}}})", {}).ok());
  CHECK_FALSE(over(house, {}, R"({"x": {"nothing": {"field": "k"}}})", {}).ok());
}

}  // namespace
}  // namespace cairn::index::joint_aggregations_test
