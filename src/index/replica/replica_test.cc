// SPDX-License-Identifier: Apache-2.0
#include "index/replica/replica.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "index/faulty_store.h"
#include "index/testing.h"

namespace cairn::index::replica_test {
namespace {

Options often() {
  Options out = Fixture::quiet_options();
  out.flush_log_objects = 6;
  out.merge_factor = 2;
  out.segment_bytes_floor = 1;
  return out;
}

/// One that reads, beside an owner that writes.
struct Reader {
  Reader(store::Store& store, os::FakeClock& given_clock, Options options = often())
      : clock(given_clock) {
    auto opened = Replica::open(store, pool, clock, *random, options, os::Deadline::in_ms(60'000));
    INFO((opened.ok() ? std::string() : opened.error().message));
    REQUIRE(opened.ok());
    replica = std::move(*opened);
  }
  Status follow_all() {
    const auto all = [](const Indices& indices) {
      std::vector<std::string> names;
      for (const auto& index : indices.all()) names.push_back(index->name());
      return names;
    };
    return replica->catch_up(all, os::Deadline::in_ms(60'000));
  }
  void follow() {
    const Status done = follow_all();
    INFO((done.ok() ? std::string() : done.error().message));
    REQUIRE(done.ok());
  }
  void follow_in_background() {
    const Status done = replica->follow(os::Deadline::in_ms(60'000));
    INFO((done.ok() ? std::string() : done.error().message));
    REQUIRE(done.ok());
  }
  Index& index(std::string_view name) {
    const auto found = replica->indices().find(name);
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    kept = *found;
    return *kept;
  }

  os::FakeClock& clock;
  std::unique_ptr<os::Random> random = os::seeded_random(3);
  os::Pool pool{{.name = "reader", .threads = 1}};
  std::unique_ptr<Replica> replica;
  std::shared_ptr<Index> kept;
};

/// All documents that searches find, by id.
std::map<std::string, std::string> found_in(Index& index) {
  std::map<std::string, std::string> out;
  const auto soon = os::Deadline::in_ms(60'000);
  const auto view = index.view();
  const auto found = view->search({}, {.size = 1000}, soon);
  INFO((found.ok() ? std::string() : found.error().message));
  REQUIRE(found.ok());
  for (const Hit& hit : found->hits)
    CHECK(out.emplace(*view->id(hit.doc, soon), *view->source(hit.doc, soon)).second);
  return out;
}

std::string names_of(const Indices& indices) {
  Json::Object out;
  for (const auto& index : indices.all()) {
    std::string aliases;
    for (const auto& [alias, member] : indices.aliases()->of_index(index->name()))
      aliases += alias + " ";
    out.emplace_back(index->name() + "/" + index->uuid(),
                     (index->closed() ? "closed " : "open ") + aliases);
  }
  return Json(std::move(out)).dump();
}

/// Whether the reader has what the owner has: names, definitions and documents.
void check_same(Indices& owner, Reader& reader) {
  Indices& there = reader.replica->indices();
  CHECK(names_of(there) == names_of(owner));
  const auto soon = os::Deadline::in_ms(60'000);
  for (const auto& index : owner.all()) {
    Index& copy = reader.index(index->name());
    CHECK(copy.mapping()->to_json().dump() == index->mapping()->to_json().dump());
    CHECK(copy.settings().dump() == index->settings().dump());
    if (index->closed()) {
      CHECK(copy.get("0", soon).error().code == "index_closed_exception");
      continue;
    }
    REQUIRE(index->refresh(soon).ok());
    CHECK(found_in(copy) == found_in(*index));
    for (int id = 0; id < 12; ++id) {
      const auto want = index->get(std::to_string(id), soon);
      const auto have = copy.get(std::to_string(id), soon);
      REQUIRE(want.ok());
      REQUIRE(have.ok());
      REQUIRE(have->has_value() == want->has_value());
      if (!want->has_value()) continue;
      CHECK((*have)->version == (*want)->version);
      CHECK((*have)->seq_no == (*want)->seq_no);
      CHECK((*have)->source == (*want)->source);
    }
  }
}

/// Changes of all kinds, by chance.
class Changes {
 public:
  Changes(Fixture& house, std::uint64_t seed) : house_(house), dice_(seed) {}

  void one() {
    const std::string name = "i" + std::to_string(below(3));
    const auto found = house_.indices().find(name);
    const std::uint64_t what = below(100);
    if (what < 2) {
      house_.reopen();
    } else if (!found.ok()) {
      house_.create(name, R"({"properties":{"n":{"type":"long"}}})");
    } else if ((*found)->closed()) {
      if (what < 50) REQUIRE(house_.indices().reopen({name}, house_.soon()).ok());
    } else {
      change(**found, what);
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return dice_() % n; }

  void change(Index& index, std::uint64_t what) {
    const std::string name = index.name(), id = std::to_string(below(12));
    const auto soon = house_.soon();
    if (what < 60) {
      house_.put(index, id, R"({"n":)" + std::to_string(++count_) + "}");
    } else if (what < 75) {
      (void)house_.remove(index, id);
    } else if (what < 80) {
      REQUIRE(index.refresh(soon).ok());
    } else if (what < 85) {
      REQUIRE(index.flush(soon).ok());
    } else if (what < 90) {
      house_.clock().advance_ms(5'000);
      REQUIRE(index.maintain(soon).ok());
    } else if (what < 92) {
      REQUIRE(index.force_merge(1, soon).ok());
    } else if (what < 94) {
      const std::string field = "f" + std::to_string(below(8));
      REQUIRE(
          index
              .put_mapping(
                  Fixture::json(R"({"properties":{")" + field + R"(":{"type":"keyword"}}})"), soon)
              .ok());
    } else if (what < 95) {
      REQUIRE(index
                  .put_settings(Fixture::json(R"({"max_terms_count":)" +
                                              std::to_string(100 + below(9)) + "}"),
                                soon)
                  .ok());
    } else if (what < 96) {
      REQUIRE(house_.indices().close({name}, soon).ok());
    } else if (what < 97) {
      REQUIRE(house_.indices().remove(name, soon).ok());
    } else {
      const AliasChange change{
          .kind = below(2) == 0 ? AliasChange::Kind::add : AliasChange::Kind::remove,
          .index = name,
          .alias = "a"};
      (void)house_.indices().change_aliases({&change, 1}, soon).ok();  // none to remove
    }
  }

  Fixture& house_;
  std::mt19937_64 dice_;
  int count_ = 0;
};

}  // namespace

TEST_CASE("replica: what the owner acknowledged is found, refreshed there or not") {
  Fixture house(often());
  auto index = house.create("books", R"({"properties":{"n":{"type":"long"}}})");
  Reader reader(house.store(), house.clock());
  house.put(*index, "1", R"({"n":1})");
  CHECK(found_in(reader.index("books")).empty());
  reader.follow();
  CHECK(found_in(reader.index("books")).at("1") == R"({"n":1})");
  house.put(*index, "1", R"({"n":2})");
  (void)house.remove(*index, "2");
  reader.follow();
  CHECK(found_in(reader.index("books")).at("1") == R"({"n":2})");
  REQUIRE(index->flush(house.soon()).ok());
  house.put(*index, "3", R"({"n":3})");
  reader.follow();
  CHECK(found_in(reader.index("books")).size() == 2);
  check_same(house.indices(), reader);
}

TEST_CASE("replica: it changes nothing, and says so") {
  Fixture house(often());
  auto index = house.create("i");
  house.put(*index, "1", "{}");
  Reader reader(house.store(), house.clock());
  const auto soon = house.soon();
  const auto before = house.store().list({}, soon);
  const WriteOperation write{.id = "2", .source = "{}"};
  CHECK(reader.index("i").write({&write, 1}, soon)->front().error->code ==
        "cluster_block_exception");
  CHECK(!reader.index("i").flush(soon).ok());
  CHECK(!reader.replica->indices().create("j", {}, {}, soon).ok());
  CHECK(!reader.replica->indices().remove("i", soon).ok());
  CHECK(!reader.replica->indices().close({"i"}, soon).ok());
  const auto after = house.store().list({}, soon);
  REQUIRE(after->objects.size() == before->objects.size());
  for (std::size_t i = 0; i < after->objects.size(); ++i)
    CHECK(after->objects[i].etag == before->objects[i].etag);
  house.put(*index, "2", "{}");
  reader.follow();
  CHECK(found_in(reader.index("i")).size() == 2);
}

TEST_CASE("replica: an owner that takes over is followed, and one that lost it is not") {
  Fixture house(often());
  auto index = house.create("i");
  house.put(*index, "1", "{}");
  Reader reader(house.store(), house.clock());
  const auto random = os::seeded_random(99);
  os::Pool pool{{.name = "second", .threads = 1}};
  auto second = Indices::open(house.store(), pool, house.clock(), *random, often(), house.soon());
  REQUIRE(second.ok());
  reader.follow();
  const WriteOperation late{.id = "late", .source = "{}"}, next{.id = "2", .source = "{}"};
  CHECK(!index->write({&late, 1}, house.soon()).ok());
  REQUIRE((*second)->find("i").value()->write({&next, 1}, house.soon()).ok());
  reader.follow();
  const auto found = found_in(reader.index("i"));
  CHECK(found.size() == 2);
  CHECK(!found.contains("late"));
}

TEST_CASE("replica: where the writer tells what is new the store is asked of that alone") {
  Fixture house(often());
  auto index = house.create("i");
  std::atomic<int> calls = 0;
  FaultyStore store(house.store());  // counts
  store.set(SIZE_MAX, FaultyStore::Fault::none, false);
  Reader reader(store, house.clock());
  bool answers = true;
  reader.replica->set_writer([&](const std::string& question, const os::Deadline&) {
    ++calls;
    if (!answers)
      return Result<std::string>(Error{.kind = ErrorKind::unavailable, .message = "no"});
    return house.indices().tell_changes(question);
  });
  const auto asks_store = [&](void (Reader::*follow)()) {
    store.set(0, FaultyStore::Fault::none, false);
    (reader.*follow)();
    return store.reached();
  };
  const auto follow = [&] { return asks_store(&Reader::follow); };
  const auto follow_in_background = [&] { return asks_store(&Reader::follow_in_background); };
  CHECK(follow());
  CHECK_FALSE(follow());
  house.put(*index, "1", "{}");
  CHECK(follow());
  CHECK_FALSE(follow());
  check_same(house.indices(), reader);
  // A refresh and a flush bring nothing new to searches.
  REQUIRE(index->flush(house.soon()).ok());
  CHECK_FALSE(follow());
  CHECK(follow_in_background());
  CHECK_FALSE(follow_in_background());
  check_same(house.indices(), reader);
  house.create("j");
  CHECK(follow());
  CHECK_FALSE(follow());
  check_same(house.indices(), reader);
  // Another writer knows nothing of what the last one told.
  house.reopen();
  CHECK(follow());
  CHECK_FALSE(follow());
  check_same(house.indices(), reader);
  CHECK_FALSE(follow_in_background());
  answers = false;
  CHECK(follow());
  CHECK(follow_in_background());
  CHECK(calls > 8);
}

TEST_CASE("replica: what the writer tells of merges lets go of what they replaced") {
  Options options = often();
  options.keep_replaced_ms = 60'000;
  options.cache_bytes = 1;  // each read asks the store
  Fixture house(options);
  auto index = house.create("i");
  Reader reader(house.store(), house.clock(), options);
  bool answers = true;
  reader.replica->set_writer(
      [&](const std::string& question, const os::Deadline&) -> Result<std::string> {
        if (!answers) return Error{.kind = ErrorKind::unavailable, .message = "no"};
        return house.indices().tell_changes(question);
      });
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    answers = round % 3 != 2;
    for (int i = 0; i < 3; ++i) {
      house.put(*index, std::to_string(i), "{}");
      REQUIRE(index->flush(house.soon()).ok());
    }
    reader.follow_in_background();
    const auto merges = [&] { REQUIRE(index->force_merge(1, house.soon()).ok()); };
    const auto expunges = [&] {
      (void)house.remove(*index, "0");
      REQUIRE(index->expunge_deletes(house.soon()).ok());
    };
    if (round % 2 == 0)
      merges();
    else
      expunges();
    reader.follow_in_background();
    house.clock().advance_ms(61'000);
    REQUIRE(index->maintain(house.soon()).ok());
    CHECK(found_in(reader.index("i")).size() == (round % 2 == 0 ? 3 : 2));
  }
}

TEST_CASE("replica: an index that was damaged is read once it is repaired, though nobody tells") {
  Fixture house(often());
  auto index = house.create("i");
  house.put(*index, "1", "{}");
  REQUIRE(index->flush(house.soon()).ok());
  const std::string current = "index/data/" + index->uuid() + "/CURRENT";
  const std::string bytes = house.store().get(current, house.soon())->bytes;
  REQUIRE(house.store().put(current, "damaged", house.soon()).ok());
  Reader reader(house.store(), house.clock());
  reader.replica->set_writer([&](const std::string& question, const os::Deadline&) {
    return house.indices().tell_changes(question);
  });
  reader.follow_in_background();
  CHECK_FALSE(reader.replica->indices().find("i").ok());
  REQUIRE(house.store().put(current, bytes, house.soon()).ok());
  house.clock().advance_ms(11'000);
  reader.follow_in_background();
  CHECK(found_in(reader.index("i")).size() == 1);
}

TEST_CASE("replica: follows any changes, whatever they are") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Fixture house(often());
    Changes changes(house, seed);
    Reader reader(house.store(), house.clock());
    std::mt19937_64 dice(seed);
    // Now and then it does not answer.
    if (seed % 2 == 0)
      reader.replica->set_writer(
          [&](const std::string& question, const os::Deadline&) -> Result<std::string> {
            if (dice() % 8 == 0) return Error{.kind = ErrorKind::unavailable, .message = "no"};
            return house.indices().tell_changes(question);
          });
    for (int round = 0; round < 20; ++round) {
      for (std::uint64_t left = dice() % 12; left > 0; --left) changes.one();
      if (dice() % 4 == 0)
        reader.follow_in_background();
      else
        reader.follow();
      check_same(house.indices(), reader);
    }
    Reader fresh(house.store(), house.clock());
    check_same(house.indices(), fresh);
  }
}

TEST_CASE("replica: a store that fails at any call leaves it as right as it was") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Fixture house(often());
    Changes changes(house, seed);
    FaultyStore store(house.store());
    store.set(0, FaultyStore::Fault::none, false);
    Reader reader(store, house.clock());
    std::mt19937_64 dice(seed);
    for (int round = 0; round < 20; ++round) {
      for (std::uint64_t left = dice() % 12; left > 0; --left) changes.one();
      for (std::size_t at = dice() % 4;; at += 1 + dice() % 9) {
        store.set(at, FaultyStore::Fault::lost_call, false);
        const Status done = reader.follow_all();
        if (!store.reached()) break;
        if (!done.ok()) CHECK(done.error().kind == ErrorKind::unavailable);
      }
      store.set(0, FaultyStore::Fault::none, false);
      reader.follow();
      check_same(house.indices(), reader);
    }
  }
}

TEST_CASE("replica: what was merged away can be read for as long as it is kept") {
  Options options = often();
  options.keep_replaced_ms = 60'000;
  options.cache_bytes = 1;  // each read asks the store
  Fixture house(options);
  auto index = house.create("i");
  for (int i = 0; i < 3; ++i) {
    house.put(*index, std::to_string(i), "{}");
    REQUIRE(index->flush(house.soon()).ok());
  }
  Reader reader(house.store(), house.clock(), options);
  const auto objects = [&] {
    return house.store()
        .list({.prefix = "index/data/" + index->uuid() + "/seg/"}, house.soon())
        ->objects.size();
  };
  REQUIRE(index->force_merge(1, house.soon()).ok());
  CHECK(objects() == 4);
  CHECK(found_in(reader.index("i")).size() == 3);
  house.clock().advance_ms(61'000);
  REQUIRE(index->maintain(house.soon()).ok());
  CHECK(objects() == 1);
  reader.follow();
  CHECK(found_in(reader.index("i")).size() == 3);
}

TEST_CASE("replica: beside an owner that writes, flushes and merges it misses nothing") {
  Options options = often();
  options.background = true;
  options.flush_log_objects = 3;
  options.keep_replaced_ms = 1'000'000;
  const auto store = store::memory_store();
  const auto random = os::seeded_random(7);
  os::Pool pool{{.name = "owner", .threads = 1}};
  auto owner = Indices::open(*store, pool, os::system_clock(), *random, options,
                             os::Deadline::in_ms(60'000));
  REQUIRE(owner.ok());
  const auto soon = os::Deadline::in_ms(60'000);
  auto index = (*owner)->create("i", {}, {}, soon);
  REQUIRE(index.ok());
  os::FakeClock clock;
  Reader reader(*store, clock, options);

  std::atomic<int> written = 0;
  std::atomic<bool> over = false;
  std::jthread writer([&] {
    for (int i = 0; i < 400 && !over; ++i) {
      const WriteOperation operation{.id = std::to_string(i), .source = "{}"};
      if (!(*index)->write({&operation, 1}, soon).ok()) break;
      written = i + 1;
      if (i % 20 == 19) (void)(*index)->flush(soon).ok();
    }
  });
  const auto reads = [&] {
    const std::vector<std::string> names = {"i"};
    while (written < 400 && !over) {
      const int at_least = written;
      const Status done = reader.replica->catch_up(names, soon);
      const auto found = reader.replica->indices().find("i");
      if (!done.ok() || !found.ok()) {
        CHECK_MESSAGE(false, (done.ok() ? std::string() : done.error().message));
        over = true;
        return;
      }
      const auto count = (*found)->view()->search({}, {.size = 0}, soon);
      const auto last = (*found)->get(std::to_string(std::max(at_least - 1, 0)), soon);
      if (!count.ok() || static_cast<int>(count->total) < at_least || !last.ok() ||
          (at_least > 0 && !last->has_value())) {
        CHECK_MESSAGE(false, "not all of " << at_least);
        over = true;
        return;
      }
    }
  };
  { std::jthread one(reads), other(reads); }
  over = true;
  writer.join();
  CHECK(written == 400);
}

}  // namespace cairn::index::replica_test
