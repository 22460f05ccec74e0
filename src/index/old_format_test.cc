// SPDX-License-Identifier: Apache-2.0
// Indices as earlier programs wrote them: tests/data/index-format-1.bin holds all objects of one
// whose segments have version 1, index-vectors-1.bin those of one whose vector index has no codes
// row by row. They open, answer, take writes and merge into today's version.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/bytes.h"
#include "index/testing.h"
#include "os/files/files.h"

namespace cairn::index::old_format_test {
namespace {

constexpr const char* kept_file = "tests/data/index-format-1.bin";
constexpr const char* kept_vectors = "tests/data/index-vectors-1.bin";

constexpr const char* fields = R"({"properties": {
  "body": {"type": "text"}, "tag": {"type": "keyword"}, "n": {"type": "long"},
  "x": {"type": "double"}, "yes": {"type": "boolean"}, "day": {"type": "date"},
  "v": {"type": "dense_vector", "dims": 8, "similarity": "l2_norm"},
  "c": {"type": "dense_vector", "dims": 8, "similarity": "cosine"},
  "b": {"type": "dense_vector", "dims": 8, "similarity": "dot_product", "element_type": "byte"},
  "weights": {"type": "sparse_vector"},
  "s": {"type": "semantic_text", "inference_id": "dense"},
  "t": {"type": "semantic_text", "inference_id": "sparse"}}})";

constexpr int document_count = 120;

bool is_removed(int i) { return i % 10 == 3; }

// The numbers of document i: small whole ones, so that every sum of them is exact.
std::vector<float> vector_of(int i) {
  std::vector<float> out;
  for (int d = 0; d < 8; ++d) out.push_back(static_cast<float>((i * (d + 3) + d * d) % 17 - 8));
  out[0] = static_cast<float>(i % 9 + 1);
  return out;
}

SemanticValue semantic(const char* field, const char* task) {
  SemanticValue out;
  out.field = field;
  out.model_settings.service = "cairn";
  out.model_settings.task_type = task;
  if (std::string_view(task) == "text_embedding") {
    out.model_settings.dimensions = 8;
    out.model_settings.similarity = "cosine";
    out.model_settings.element_type = "float";
  }
  return out;
}

WriteOperation document(int i) {
  WriteOperation out;
  out.id = "d" + std::to_string(i);
  const auto vector = Json::array_of(vector_of(i)).dump();
  out.source = R"({"body": "the )" + std::string(i % 3 == 0 ? "red" : "blue") + " word" +
               std::to_string(i) + R"(", "tag": "t)" + std::to_string(i % 4) + R"(", "n": )" +
               std::to_string(i) + R"(, "x": )" + std::to_string(i) + R"(.5, "yes": )" +
               (i % 2 == 0 ? "true" : "false") + R"(, "day": "2024-01-)" + (i % 28 < 9 ? "0" : "") +
               std::to_string(i % 28 + 1) + R"(", "v": )" + vector + R"(, "c": )" + vector +
               R"(, "b": )" + vector + R"(, "weights": {"a": )" + std::to_string(i + 1) +
               R"(}, "s": "text", "t": "text"})";
  SemanticValue dense = semantic("s", "text_embedding");
  dense.chunks.push_back({.input = 0, .start = 0, .end = 2, .dense = vector_of(i)});
  dense.chunks.push_back({.input = 0, .start = 2, .end = 4, .dense = vector_of(i + 50)});
  SemanticValue sparse = semantic("t", "sparse_embedding");
  sparse.chunks.push_back(
      {.start = 0, .end = 4, .dense = {}, .sparse = {{"w" + std::to_string(i % 5), 2.0f}}});
  out.semantic = {std::move(dense), std::move(sparse)};
  return out;
}

std::vector<WriteOperation> documents(int first, int last) {
  std::vector<WriteOperation> out;
  for (int i = first; i < last; ++i) out.push_back(document(i));
  return out;
}

// What lies in the file: two segments, one with deletions.
void write_index(Fixture& fixture) {
  auto index = fixture.create("old", fields);
  for (int half = 0; half < 2; ++half) {
    const auto batch = documents(half * document_count / 2, (half + 1) * document_count / 2);
    const auto results = index->write(batch, fixture.soon());
    REQUIRE(results.ok());
    for (const WriteResult& result : *results) {
      INFO((result.error ? result.error->message : std::string()));
      REQUIRE(!result.error);
    }
    REQUIRE(index->flush(fixture.soon()).ok());
  }
  for (int i = 0; i < document_count; ++i)
    if (is_removed(i)) fixture.remove(*index, "d" + std::to_string(i));
  REQUIRE(index->flush(fixture.soon()).ok());
}

double squared_distance(const std::vector<float>& a, const std::vector<float>& b) {
  double out = 0;
  for (std::size_t d = 0; d < a.size(); ++d)
    out += (static_cast<double>(a[d]) - static_cast<double>(b[d])) *
           (static_cast<double>(a[d]) - static_cast<double>(b[d]));
  return out;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double out = 0;
  for (std::size_t d = 0; d < a.size(); ++d)
    out += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  return out;
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
}

template <class Score>
void check_nearest(Fixture& fixture, Index& index, const char* field, Score score) {
  CAPTURE(field);
  std::vector<double> all;
  for (int i = 0; i < document_count; ++i)
    if (!is_removed(i)) all.push_back(score(i));
  std::sort(all.rbegin(), all.rend());
  const TopDocs found =
      fixture.search(index, {.node = KnnQuery{.field = field, .vector = vector_of(31), .k = 10}});
  REQUIRE(found.hits.size() == 10);
  for (std::size_t i = 0; i < 10; ++i)
    CHECK(static_cast<double>(found.hits[i].score) == doctest::Approx(all[i]).epsilon(1e-5));
}

void check_answers(Fixture& fixture, Index& index) {
  CHECK(fixture.search(index, Query{}).total == document_count - document_count / 10);
  CHECK(fixture.ids(index, match("body", "word17")) == std::vector<std::string>{"d17"});
  CHECK(fixture.ids(index, match("body", "word13")).empty());
  CHECK(fixture.search(index, term("tag", "t1")).total == 24);
  CHECK(fixture.ids(index, term("n", 42)) == std::vector<std::string>{"d42"});
  CHECK(fixture.ids(index, term("x", 42.5)) == std::vector<std::string>{"d42"});
  SparseQuery sparse{.field = "weights", .weights = {{"a", 1.0f}}};
  CHECK(fixture.ids(index, {.node = sparse}).front() == "d119");
  sparse.field = "t";
  sparse.weights = {{"w2", 1.0f}};
  CHECK(fixture.search(index, {.node = sparse}).total == 24);
  const auto query = vector_of(31);
  check_nearest(fixture, index, "v",
                [&](int i) { return 1 / (1 + squared_distance(query, vector_of(i))); });
  check_nearest(fixture, index, "c", [&](int i) { return (1 + cosine(query, vector_of(i))) / 2; });
  check_nearest(fixture, index, "b",
                [&](int i) { return 0.5 + dot(query, vector_of(i)) / (32768 * 8); });
  check_nearest(fixture, index, "s", [&](int i) {
    return (1 + std::max(cosine(query, vector_of(i)), cosine(query, vector_of(i + 50)))) / 2;
  });
}

std::unique_ptr<store::Store> kept_objects(const char* file) {
  const auto bytes = os::read_file(os::system_files(), file, 1 << 20);
  REQUIRE(bytes.ok());
  auto out = store::memory_store();
  ByteReader in(*bytes);
  while (!in.at_end()) {
    const auto key = in.string();
    const auto object = in.string();
    REQUIRE(object.has_value());
    REQUIRE(out->put(*key, *object, os::Deadline::in_ms(60'000)).ok());
  }
  return out;
}

// The program that had a format last writes its file: with CAIRN_KEEP_FORMAT=FILE or the like.
void keep(Fixture& fixture, const char* file) {
  if (file == nullptr) return;
  std::string bytes;
  REQUIRE(store::for_each_object(fixture.store(), "", fixture.soon(),
                                 [&](const store::ObjectInfo& info) -> Status {
                                   CAIRN_TRY(const auto object,
                                             fixture.store().get(info.key, fixture.soon()));
                                   put_string(bytes, info.key);
                                   put_string(bytes, object.bytes);
                                   return ok_status();
                                 })
              .ok());
  std::FILE* out = std::fopen(file, "wb");
  REQUIRE(out != nullptr);
  CHECK(std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size());
  CHECK(std::fclose(out) == 0);
}

TEST_CASE("old format: segments of version 1 open, answer and merge") {
  const Fixture others;  // so that this one makes other names than the file has
  Fixture fixture(Fixture::quiet_options(), kept_objects(kept_file));
  auto index = *fixture.indices().find("old");
  check_answers(fixture, *index);
  CHECK(fixture.ids(*index, term("n", 13)).empty());
  // Beside a segment of today's version, and merged with it.
  fixture.put(*index, "new", R"({"body": "new", "n": 1000})");
  REQUIRE(index->flush(fixture.soon()).ok());
  CHECK(fixture.ids(*index, term("n", 1000)) == std::vector<std::string>{"new"});
  fixture.remove(*index, "new");
  REQUIRE(index->refresh(fixture.soon()).ok());
  check_answers(fixture, *index);
  const auto merged = index->force_merge(1, fixture.soon());
  INFO((merged.ok() ? std::string() : merged.error().message));
  REQUIRE(merged.ok());
  check_answers(fixture, *index);
  fixture.reopen();
  check_answers(fixture, **fixture.indices().find("old"));
}

TEST_CASE("old format: what the file was made of answers alike today") {
  Fixture fixture;
  write_index(fixture);
  check_answers(fixture, **fixture.indices().find("old"));
  keep(fixture, std::getenv("CAIRN_KEEP_FORMAT"));
}

constexpr int row_count = 1100;  // enough for an index of them
constexpr int rare = 50;         // one of so many has the tag that few have

// Bytes that are as good as random.
std::vector<float> row_of(int i) {
  std::vector<float> out;
  std::uint32_t state = static_cast<std::uint32_t>(i) * 2654435761u + 12345;
  for (int d = 0; d < 8; ++d) {
    state = state * 1664525u + 1013904223u;
    out.push_back(static_cast<float>(static_cast<int>(state >> 24) % 100 - 50));
  }
  return out;
}

void write_rows(Fixture& fixture) {
  auto index = fixture.create("rows", R"({"properties": {"tag": {"type": "keyword"},
    "v": {"type": "dense_vector", "dims": 8, "similarity": "l2_norm", "element_type": "byte"}}})");
  std::vector<WriteOperation> batch;
  for (int i = 0; i < row_count; ++i) {
    WriteOperation one;
    one.id = "r" + std::to_string(i);
    one.source = R"({"tag": ")" +
                 std::string(i % rare == 0 ? "rare"
                             : i % 2 == 0  ? "even"
                                           : "odd") +
                 R"(", "v": )" + Json::array_of(row_of(i)).dump() + "}";
    batch.push_back(std::move(one));
  }
  REQUIRE(index->write(batch, fixture.soon()).ok());
  REQUIRE(index->flush(fixture.soon()).ok());
}

// The ten nearest of those that few have are all of them looked at.
void check_rows(Fixture& fixture, Index& index) {
  for (const int wanted : {7, 400, 1093}) {
    std::vector<double> all;
    for (int i = 0; i < row_count; i += rare)
      all.push_back(1 / (1 + squared_distance(row_of(wanted), row_of(i))));
    std::sort(all.rbegin(), all.rend());
    KnnQuery query{.field = "v", .vector = row_of(wanted), .k = 10};
    query.filter.push_back(term("tag", "rare"));
    const TopDocs found = fixture.search(index, {.node = query});
    REQUIRE(found.hits.size() == 10);
    for (std::size_t i = 0; i < 10; ++i)
      CHECK(static_cast<double>(found.hits[i].score) == doctest::Approx(all[i]).epsilon(1e-5));
    const TopDocs open =
        fixture.search(index, {.node = KnnQuery{.field = "v", .vector = row_of(wanted), .k = 5}});
    REQUIRE(open.hits.size() == 5);
    CHECK(open.hits.front().score == 1.0f);  // itself
  }
}

TEST_CASE("old format: an index of vectors without coarse codes opens, answers and merges") {
  const Fixture others;
  Fixture fixture(Fixture::quiet_options(), kept_objects(kept_vectors));
  auto index = *fixture.indices().find("rows");
  check_rows(fixture, *index);
  fixture.put(*index, "new", R"({"tag": "odd", "v": [1, 2, 3, 4, 5, 6, 7, 8]})");
  fixture.remove(*index, "new");
  REQUIRE(index->force_merge(1, fixture.soon()).ok());
  check_rows(fixture, *index);
  fixture.reopen();
  check_rows(fixture, **fixture.indices().find("rows"));
}

TEST_CASE("old format: what the file of vectors was made of answers alike today") {
  Fixture fixture;
  write_rows(fixture);
  check_rows(fixture, **fixture.indices().find("rows"));
  keep(fixture, std::getenv("CAIRN_KEEP_VECTORS"));
}

}  // namespace
}  // namespace cairn::index::old_format_test
