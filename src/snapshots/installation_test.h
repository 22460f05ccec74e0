// SPDX-License-Identifier: Apache-2.0
// Installations over one repository in memory, with delays and faults on request: what the tests of
// snapshots share.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "os/threads/pool.h"
#include "snapshots/layout.h"
#include "snapshots/service.h"
#include "store/memory_store.h"

namespace cairn::snapshots::installation {

/// Several openings of one place.
class Shared final : public store::Store {
 public:
  explicit Shared(store::Store& inner) : inner_(inner) {}
  Result<store::Object> get(std::string_view key, const os::Deadline& d, store::Range r) override {
    return inner_.get(key, d, r);
  }
  Result<std::optional<store::ObjectInfo>> head(std::string_view key,
                                                const os::Deadline& d) override {
    return inner_.head(key, d);
  }
  Result<store::ObjectInfo> put(std::string_view key, std::string_view bytes, const os::Deadline& d,
                                const store::Condition& c) override {
    return inner_.put(key, bytes, d, c);
  }
  Result<std::unique_ptr<store::Upload>> begin_upload(std::string_view key,
                                                      const os::Deadline& d) override {
    return inner_.begin_upload(key, d);
  }
  Result<store::ListPage> list(const store::ListParams& p, const os::Deadline& d) override {
    return inner_.list(p, d);
  }
  Result<bool> remove(std::string_view key, const os::Deadline& d,
                      const store::Condition& c) override {
    return inner_.remove(key, d, c);
  }
  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline& d) override {
    return inner_.remove_batch(keys, d);
  }
  Result<store::ObjectInfo> copy(std::string_view from, std::string_view to, const os::Deadline& d,
                                 const store::Condition& c) override {
    return inner_.copy(from, to, d, c);
  }

 private:
  store::Store& inner_;
};

/// An installation: indices and a service over a repository that outlives it.
struct Fixture {
  std::unique_ptr<store::Store> records = store::memory_store();
  os::Pool pool{{.name = "test", .threads = 2, .queue = 64}};
  std::unique_ptr<os::Random> random;
  std::unique_ptr<index::Indices> indices;
  std::unique_ptr<Service> service;
  os::Deadline deadline = os::Deadline::in_ms(60'000);

  explicit Fixture(store::Store& place, const std::string& owner = "here", std::uint64_t seed = 1,
                   const index::Options& index_options = {}, Options options = {},
                   const os::Clock& clock = os::system_clock())
      : random(os::seeded_random(seed)) {
    auto opened =
        index::Indices::open(*records, pool, os::system_clock(), *random, index_options, deadline);
    REQUIRE(opened.ok());
    indices = *std::move(opened);
    options.owner = owner;
    service = std::make_unique<Service>(
        *records, *indices,
        [&place](const RepositorySettings& settings,
                 PlaceIs) -> Result<std::unique_ptr<store::Store>> {
          if (settings.type != "fs")
            return Error{.kind = ErrorKind::invalid_argument,
                         .code = "repository_exception",
                         .message = "repository type [" + settings.type + "] does not exist"};
          return std::unique_ptr<store::Store>(std::make_unique<Shared>(place));
        },
        options, clock, *random);
    REQUIRE(service->put_repository({.name = "repo", .type = "fs"}, true, deadline).ok());
  }
  ~Fixture() { service.reset(); }

  void fill(const std::string& index, int from, int to) {
    auto found = indices->find(index);
    if (!found.ok()) found = indices->create(index, nullptr, nullptr, deadline);
    REQUIRE(found.ok());
    std::vector<index::WriteOperation> operations;
    for (int i = from; i < to; ++i)
      operations.push_back({.id = "d" + std::to_string(i),
                            .source = "{\"n\":" + std::to_string(i) + ",\"t\":\"word" +
                                      std::to_string(i) + " common\"}"});
    REQUIRE((*found)->write(operations, deadline).ok());
  }
  std::uint64_t count(const std::string& index) {
    const auto found = indices->find(index);
    REQUIRE(found.ok());
    REQUIRE((*found)->refresh(deadline).ok());
    return (*found)->view()->document_count();
  }
  SnapshotRecord snapshot(const std::string& name, const std::string& what = "") {
    const auto made =
        service->create({.repository = "repo", .snapshot = name, .indices = what}, true, deadline);
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? std::string() : made.error().message));
    REQUIRE(made->has_value());
    return **made;
  }
  CleanupResult cleanup(CleanupWaits waits = {}) {
    const auto result = service->cleanup("repo", waits);
    REQUIRE_MESSAGE(result.ok(), (result.ok() ? std::string() : result.error().message));
    return *result;
  }
};

inline std::set<std::string> keys_of(store::Store& place) {
  std::set<std::string> out;
  REQUIRE(store::for_each_object(place, "", os::Deadline::in_ms(10'000),
                                 [&](const store::ObjectInfo& info) -> Status {
                                   out.insert(info.key);
                                   return ok_status();
                                 })
              .ok());
  return out;
}

inline std::size_t data_blobs(store::Store& place) {
  std::size_t count = 0;
  for (const auto& key : keys_of(place))
    count += layout::parse_key(key).kind == layout::Blob::Kind::data;
  return count;
}

}  // namespace cairn::snapshots::installation
