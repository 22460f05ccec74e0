// SPDX-License-Identifier: Apache-2.0
#include "index/query/filter_cache.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>

#include "index/query/filter_key.h"
#include "index/testing.h"

namespace cairn::index::filter_cache_test {
namespace {

std::shared_ptr<const BitSet> bits(std::uint32_t size) {
  return std::make_shared<const BitSet>(size);
}
std::shared_ptr<const Segment> segment() { return std::make_shared<const Segment>(); }

std::optional<std::string> key_of(Query query) { return narrowing_key({std::move(query)}, {}); }

}  // namespace

TEST_CASE("filter cache: keeps what is offered twice, for its segment alone") {
  FilterCache cache(1u << 20);
  const auto one = segment(), other = segment();
  cache.offer(one, "f", bits(100));
  CHECK(cache.find(one, "f") == nullptr);
  CHECK(cache.bytes() == 0);
  const auto kept = bits(100);
  cache.offer(one, "f", kept);
  CHECK(cache.find(one, "f") == kept);
  CHECK(cache.find(one, "g") == nullptr);
  CHECK(cache.find(other, "f") == nullptr);
  cache.offer(one, "f", bits(100));
  CHECK(cache.find(one, "f") == kept);
}

TEST_CASE("filter cache: what was used last stays, and the bytes stay below their bound") {
  FilterCache cache(8'000);
  const auto one = segment();
  const auto put = [&](const std::string& key) {
    cache.offer(one, key, bits(8'000));
    cache.offer(one, key, bits(8'000));
  };
  for (int i = 0; i < 20; ++i) {
    put("key" + std::to_string(i));
    CHECK(cache.bytes() <= 8'000);
    if (i > 0) CHECK(cache.find(one, "key0") != nullptr);
  }
  CHECK(cache.find(one, "key19") != nullptr);
  CHECK(cache.find(one, "key10") == nullptr);
  put("large");
  cache.offer(one, "huge", bits(80'000));
  cache.offer(one, "huge", bits(80'000));
  CHECK(cache.find(one, "huge") == nullptr);
}

TEST_CASE("filter cache: forgets what is of some segments") {
  FilterCache cache(1u << 20);
  const auto one = segment(), other = segment();
  for (const auto& each : {one, other})
    for (int i = 0; i < 2; ++i) cache.offer(each, "f", bits(100));
  const std::size_t both = cache.bytes();
  cache.forget({one});
  CHECK(cache.find(one, "f") == nullptr);
  CHECK(cache.find(other, "f") != nullptr);
  CHECK(cache.bytes() * 2 == both);
}

TEST_CASE("filter cache: bits of segments that are gone make room first") {
  FilterCache cache(8'000);
  const auto stays = segment();
  const auto put = [&](const std::shared_ptr<const Segment>& of, const std::string& key) {
    cache.offer(of, key, bits(8'000));
    cache.offer(of, key, bits(8'000));
  };
  put(stays, "first");
  {
    const auto goes = segment();
    for (int i = 0; i < 5; ++i) put(goes, "g" + std::to_string(i));
  }
  put(stays, "second");
  CHECK(cache.find(stays, "first") != nullptr);
  CHECK(cache.find(stays, "second") != nullptr);
  CHECK(cache.bytes() < 3'000);
}

TEST_CASE("filter key: the same documents, the same key; anything else another") {
  const Query a = term("tag", "a"), b = term("tag", "b");
  CHECK(narrowing_key({a, b}, {}) == narrowing_key({b, a}, {}));
  CHECK(narrowing_key({a}, {b}) != narrowing_key({a, b}, {}));
  CHECK(narrowing_key({a}, {}) != narrowing_key({b}, {}));
  CHECK(key_of(term("tag", "1")) != key_of(term("tag", 1)));
  CHECK(key_of(term("ta", "ga")) != key_of(term("tag", "a")));
  Query scored = a;
  scored.boost = 3;
  CHECK(key_of(scored) == key_of(a));
  CHECK(key_of({.node = BoolQuery{.should = {a, b}}}) !=
        key_of({.node = BoolQuery{.must = {a, b}}}));
  CHECK(key_of({.node = RangeQuery{.field = "n", .gt = Json(1)}}) !=
        key_of({.node = RangeQuery{.field = "n", .gte = Json(1)}}));
  CHECK(key_of({.node = PrefixQuery{.field = "tag", .value = "a"}}) !=
        key_of({.node = WildcardQuery{.field = "tag", .value = "a"}}));
}

TEST_CASE("filter key: what the time, an analyzer or other segments decide has none") {
  CHECK(!key_of({.node = RangeQuery{.field = "d", .gte = Json("now-1d/d")}}));
  CHECK(!key_of(term("d", "now")));
  CHECK(!key_of(match("body", "a")));
  CHECK(!key_of({.node = KnnQuery{.field = "v", .vector = {1}}}));
  CHECK(!key_of({.node = IdsQuery{.values = {"1"}}}));
  CHECK(!key_of(term("_id", "1")));
  CHECK(!key_of({.node = BoolQuery{.must = {term("tag", "a"), match("body", "a")}}}));
}

TEST_CASE("filter cache: filters of the nearest vectors are kept, and deletions heeded") {
  Fixture fixture;
  const auto index = fixture.create("i", R"({"properties": {"n": {"type": "long"},
      "v": {"type": "dense_vector", "dims": 2, "similarity": "l2_norm",
            "index_options": {"type": "flat"}}}})");
  std::vector<WriteOperation> batch;
  for (std::uint32_t i = 0; i < FilterCache::documents_min; ++i) {
    WriteOperation operation;
    operation.id = std::to_string(i);
    operation.source =
        R"({"n": )" + std::to_string(i % 10) + R"(, "v": [)" + std::to_string(i) + ", 0]}";
    batch.push_back(std::move(operation));
  }
  REQUIRE(index->write(batch, fixture.soon()).ok());
  REQUIRE(index->flush(fixture.soon()).ok());
  const auto nearest = [&] {
    KnnQuery knn{.field = "v", .vector = {5'000.0f, 0.0f}, .k = 3};
    RangeQuery range;
    range.field = "n";
    range.gte = Json(7);
    knn.filter = {Query{.node = range}};
    return fixture.ids(*index, {.node = knn});
  };
  const std::vector<std::string> before = {"4999", "4998", "4997"};
  for (int i = 0; i < 4; ++i) CHECK(nearest() == before);
  fixture.remove(*index, "4998");
  REQUIRE(index->refresh(fixture.soon()).ok());
  const std::vector<std::string> after = {"4999", "4997", "5007"};
  for (int i = 0; i < 2; ++i) CHECK(nearest() == after);
}

}  // namespace cairn::index::filter_cache_test
