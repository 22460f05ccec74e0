// SPDX-License-Identifier: Apache-2.0
// A document that is read while it is overwritten is there at every moment.
#include <doctest/doctest.h>

#include <functional>

#include "index/testing.h"

namespace cairn::index::get_test {
namespace {

/// Calls somebody before each read, who may do anything to the index meanwhile.
class HookedStore final : public store::Store {
 public:
  std::function<void()> before_get;

  Result<store::Object> get(std::string_view key, const os::Deadline& deadline,
                            store::Range range) override {
    if (before_get) std::exchange(before_get, nullptr)();
    return inside_->get(key, deadline, range);
  }
  Result<std::optional<store::ObjectInfo>> head(std::string_view key,
                                                const os::Deadline& deadline) override {
    return inside_->head(key, deadline);
  }
  Result<store::ObjectInfo> put(std::string_view key, std::string_view bytes,
                                const os::Deadline& deadline,
                                const store::Condition& condition) override {
    return inside_->put(key, bytes, deadline, condition);
  }
  Result<std::unique_ptr<store::Upload>> begin_upload(std::string_view key,
                                                      const os::Deadline& deadline) override {
    return inside_->begin_upload(key, deadline);
  }
  Result<store::ListPage> list(const store::ListParams& params,
                               const os::Deadline& deadline) override {
    return inside_->list(params, deadline);
  }
  Result<bool> remove(std::string_view key, const os::Deadline& deadline,
                      const store::Condition& condition) override {
    return inside_->remove(key, deadline, condition);
  }
  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline& deadline) override {
    return inside_->remove_batch(keys, deadline);
  }
  Result<store::ObjectInfo> copy(std::string_view from, std::string_view to,
                                 const os::Deadline& deadline,
                                 const store::Condition& condition) override {
    return inside_->copy(from, to, deadline, condition);
  }

 private:
  std::unique_ptr<store::Store> inside_ = store::memory_store();
};

/// An index whose document "x" is read from the store anew, and what happens during that read.
struct Overwritten {
  Overwritten() {
    auto made = std::make_unique<HookedStore>();
    store = made.get();
    fixture.emplace(Fixture::quiet_options(), std::move(made));
    fixture->create("i");
    fixture->put(current(), "x", R"({"n":1})");
    REQUIRE(current().flush(fixture->soon()).ok());
    fixture->reopen();
    index = *fixture->indices().find("i");
  }
  Index& current() {
    index = *fixture->indices().find("i");
    return *index;
  }
  std::optional<StoredDocument> get_while(std::function<void(Index&)> act) {
    bool acted = false;
    store->before_get = [&] {
      acted = true;
      act(*index);
    };
    auto found = index->get("x", fixture->soon());
    REQUIRE(found.ok());
    CHECK(acted);
    return std::move(*found);
  }
  HookedStore* store = nullptr;
  std::optional<Fixture> fixture;
  std::shared_ptr<Index> index;
};

TEST_CASE("get: a document that is overwritten meanwhile is found") {
  Overwritten world;
  const auto found =
      world.get_while([&](Index& index) { world.fixture->put(index, "x", R"({"n":2})"); });
  REQUIRE(found);
  CHECK(found->version == 2);
  CHECK(found->source == R"({"n":2})");
}

TEST_CASE("get: a document that is overwritten and refreshed meanwhile is found") {
  Overwritten world;
  const auto found = world.get_while([&](Index& index) {
    world.fixture->put(index, "x", R"({"n":2})");
    REQUIRE(index.refresh(world.fixture->soon()).ok());
  });
  REQUIRE(found);
  CHECK(found->version == 2);
}

TEST_CASE("get: a document that is overwritten, refreshed and merged meanwhile is found") {
  Overwritten world;
  const auto found = world.get_while([&](Index& index) {
    world.fixture->put(index, "x", R"({"n":2})");
    world.fixture->put(index, "y", R"({"n":2})");
    REQUIRE(index.force_merge(1, world.fixture->soon()).ok());
    world.fixture->put(index, "x", R"({"n":3})");
    REQUIRE(index.force_merge(1, world.fixture->soon()).ok());
  });
  REQUIRE(found);
  CHECK(found->version == 3);
}

TEST_CASE("get: a document that is deleted meanwhile is not found") {
  Overwritten world;
  CHECK(!world.get_while([&](Index& index) { world.fixture->remove(index, "x"); }));
}

TEST_CASE("ignored: a document says which of its fields were left out, wherever it is") {
  Fixture fixture;
  auto index = fixture.create("i", R"({"properties":{"n":{"type":"long","ignore_malformed":true},)"
                                   R"("k":{"type":"keyword","ignore_above":3}}})");
  fixture.put(*index, "1", R"({"n":"many","k":"long"})");
  fixture.put(*index, "2", R"({"n":["1","x"],"k":"a"})");
  fixture.put(*index, "3", R"({"n":3,"k":"b"})");
  const auto check = [&] {
    const auto ignored = [&](const char* id) {
      const auto found = index->get(id, fixture.soon());
      REQUIRE(found.ok());
      REQUIRE(found->has_value());
      return (*found)->ignored;
    };
    CHECK(ignored("1") == std::vector<std::string>{"k", "n"});
    CHECK(ignored("2") == std::vector<std::string>{"n"});
    CHECK(ignored("3").empty());
  };
  const auto check_searches = [&] {
    check();
    CHECK(fixture.ids(*index, term("_ignored", "k")) == std::vector<std::string>{"1"});
    CHECK(fixture.ids(*index, {.node = ExistsQuery{.field = "_ignored"}}) ==
          std::vector<std::string>{"1", "2"});
    CHECK(fixture.ids(*index, {.node = ExistsQuery{.field = "n"}}) ==
          std::vector<std::string>{"2", "3"});
  };
  check();
  REQUIRE(index->refresh(fixture.soon()).ok());
  check_searches();
  index = *fixture.reopen()->find("i");
  REQUIRE(index->refresh(fixture.soon()).ok());
  check_searches();
  REQUIRE(index->flush(fixture.soon()).ok());
  fixture.put(*index, "4", R"({"k":"c"})");
  REQUIRE(index->force_merge(1, fixture.soon()).ok());
  check_searches();
}

TEST_CASE("routing: a document keeps what it was written with, wherever it is") {
  Fixture fixture;
  auto index = fixture.create("i");
  const auto put = [&](const char* id, const char* routing) {
    CHECK(!fixture.write(*index, {.id = id, .source = R"({"n":1})", .routing = routing}).error);
  };
  put("1", "east");
  put("2", "");
  put("3", "west");
  put("3", "");  // the newest write counts
  put("4", "north");
  const auto check = [&] {
    const auto routing = [&](const char* id) {
      const auto found = index->get(id, fixture.soon());
      REQUIRE(found.ok());
      REQUIRE(found->has_value());
      return (*found)->routing;
    };
    CHECK(routing("1") == "east");
    CHECK(routing("2").empty());
    CHECK(routing("3").empty());
    CHECK(routing("4") == "north");
  };
  const auto check_searches = [&] {
    check();
    CHECK(fixture.ids(*index, term("_routing", "east")) == std::vector<std::string>{"1"});
    CHECK(fixture.ids(*index, {.node = ExistsQuery{.field = "_routing"}}) ==
          std::vector<std::string>{"1", "4"});
  };
  check();
  index = *fixture.reopen()->find("i");  // from the log
  check();
  REQUIRE(index->refresh(fixture.soon()).ok());
  check_searches();
  REQUIRE(index->flush(fixture.soon()).ok());
  index = *fixture.reopen()->find("i");  // from a stored segment
  check_searches();
  put("5", "");
  REQUIRE(index->force_merge(1, fixture.soon()).ok());
  check_searches();
}

TEST_CASE("routing: a mapping that requires it refuses writes without, and keeps its word") {
  Fixture fixture;
  auto index = fixture.create("i", R"({"_routing":{"required":true}})");
  const auto refused = [&](const WriteOperation& operation) {
    const auto result = fixture.write(*index, operation);
    REQUIRE(result.error);
    CHECK(result.error->code == "routing_missing_exception");
    return result.error->message;
  };
  for (int round = 0; round < 2; ++round) {
    CHECK(refused({.id = "1", .source = "{}"}) == "routing is required for [i]/[1]");
    CHECK(refused({.source = "{}"}) == "routing is required for [i]/[null]");
    CHECK(refused({.kind = WriteOperation::Kind::remove, .id = "1"}) ==
          "routing is required for [i]/[1]");
    CHECK(!index->check_routing("1", "").ok());
    CHECK(index->check_routing("1", "a").ok());
    CHECK(!fixture.write(*index, {.id = "1", .source = "{}", .routing = "a"}).error);
    index = *fixture.reopen()->find("i");
  }
  const auto change = [&](const char* mapping) {
    return index->put_mapping(Fixture::json(mapping), fixture.soon());
  };
  CHECK(change(R"({"_routing":{"required":true}})").ok());
  const auto other = change(R"({"_routing":{"required":false}})");
  REQUIRE(!other.ok());
  CHECK(other.error().message ==
        "Mapper for [_routing] conflicts with existing mapper:\n\tCannot update parameter "
        "[required] from [true] to [false]");
  CHECK(!change(R"({"_routing":{"path":"n"}})").ok());
}

TEST_CASE("routing: one that is too long to be a term is refused") {
  Fixture fixture;
  auto index = fixture.create("i");
  const auto result = fixture.write(
      *index, {.id = "1", .source = "{}", .routing = std::string(40'000, 'r')});
  REQUIRE(result.error);
  CHECK(result.error->code == "illegal_argument_exception");
}

}  // namespace
}  // namespace cairn::index::get_test
