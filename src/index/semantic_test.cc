// SPDX-License-Identifier: Apache-2.0
// semantic_text fields and vectors: chunks, the best of them, and what does not fit.
#include <doctest/doctest.h>

#include <cmath>

#include "index/testing.h"

namespace cairn::index::semantic_test {
namespace {

constexpr const char* mapping = R"({"properties": {
  "s": {"type": "semantic_text", "inference_id": "e"}, "title": {"type": "text"}}})";

SemanticValue dense_value(std::vector<std::vector<float>> vectors) {
  SemanticValue out{.field = "s",
                    .model_settings = {.service = "elasticsearch",
                                       .task_type = "text_embedding",
                                       .dimensions = 2,
                                       .similarity = "cosine",
                                       .element_type = "float"},
                    .chunks = {}};
  std::uint32_t at = 0;
  for (auto& v : vectors) {
    out.chunks.push_back({.input = 0, .start = at, .end = at + 5, .dense = std::move(v)});
    at += 5;
  }
  return out;
}

SemanticValue sparse_value(std::vector<std::vector<std::pair<std::string, float>>> chunks) {
  SemanticValue out{.field = "s",
                    .model_settings = {.service = "elasticsearch", .task_type = "sparse_embedding"},
                    .chunks = {}};
  for (auto& c : chunks)
    out.chunks.push_back({.start = 1, .end = 2, .dense = {}, .sparse = std::move(c)});
  return out;
}

WriteResult put(Fixture& fixture, Index& index, std::string id, SemanticValue value) {
  WriteOperation operation;
  operation.id = std::move(id);
  operation.source = R"({"s": "some text", "title": "x"})";
  operation.semantic.push_back(std::move(value));
  return fixture.write(index, operation);
}

// In every state of the documents: in memory, stored, merged, after a restart.
template <class Check>
void in_all_states(Fixture& fixture, Check check) {
  const auto index = [&] { return *fixture.indices().find("i"); };
  REQUIRE(index()->refresh(fixture.soon()).ok());
  check(*index());
  REQUIRE(index()->flush(fixture.soon()).ok());
  check(*index());
  fixture.reopen();
  check(*index());
  REQUIRE(index()->force_merge(1, fixture.soon()).ok());
  check(*index());
}

TEST_CASE("semantic dense: the best chunk of each document counts") {
  Fixture fixture;
  auto index = fixture.create("i", mapping);
  CHECK(!put(fixture, *index, "near", dense_value({{0, 1}, {3, 0}})).error);
  CHECK(!put(fixture, *index, "half", dense_value({{1, 1}})).error);
  CHECK(!put(fixture, *index, "gone", dense_value({{1, 0}, {1, 0}, {1, 0}})).error);
  CHECK(!put(fixture, *index, "far", dense_value({{-1, 0}, {0, -1}})).error);
  REQUIRE(index->flush(fixture.soon()).ok());
  fixture.remove(*index, "gone");
  CHECK(index->mapping()->find("s")->model_settings->dimensions == 2);
  CHECK(
      index->mapping()->to_json().find_path("properties.s.model_settings.task_type")->as_string() ==
      "text_embedding");
  in_all_states(fixture, [&](Index& i) {
    const Query query{.node = DenseScoreQuery{.field = "s", .vector = {2, 0}}};
    const TopDocs found = fixture.search(i, query);
    REQUIRE(found.hits.size() == 3);
    CHECK(fixture.ids(i, query) == std::vector<std::string>{"near", "half", "far"});
    CHECK(found.hits[0].score == doctest::Approx(1.0));
    CHECK(found.hits[1].score == doctest::Approx((1 + std::sqrt(0.5)) / 2));
    CHECK(found.hits[2].score == doctest::Approx(0.5));
    KnnQuery knn{.field = "s", .vector = {1, 0}, .k = 2};
    CHECK(fixture.ids(i, {.node = knn}) == std::vector<std::string>{"near", "half"});
    knn.similarity = 0.9f;
    CHECK(fixture.ids(i, {.node = knn}) == std::vector<std::string>{"near"});
    knn.similarity.reset();
    knn.filter = {Query{.node = IdsQuery{.values = {"far"}}}};
    CHECK(fixture.ids(i, {.node = knn}) == std::vector<std::string>{"far"});
    const auto view = i.view();
    const auto near = view->find("near", fixture.soon());
    const auto chunks = view->best_chunks(**near, query, 5, fixture.soon());
    REQUIRE(chunks.ok());
    REQUIRE(chunks->size() == 2);
    CHECK((*chunks)[0].start == 5);
    CHECK((*chunks)[0].score == doctest::Approx(1.0));
    CHECK((*chunks)[1].start == 0);
  });
}

TEST_CASE("semantic sparse: the best chunk of each document counts") {
  Fixture fixture;
  auto index = fixture.create("i", mapping);
  put(fixture, *index, "a", sparse_value({{{"x", 0.5f}}, {{"x", 1.0f}, {"y", 1.0f}}}));
  put(fixture, *index, "b", sparse_value({{{"x", 1.5f}}, {{"y", 1.25f}}}));
  put(fixture, *index, "c", sparse_value({{{"z", 4.0f}}}));
  put(fixture, *index, "d", sparse_value({{{"x", 9.0f}}}));
  REQUIRE(index->flush(fixture.soon()).ok());
  fixture.remove(*index, "d");
  in_all_states(fixture, [&](Index& i) {
    const Query query{.node = SparseQuery{.field = "s", .weights = {{"x", 2}, {"y", 1}}}};
    const TopDocs found = fixture.search(i, query);
    REQUIRE(found.hits.size() == 2);
    CHECK(found.hits[0].score == 3.0f);
    CHECK(found.hits[1].score == 3.0f);
    CHECK(
        fixture.search(i, {.node = SparseQuery{.field = "s", .weights = {{"y", 4}}}}).hits[0].score ==
        5.0f);
    const auto view = i.view();
    const auto chunks = view->best_chunks(**view->find("a", fixture.soon()), query, 1, fixture.soon());
    REQUIRE(chunks.ok());
    REQUIRE(chunks->size() == 1);
    CHECK((*chunks)[0].score == 3.0f);
    CHECK(fixture.ids(i, {.node = ExistsQuery{.field = "s"}}).size() == 3);
  });
}

TEST_CASE("semantic: what does not fit is refused") {
  Fixture fixture;
  auto index = fixture.create("i", mapping);
  WriteOperation bare;
  bare.id = "1";
  bare.source = R"({"s": "text"})";
  CHECK(fixture.write(*index, bare).error->message.find("without its embeddings") !=
        std::string::npos);
  put(fixture, *index, "1", dense_value({{1, 0}}));
  auto three = dense_value({{1, 0, 0}});
  three.model_settings.dimensions = 3;
  const auto other = put(fixture, *index, "2", three);
  REQUIRE(other.error);
  CHECK(other.error->cause->message.starts_with("Incompatible model settings for field [s]"));
  CHECK(put(fixture, *index, "3", dense_value({{1, 0, 0}})).error);
  REQUIRE(index->refresh(fixture.soon()).ok());
  const auto view = index->view();
  for (const Query& query : {Query{.node = DenseScoreQuery{.field = "s", .vector = {1, 0, 0}}},
                             Query{.node = SparseQuery{.field = "s", .weights = {{"x", 1}}}},
                             Query{.node = KnnQuery{.field = "title", .vector = {1, 0}}},
                             Query{.node = SparseQuery{.field = "title", .weights = {{"x", 1}}}},
                             Query{.node = KnnQuery{.field = "s", .vector = {0, 0}}}}) {
    const auto found = view->search(query, {}, fixture.soon());
    REQUIRE(!found.ok());
    CHECK(found.error().kind == ErrorKind::invalid_argument);
  }
  CHECK(fixture.ids(*index, {.node = KnnQuery{.field = "nosuch", .vector = {1}}}).empty());
}

TEST_CASE("dense_vector: scores of every similarity, floats and bytes") {
  Fixture fixture;
  const struct {
    const char* similarity;
    const char* element;
    std::string vector;
    std::vector<float> query;
    double score;
  } cases[] = {
      {"cosine", "float", "[3, 4]", {1, 0}, (1 + 0.6) / 2},
      {"dot_product", "float", "[0.6, 0.8]", {1, 0}, (1 + 0.6) / 2},
      {"l2_norm", "float", "[3, 4]", {3, 2}, 1.0 / (1 + 4)},
      {"max_inner_product", "float", "[3, 4]", {1, 1}, 8},
      {"max_inner_product", "float", "[3, 4]", {-1, 0}, 1.0 / 4},
      {"cosine", "byte", "[30, 40]", {10, 0}, (1 + 0.6) / 2},
      {"dot_product", "byte", "[30, 40]", {10, 0}, 0.5 + 300.0 / (32768 * 2)},
      {"l2_norm", "byte", "[3, 4]", {3, 2}, 1.0 / (1 + 4)},
      {"max_inner_product", "byte", "[3, 4]", {1, 1}, 8},
  };
  int n = 0;
  for (const auto& c : cases) {
    CAPTURE(n);
    const std::string fields = std::string(R"({"properties": {"v": {"type": "dense_vector",
        "dims": 2, "similarity": ")") +
                               c.similarity + R"(", "element_type": ")" + c.element + "\"}}}";
    auto index = fixture.create("v" + std::to_string(n++), fields.c_str());
    fixture.put(*index, "1", R"({"v": )" + c.vector + "}");
    REQUIRE(index->refresh(fixture.soon()).ok());
    const TopDocs found =
        fixture.search(*index, {.node = KnnQuery{.field = "v", .vector = c.query, .k = 1}});
    REQUIRE(found.hits.size() == 1);
    CHECK(static_cast<double>(found.hits[0].score) == doctest::Approx(c.score).epsilon(1e-5));
  }
}

TEST_CASE("dense_vector: dimensions come from the first document") {
  Fixture fixture;
  auto index = fixture.create("i", R"({"properties": {"v": {"type": "dense_vector"}}})");
  CHECK(fixture.ids(*index, {.node = KnnQuery{.field = "v", .vector = {1, 2}}}).empty());
  fixture.put(*index, "1", R"({"v": [1, 2, 3]})");
  CHECK(index->mapping()->find("v")->dims == 3);
  WriteOperation other;
  other.id = "2";
  other.source = R"({"v": [1, 2]})";
  CHECK(fixture.write(*index, other).error);
}

}  // namespace
}  // namespace cairn::index::semantic_test
