// SPDX-License-Identifier: Apache-2.0
// Vectors of bits: the nearest by how many bits differ, against all of them counted one by one.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "base/encode.h"
#include "index/testing.h"

namespace cairn::index::bit_vectors_test {
namespace {

constexpr std::size_t bytes = 24;
constexpr float dims = 8 * bytes;

struct World {
  Fixture fixture;
  std::shared_ptr<Index> index;
  std::vector<std::string> vectors;
  std::mt19937 random{3};

  World() {
    index = fixture.create("i", R"({"properties": {"n": {"type": "long"},
        "v": {"type": "dense_vector", "dims": 192, "element_type": "bit"}}})");
    for (int segment = 0; segment < 2; ++segment) {
      std::vector<WriteOperation> batch;
      for (int i = 0; i < 1'200; ++i) batch.push_back(next());
      const auto results = index->write(batch, fixture.soon());
      REQUIRE(results.ok());
      for (const WriteResult& result : *results) REQUIRE(!result.error);
      REQUIRE(index->flush(fixture.soon()).ok());
    }
  }
  std::string any() {
    std::string out;
    for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(random() % 256);
    return out;
  }
  // Every other vector as numbers, the rest as hexadecimal digits.
  WriteOperation next() {
    vectors.push_back(any());
    Json::Array numbers;
    for (const char byte : vectors.back())
      numbers.emplace_back(std::int64_t{static_cast<signed char>(byte)});
    const Json v =
        vectors.size() % 2 == 0 ? Json(std::move(numbers)) : Json(to_hex(vectors.back()));
    WriteOperation operation;
    operation.id = std::to_string(vectors.size() - 1);
    operation.source =
        Json::object({{"n", static_cast<std::int64_t>(vectors.size() % 10)}, {"v", v}}).dump();
    return operation;
  }
  static KnnQuery knn(const std::string& query) {
    KnnQuery out{.field = "v", .vector = {}, .k = 20};
    for (const char byte : query) out.vector.push_back(static_cast<signed char>(byte));
    return out;
  }
  static unsigned apart(const std::string& a, const std::string& b) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      sum += static_cast<unsigned>(std::popcount(static_cast<unsigned char>(
          static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]))));
    return sum;
  }
};

TEST_CASE("bits: the nearest are those of which the fewest differ, with exact scores") {
  World world;
  for (const bool filtered : {false, true}) {
    for (int round = 0; round < 10; ++round) {
      const std::string query = world.any();
      std::vector<unsigned> all;
      for (std::size_t i = 0; i < world.vectors.size(); ++i)
        if (!filtered || (i + 1) % 10 == 3) all.push_back(World::apart(query, world.vectors[i]));
      std::sort(all.begin(), all.end());
      KnnQuery knn = World::knn(query);
      if (filtered) knn.filter = {Query{.node = TermQuery{.field = "n", .value = Json(3)}}};
      const TopDocs found = world.fixture.search(*world.index, {.node = knn}, {.size = 20});
      REQUIRE(found.hits.size() == 20);
      for (std::size_t i = 0; i < 20; ++i) {
        const auto id =
            std::stoul(*world.index->view()->id(found.hits[i].doc, world.fixture.soon()));
        CHECK(World::apart(query, world.vectors[id]) == all[i]);
        CHECK(found.hits[i].score == (dims - static_cast<float>(all[i])) / dims);
      }
    }
    REQUIRE(world.index->force_merge(1, world.fixture.soon()).ok());
  }
}

TEST_CASE("bits: a similarity is how many may differ") {
  World world;
  KnnQuery knn = World::knn(world.vectors[7]);
  knn.similarity = 0;
  CHECK(world.fixture.ids(*world.index, {.node = knn}) == std::vector<std::string>{"7"});
}

TEST_CASE("bits: what does not fit is refused") {
  Fixture fixture;
  const auto refused = [&](const char* field) {
    const auto made = fixture.indices().create(
        "x", Fixture::json(std::string(R"({"properties":{"v":)") + field + "}}"), Json(),
        fixture.soon());
    return made.ok() ? std::string("none") : made.error().message;
  };
  const auto says = [&](const char* field, const char* what) {
    return refused(field).find(what) != std::string::npos;
  };
  CHECK(says(R"({"type":"dense_vector","element_type":"bit","dims":12})", "multiple of [8]"));
  CHECK(says(R"({"type":"dense_vector","element_type":"bit","dims":16,"similarity":"cosine"})",
             "[l2_norm] similarity is the only"));
  CHECK(says(R"({"type":"dense_vector","element_type":"bit","dims":16,
                 "index_options":{"type":"int8_hnsw"}})",
             "[int8_hnsw]"));
  CHECK(says(R"({"type":"dense_vector","dims":4104})", "range [1, 4096]"));
  const auto index = fixture.create(
      "i", R"({"properties":{"v":{"type":"dense_vector","element_type":"bit","dims":16}}})");
  const auto error = [&](const char* vector) {
    WriteOperation operation;
    operation.id = "1";
    operation.source = std::string(R"({"v":)") + vector + "}";
    const WriteResult result = fixture.write(*index, operation);
    return result.error ? result.error->message : std::string("none");
  };
  CHECK(error(R"("0fz0")") != "none");
  CHECK(error(R"("0f")") != "none");
  CHECK(error("[1, 2, 3]") != "none");
  CHECK(error("[1, 128]") != "none");
  CHECK(error(R"("0fF0")") == "none");
  CHECK(error("[-128, 127]") == "none");
}

}  // namespace
}  // namespace cairn::index::bit_vectors_test
