// SPDX-License-Identifier: Apache-2.0
// What the tests of this room share: an index room over a store in memory, and short queries.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "index/indices.h"
#include "os/threads/compute_pool.h"
#include "store/memory_store.h"

namespace cairn::index {

/// A catalogue over a store in memory with a clock that stands still.
class Fixture {
 public:
  explicit Fixture(Options options = quiet_options(), std::unique_ptr<store::Store> store = nullptr)
      : store_(store != nullptr ? std::move(store) : store::memory_store()),
        random_(os::seeded_random(next_seed())),
        options_(options) {
    reopen();
  }
  /// Where CAIRN_SHARE_SEARCHES is set, every search is parted among threads, however small.
  static Options quiet_options() {
    Options out;
    out.background = false;
    return std::getenv("CAIRN_SHARE_SEARCHES") == nullptr ? out : shared(out);
  }
  static Options shared(Options out) {
    static os::ComputePool threads({.slots = 3});
    out.compute = &threads;
    out.shared_work_min = 1;
    return out;
  }

  os::Deadline soon() const { return os::Deadline::in_ms(60'000); }
  store::Store& store() { return *store_; }
  os::FakeClock& clock() { return clock_; }
  Indices& indices() { return *indices_; }

  Indices* reopen() {
    indices_.reset();
    auto opened = Indices::open(*store_, pool_, clock_, *random_, options_, soon());
    INFO((opened.ok() ? std::string() : opened.error().message));
    REQUIRE(opened.ok());
    indices_ = std::move(*opened);
    return indices_.get();
  }

  std::shared_ptr<Index> create(std::string_view name, const char* mappings = "null",
                                const char* settings = "null") {
    auto made = indices_->create(name, json(mappings), json(settings), soon());
    INFO((made.ok() ? std::string() : made.error().message));
    REQUIRE(made.ok());
    return *made;
  }

  static Json json(std::string_view text) {
    auto parsed = parse_json(text);
    REQUIRE(parsed.ok());
    return *parsed;
  }

  WriteResult write(Index& index, const WriteOperation& operation) {
    auto results = index.write({&operation, 1}, soon());
    INFO((results.ok() ? std::string() : results.error().message));
    REQUIRE(results.ok());
    REQUIRE(results->size() == 1);
    return results->front();
  }
  WriteResult put(Index& index, std::string id, std::string source) {
    WriteOperation operation;
    operation.id = std::move(id);
    operation.source = std::move(source);
    WriteResult result = write(index, operation);
    INFO((result.error ? result.error->message : std::string()));
    REQUIRE(!result.error);
    return result;
  }
  WriteResult remove(Index& index, std::string id) {
    WriteOperation operation;
    operation.kind = WriteOperation::Kind::remove;
    operation.id = std::move(id);
    return write(index, operation);
  }

  TopDocs search(Index& index, const Query& query, const SearchParams& params = {}) {
    auto found = index.view()->search(query, params, soon());
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    return std::move(*found);
  }
  /// Ids in the order of the hits.
  std::vector<std::string> ids(Index& index, const Query& query, const SearchParams& params = {}) {
    const auto view = index.view();
    auto found = view->search(query, params, soon());
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    std::vector<std::string> out;
    for (const Hit& hit : found->hits) {
      auto id = view->id(hit.doc, soon());
      REQUIRE(id.ok());
      out.push_back(*id);
    }
    return out;
  }

 private:
  // Two houses of one test make different ids.
  static std::uint64_t next_seed() {
    static std::uint64_t seed = 17;
    return seed++;
  }
  std::unique_ptr<store::Store> store_;
  os::FakeClock clock_;
  std::unique_ptr<os::Random> random_;
  Options options_;
  os::Pool pool_{{.name = "test", .threads = 1}};
  std::unique_ptr<Indices> indices_;
};

inline Query match(std::string field, std::string text) {
  MatchQuery q;
  q.field = std::move(field);
  q.value = std::move(text);
  return {.node = std::move(q)};
}
inline Query term(std::string field, Json value) {
  return {.node = TermQuery{.field = std::move(field), .value = std::move(value)}};
}

}  // namespace cairn::index
