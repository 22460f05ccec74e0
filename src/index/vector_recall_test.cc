// SPDX-License-Identifier: Apache-2.0
// The nearest vectors by their index, against all of them compared one by one: how many of the true
// ones are found, over many segments, deletions, filters and merges; and that scores are exact.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "index/testing.h"

namespace cairn::index::vector_recall_test {
namespace {

constexpr unsigned seed = 7;
constexpr int dims = 48;
constexpr std::size_t wanted = 10;

using Vectors = std::vector<std::vector<float>>;

std::vector<float> normals(std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> out(dims);
  for (float& v : out) v = normal(random);
  return out;
}

Vectors uniform_vectors(std::mt19937& random, std::size_t count) {
  Vectors out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(normals(random));
  return out;
}

// Around centres, of which some have many vectors.
Vectors clustered_vectors(std::mt19937& random, std::size_t count) {
  static const Vectors centres = [] {
    std::mt19937 own(seed + 1);
    return uniform_vectors(own, 60);
  }();
  Vectors out;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = static_cast<double>(random() % 1000) / 1000;
    const auto& centre = centres[static_cast<std::size_t>(60 * u * u)];
    auto v = normals(random);
    for (int d = 0; d < dims; ++d) v[d] = centre[d] + v[d] * 0.4f;
    out.push_back(std::move(v));
  }
  return out;
}

double raw_of(const char* similarity, const std::vector<float>& a, const std::vector<float>& b) {
  double dot = 0, aa = 0, bb = 0, apart = 0;
  for (int d = 0; d < dims; ++d) {
    const double x = static_cast<double>(a[d]), y = static_cast<double>(b[d]);
    dot += x * y;
    aa += x * x;
    bb += y * y;
    apart += (x - y) * (x - y);
  }
  const std::string_view name = similarity;
  if (name == "cosine") return dot / std::sqrt(aa * bb);
  return name == "l2_norm" ? -apart : dot;
}

double score_of(const char* similarity, double raw) {
  const std::string_view name = similarity;
  if (name == "cosine") return (1 + raw) / 2;
  if (name == "l2_norm") return 1 / (1 - raw);
  return raw < 0 ? 1 / (1 - raw) : raw + 1;
}

/// An index of vectors with a keyword to filter by, and what is true of it.
struct House {
  Fixture fixture;
  std::shared_ptr<Index> index;
  const char* similarity;
  Vectors vectors;
  std::vector<bool> is_removed;
  std::vector<double> share_of;  // a number from 0 to 1: filters take those below some share
  std::vector<Vectors::value_type> queries;

  House(const char* similarity_name, const char* element_type, const char* options,
        const Options& of_indices = Fixture::quiet_options())
      : fixture(of_indices), similarity(similarity_name) {
    const std::string fields =
        std::string(R"({"properties": {"share": {"type": "double"}, "v": {"type": "dense_vector",
          "dims": 48, "similarity": ")") +
        similarity + R"(", "element_type": ")" + element_type + R"(", "index_options": )" +
        options + "}}}";
    index = fixture.create("i", fields.c_str());
  }

  void write(Vectors more, std::mt19937& random, std::size_t segments, bool along) {
    const std::size_t each = more.size() / segments;
    for (std::size_t s = 0; s < segments; ++s) {
      std::vector<WriteOperation> batch;
      for (std::size_t i = s * each; i < (s + 1) * each; ++i) {
        // With or against the queries: whether the first number says so, or chance.
        const double chance = static_cast<double>(random() % 100'000) / 100'000;
        const double first = std::clamp(0.5 + static_cast<double>(more[i][0]) / 6, 0.0, 0.999);
        share_of.push_back(along ? first : chance);
        WriteOperation operation;
        operation.id = std::to_string(vectors.size());
        operation.source = R"({"share": )" + std::to_string(share_of.back()) + R"(, "v": )" +
                           Json::array_of(more[i]).dump() + "}";
        batch.push_back(std::move(operation));
        vectors.push_back(std::move(more[i]));
        is_removed.push_back(false);
      }
      const auto results = index->write(batch, fixture.soon());
      REQUIRE(results.ok());
      for (const WriteResult& result : *results) REQUIRE(!result.error);
      REQUIRE(index->flush(fixture.soon()).ok());
    }
  }

  void remove_a_fifth(std::mt19937& random) {
    std::vector<WriteOperation> batch;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      if (random() % 5 != 0) continue;
      is_removed[i] = true;
      WriteOperation operation;
      operation.kind = WriteOperation::Kind::remove;
      operation.id = std::to_string(i);
      batch.push_back(std::move(operation));
    }
    REQUIRE(index->write(batch, fixture.soon()).ok());
    REQUIRE(index->refresh(fixture.soon()).ok());
  }

  // The share of the truly nearest that is found, over all queries. Every score must be exact.
  double recall(double share) {
    std::size_t found_count = 0, true_count = 0;
    const auto view = index->view();
    for (const auto& query : queries) {
      std::vector<double> all;
      for (std::size_t i = 0; i < vectors.size(); ++i)
        if (!is_removed[i] && share_of[i] <= share)
          all.push_back(raw_of(similarity, query, vectors[i]));
      const std::size_t count = std::min(wanted, all.size());
      std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                        std::greater<>());
      KnnQuery knn{.field = "v", .vector = query, .k = wanted};
      if (share < 1) {
        RangeQuery range;
        range.field = "share";
        range.lte = Json(share);
        knn.filter = {Query{.node = range}};
      }
      const TopDocs top = fixture.search(*index, {.node = knn});
      CHECK(top.hits.size() == count);
      true_count += count;
      double before = HUGE_VAL;
      for (const Hit& hit : top.hits) {
        const auto id = view->id(hit.doc, fixture.soon());
        REQUIRE(id.ok());
        const auto i = static_cast<std::size_t>(std::stoul(*id));
        REQUIRE(!is_removed[i]);
        REQUIRE(share_of[i] <= share);
        const double raw = raw_of(similarity, query, vectors[i]);
        CHECK(static_cast<double>(hit.score) ==
              doctest::Approx(score_of(similarity, raw)).epsilon(1e-4));
        CHECK(static_cast<double>(hit.score) <= before);
        before = static_cast<double>(hit.score);
        if (raw >= all[count - 1] - 1e-4 * std::abs(all[count - 1])) ++found_count;
      }
    }
    return true_count == 0 ? 1 : static_cast<double>(found_count) / static_cast<double>(true_count);
  }
};

void check_recall(const char* what, Vectors (*make)(std::mt19937&, std::size_t),
                  const char* similarity) {
  CAPTURE(what);
  CAPTURE(similarity);
  for (const bool along : {false, true}) {
    std::mt19937 random(seed);
    House house(similarity, "float", R"({"type": "int8_hnsw"})");
    house.write(make(random, 9 * 1300), random, 9, along);
    house.remove_a_fifth(random);
    house.queries = make(random, 20);
    for (const int merged : {0, 1}) {
      CAPTURE(merged);
      if (merged == 1) REQUIRE(house.index->force_merge(1, house.fixture.soon()).ok());
      for (const double share : {1.0, 0.5, 0.1, 0.01, 0.001}) {
        CAPTURE(share);
        const double recall = house.recall(share);
        if (recall < 0.97)
          std::printf("%s %s along %d merged %d share %g: recall %.4f\n", what, similarity,
                      along ? 1 : 0, merged, share, recall);
        CHECK(recall >= 0.95);
      }
    }
  }
}

/// Documents of three objects with a vector each, found by the nearest of them.
struct NestedHouse {
  static constexpr std::size_t objects = 3;
  Fixture fixture;
  std::shared_ptr<Index> index;
  Vectors vectors;
  std::vector<bool> is_removed;  // of each document
  std::vector<double> share_of;  // of each document
  std::vector<bool> is_odd;      // of each object

  NestedHouse() {
    index = fixture.create("i", R"({"properties": {"share": {"type": "double"}, "p": {
      "type": "nested", "properties": {"odd": {"type": "boolean"}, "v": {"type": "dense_vector",
      "dims": 48, "similarity": "l2_norm"}}}}})");
  }

  void write(Vectors made, std::mt19937& random, std::size_t segments) {
    vectors = std::move(made);
    const std::size_t count = vectors.size() / objects, each = count / segments;
    std::vector<WriteOperation> batch;
    for (std::size_t d = 0; d < count; ++d) {
      share_of.push_back(static_cast<double>(random() % 100'000) / 100'000);
      is_removed.push_back(random() % 5 == 0);
      Json::Array parts;
      for (std::size_t o = 0; o < objects; ++o) {
        is_odd.push_back(random() % 2 != 0);
        parts.push_back(Json::object(
            {{"odd", bool(is_odd.back())}, {"v", Json::array_of(vectors[d * objects + o])}}));
      }
      batch.push_back({.id = std::to_string(d),
                       .source = Json::object({{"share", share_of.back()}, {"p", parts}}).dump()});
      if (batch.size() < each) continue;
      REQUIRE(index->write(batch, fixture.soon()).ok());
      REQUIRE(index->flush(fixture.soon()).ok());
      batch.clear();
    }
    for (std::size_t d = 0; d < count; ++d)
      if (is_removed[d]) fixture.remove(*index, std::to_string(d));
    REQUIRE(index->refresh(fixture.soon()).ok());
  }

  double recall(const Vectors& queries, double share, bool odd_alone) {
    std::size_t found_count = 0, true_count = 0;
    const auto view = index->view();
    for (const auto& query : queries) {
      std::vector<std::pair<double, std::size_t>> all;
      for (std::size_t d = 0; d < share_of.size(); ++d) {
        if (is_removed[d] || share_of[d] > share) continue;
        double best = -HUGE_VAL;
        for (std::size_t o = d * objects; o < (d + 1) * objects; ++o)
          if (is_odd[o] || !odd_alone) best = std::max(best, raw_of("l2_norm", query, vectors[o]));
        if (best > -HUGE_VAL) all.emplace_back(best, d);
      }
      std::sort(all.rbegin(), all.rend());
      KnnQuery knn{.field = "p.v", .vector = query, .k = wanted};
      if (share < 1) knn.filter.push_back({.node = RangeQuery{.field = "share", .lte = share}});
      if (odd_alone) knn.filter.push_back(term("p.odd", true));
      const TopDocs top = fixture.search(*index, {.node = knn});
      const std::size_t count = std::min(wanted, all.size());
      CHECK(top.hits.size() == count);
      true_count += count;
      for (const Hit& hit : top.hits) {
        const auto d = std::stoul(view->id(hit.doc, fixture.soon()).value());
        const auto own =
            std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.second == d; });
        REQUIRE(own != all.end());
        CHECK(static_cast<double>(hit.score) ==
              doctest::Approx(score_of("l2_norm", own->first)).epsilon(1e-4));
        found_count += own - all.begin() < static_cast<std::ptrdiff_t>(count) ? 1 : 0;
      }
    }
    return static_cast<double>(found_count) / static_cast<double>(true_count);
  }
};

TEST_CASE("vector index: documents are found by the nearest of their objects") {
  std::mt19937 random(seed);
  NestedHouse house;
  house.write(clustered_vectors(random, 9 * 1300), random, 3);
  const Vectors queries = clustered_vectors(random, 20);
  for (const int merged : {0, 1}) {
    CAPTURE(merged);
    if (merged == 1) REQUIRE(house.index->force_merge(1, house.fixture.soon()).ok());
    for (const double share : {1.0, 0.3, 0.01}) {
      CAPTURE(share);
      CHECK(house.recall(queries, share, false) >= 0.95);
      CHECK(house.recall(queries, share, true) >= 0.95);
    }
  }
}

TEST_CASE("vector index: recall over segments, deletions, filters and merges") {
  check_recall("clustered", clustered_vectors, "cosine");
  check_recall("uniform", uniform_vectors, "l2_norm");
}

TEST_CASE("vector index: recall of filters whose codes do not stay in memory") {
  Options small = Fixture::quiet_options();
  small.cache_bytes = 64u << 10;
  std::mt19937 random(seed);
  House house("cosine", "float", R"({"type": "int8_hnsw"})", small);
  house.write(clustered_vectors(random, 8'000), random, 2, false);
  house.remove_a_fifth(random);
  house.queries = clustered_vectors(random, 20);
  REQUIRE(house.index->force_merge(1, house.fixture.soon()).ok());
  house.index.reset();
  house.index = *house.fixture.reopen()->find("i");
  for (const double share : {1.0, 0.5, 0.1, 0.01, 0.001}) {
    CAPTURE(share);
    CHECK(house.recall(share) >= 0.95);
  }
}

TEST_CASE("vector index: recall of products") {
  check_recall("clustered", clustered_vectors, "max_inner_product");
}

TEST_CASE("vector index: bytes") {
  for (const char* similarity : {"cosine", "l2_norm", "max_inner_product"}) {
    CAPTURE(similarity);
    std::mt19937 random(seed);
    House house(similarity, "byte", R"({"type": "hnsw", "m": 16, "ef_construction": 100})");
    auto whole = [&](std::size_t count) {
      Vectors out = clustered_vectors(random, count);
      for (auto& v : out)
        for (float& x : v) x = std::clamp(std::round(x * 20), -128.0f, 127.0f);
      return out;
    };
    house.write(whole(2600), random, 2, false);
    house.queries = whole(20);
    CHECK(house.recall(1) >= 0.95);
    CHECK(house.recall(0.1) >= 0.95);
  }
}

TEST_CASE("vector index: chunks, of which the best counts") {
  std::mt19937 random(seed);
  Fixture fixture;
  const auto index = fixture.create(
      "i", R"({"properties": {"s": {"type": "semantic_text", "inference_id": "e"}}})");
  std::vector<Vectors> documents;
  for (int segment = 0; segment < 2; ++segment) {
    std::vector<WriteOperation> batch;
    for (int i = 0; i < 600; ++i) {
      SemanticValue value;
      value.field = "s";
      value.model_settings.service = "elasticsearch";
      value.model_settings.task_type = "text_embedding";
      value.model_settings.dimensions = dims;
      value.model_settings.similarity = "cosine";
      value.model_settings.element_type = "float";
      // Chunks of one document are alike, as those of one text are.
      documents.push_back(uniform_vectors(random, 1));
      for (int more = 0; more < i % 6; ++more) {
        auto v = normals(random);
        for (int d = 0; d < dims; ++d) v[d] = documents.back()[0][d] + v[d] * 0.3f;
        documents.back().push_back(std::move(v));
      }
      std::uint32_t at = 0;
      for (const auto& v : documents.back())
        value.chunks.push_back({.input = 0, .start = at++, .end = at, .dense = v});
      WriteOperation operation;
      operation.id = std::to_string(documents.size() - 1);
      operation.source = R"({"s": "text"})";
      operation.semantic.push_back(std::move(value));
      batch.push_back(std::move(operation));
    }
    const auto results = index->write(batch, fixture.soon());
    REQUIRE(results.ok());
    for (const WriteResult& result : *results) REQUIRE(!result.error);
    REQUIRE(index->flush(fixture.soon()).ok());
  }
  for (const int merged : {0, 1}) {
    CAPTURE(merged);
    if (merged == 1) REQUIRE(index->force_merge(1, fixture.soon()).ok());
    std::size_t found = 0;
    constexpr std::size_t query_count = 20;
    for (std::size_t q = 0; q < query_count; ++q) {
      const auto query = normals(random);
      std::vector<double> all;
      for (const auto& chunks : documents) {
        double best = -1;
        for (const auto& chunk : chunks) best = std::max(best, raw_of("cosine", query, chunk));
        all.push_back((1 + best) / 2);
      }
      auto sorted = all;
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      const TopDocs top =
          fixture.search(*index, {.node = KnnQuery{.field = "s", .vector = query, .k = wanted}});
      REQUIRE(top.hits.size() == wanted);
      const auto view = index->view();
      for (const Hit& hit : top.hits) {
        const auto id = std::stoul(*view->id(hit.doc, fixture.soon()));
        CHECK(static_cast<double>(hit.score) == doctest::Approx(all[id]).epsilon(1e-4));
        found += all[id] >= sorted[wanted - 1] - 1e-6 ? 1 : 0;
      }
    }
    CHECK(static_cast<double>(found) >= 0.95 * static_cast<double>(query_count * wanted));
  }
}

TEST_CASE("vector index: flat kinds find every one") {
  std::mt19937 random(seed);
  House house("l2_norm", "float", R"({"type": "bbq_flat"})");
  house.write(uniform_vectors(random, 2600), random, 2, false);
  house.queries = uniform_vectors(random, 10);
  CHECK(house.recall(1) == 1);
}

TEST_CASE("vector index: equal vectors, and those too large to code") {
  std::mt19937 random(seed);
  House house("l2_norm", "float", R"({"type": "hnsw"})");
  Vectors same(1500, std::vector<float>(dims, 0.5f));
  house.write(same, random, 1, false);
  house.queries = {same.front(), std::vector<float>(dims, 0.0f)};
  CHECK(house.recall(1) == 1);
  // Of equal scores the first documents come first, as without an index.
  const auto ids = house.fixture.ids(
      *house.index, {.node = KnnQuery{.field = "v", .vector = same.front(), .k = 5}});
  CHECK(ids == std::vector<std::string>{"0", "1", "2", "3", "4"});
  House large("l2_norm", "float", R"({"type": "hnsw"})");
  Vectors huge = uniform_vectors(random, 1500);
  for (auto& v : huge)
    for (float& x : v) x *= 1e16f;
  large.write(huge, random, 1, false);
  large.queries = {huge[3]};
  CHECK(large.recall(1) == 1);
}

}  // namespace
}  // namespace cairn::index::vector_recall_test
