// SPDX-License-Identifier: Apache-2.0
// A hundred thousand documents through one index: written by several threads with the background at
// work, searched, and opened again. Answers are counted by the generator.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

#include "index/indices.h"
#include "os/cpu.h"
#include "store/memory_store.h"

namespace cairn::index {
namespace {

constexpr int documents = 100'000;
constexpr int batch_size = 500;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Words of a Zipf-like vocabulary; document n always has the same.
std::string document(int n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::string text;
  for (int i = 0; i < 60; ++i) {
    const double u = static_cast<double>(random() % 1'000'000 + 1) / 1'000'001.0;
    text += "w" + std::to_string(static_cast<int>(1.0 / u) % 50'000) + " ";
  }
  return R"({"body": ")" + text + R"(", "n": )" + std::to_string(n) + R"(, "tag": "t)" +
         std::to_string(n % 10) + R"("})";
}

std::uint64_t count(Index& index, const Query& query) {
  const auto n = index.view()->count(query, os::Deadline::in_ms(60'000));
  REQUIRE(n.ok());
  return *n;
}

Query term(std::string field, Json value) {
  return {.node = TermQuery{.field = std::move(field), .value = std::move(value)}};
}

void check_answers(Index& index) {
  const auto deadline = os::Deadline::in_ms(60'000);
  REQUIRE(index.refresh(deadline).ok());
  const auto view = index.view();
  CHECK(view->document_count() == documents);
  CHECK(count(index, term("tag", "t3")) == documents / 10);
  RangeQuery range{.field = "n"};
  range.gte = 500;
  range.lt = 700;
  CHECK(count(index, {.node = range}) == 200);
  MatchQuery words{.field = "body", .value = "w1 w7 w400"};
  const auto start = std::chrono::steady_clock::now();
  int runs = 0;
  for (; runs < 200; ++runs) {
    words.value = "w" + std::to_string(runs % 9) + " w" + std::to_string(50 + runs);
    const auto found = view->search({.node = words}, {}, deadline);
    REQUIRE(found.ok());
    CHECK(found->hits.size() == 10);
    const auto whole =
        runs % 40 == 0 ? view->search({.node = words}, {.track_total_hits = UINT64_MAX}, deadline)
                       : found;
    REQUIRE(whole.ok());
    for (std::size_t i = 0; i < 10; ++i) CHECK(whole->hits[i].score == found->hits[i].score);
  }
  std::printf("  %d searches in %.2f s, %zu segments\n", runs, seconds_since(start),
              view->segment_count());
  for (const int n : {0, 12'345, documents - 1}) {
    const auto one = index.get(std::to_string(n), deadline);
    REQUIRE(one.ok());
    REQUIRE(one->has_value());
    CHECK((*one)->source == document(n));
  }
}

TEST_CASE("scale: 100,000 documents load, search and survive a restart") {
  const auto store = store::memory_store();
  os::Pool pool({.name = "test"});
  const auto deadline = os::Deadline::in_ms(600'000);
  const auto open = [&] {
    auto opened = Indices::open(*store, pool, os::system_clock(), os::system_random(), {},
                                os::Deadline::in_ms(600'000));
    INFO((opened.ok() ? std::string() : opened.error().message));
    REQUIRE(opened.ok());
    return std::move(*opened);
  };
  auto start = std::chrono::steady_clock::now();
  {
    const auto indices = open();
    const auto index = indices->create("big", Json(), Json(), deadline);
    REQUIRE(index.ok());
    std::vector<std::jthread> writers;
    constexpr int threads = 2;
    for (int t = 0; t < threads; ++t)
      writers.emplace_back([&, t] {
        std::vector<WriteOperation> batch;
        for (int n = t; n < documents; n += threads) {
          batch.push_back({});
          batch.back().id = std::to_string(n);
          batch.back().source = document(n);
          if (batch.size() < batch_size && n + threads < documents) continue;
          const auto results = (*index)->write(batch, deadline);
          CHECK(results.ok());
          batch.clear();
        }
      });
    writers.clear();
    std::printf("  loaded in %.2f s\n", seconds_since(start));
    check_answers(**index);
  }
  start = std::chrono::steady_clock::now();
  const auto indices = open();
  std::printf("  opened again in %.2f s, resident %zu MiB\n", seconds_since(start),
              os::resident_bytes() >> 20);
  const auto index = indices->find("big");
  REQUIRE(index.ok());
  check_answers(**index);
  start = std::chrono::steady_clock::now();
  REQUIRE((*index)->force_merge(1, deadline).ok());
  const auto statistics = (*index)->statistics();
  std::printf("  merged in %.2f s: %llu MiB stored, %llu KiB of it in memory\n",
              seconds_since(start), static_cast<unsigned long long>(statistics.size_bytes >> 20),
              static_cast<unsigned long long>(statistics.memory_bytes >> 10));
  check_answers(**index);
}

}  // namespace
}  // namespace cairn::index
