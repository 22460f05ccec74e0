// SPDX-License-Identifier: Apache-2.0
#include "lfs/locks.h"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>

#include "store/memory_store.h"

namespace cairn::lfs::locks_test {
namespace {

const os::Deadline never = os::Deadline::never();

struct Fixture {
  Locks::Taken take(std::string_view path, std::string_view account = "user:ann") {
    auto taken = locks.take(repository, path, account, account.substr(5), never);
    if (!taken.ok()) FAIL(taken.error().message);
    return *taken;
  }
  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock{1'700'000'000'000};
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  Locks locks{*store, clock, *random};
  const Repository repository = Repository::parse("acme", "art.git").value();
  const Repository other = Repository::parse("acme", "art2").value();
};

TEST_CASE("locks: one holder at a time, by path and by id") {
  Fixture fixture;
  const auto first = fixture.take("a/b.psd");
  CHECK(first.made);
  const auto second = fixture.take("a/b.psd", "user:bob");
  CHECK_FALSE(second.made);
  CHECK(second.lock.id == first.lock.id);
  CHECK(second.lock.account == "user:ann");
  CHECK(lock_json(first.lock).dump() ==
        R"({"id":")" + first.lock.id +
            R"(","path":"a/b.psd","locked_at":"2023-11-14T22:13:20.000Z","owner":{"name":"ann"}})");
  CHECK((*fixture.locks.by_path(fixture.repository, "a/b.psd", never))->id == first.lock.id);
  CHECK((*fixture.locks.by_id(fixture.repository, first.lock.id, never))->path == "a/b.psd");
  CHECK_FALSE(fixture.locks.by_path(fixture.other, "a/b.psd", never)->has_value());
  CHECK_FALSE(fixture.locks.by_id(fixture.other, first.lock.id, never)->has_value());
  for (const auto* id : {"", "x", "../../lock", "0000"})
    CHECK_FALSE(fixture.locks.by_id(fixture.repository, id, never)->has_value());
  CHECK(*fixture.locks.release(fixture.repository, first.lock, never));
  CHECK_FALSE(*fixture.locks.release(fixture.repository, first.lock, never));
  // An id of before finds nothing, and gives nothing back.
  const auto third = fixture.take("a/b.psd", "user:bob");
  CHECK(third.made);
  CHECK(third.lock.id != first.lock.id);
  CHECK_FALSE(fixture.locks.by_id(fixture.repository, first.lock.id, never)->has_value());
  CHECK_FALSE(*fixture.locks.release(fixture.repository, first.lock, never));
  CHECK(fixture.locks.by_path(fixture.repository, "a/b.psd", never)->has_value());
}

TEST_CASE("locks: paths that are none are refused, and odd ones are not") {
  Fixture fixture;
  for (const std::string& path : {std::string(), std::string("/a"), std::string("a\0b", 3),
                                  std::string(5'000, 'a'), std::string("\xff")}) {
    const auto taken = fixture.locks.take(fixture.repository, path, "user:a", "a", never);
    REQUIRE_FALSE(taken.ok());
    CHECK(taken.error().kind == ErrorKind::invalid_argument);
  }
  for (const auto* path : {"ä ö/\"x\".bin", "../up", "a//b", "*", "lock/acme/art2/x"})
    CHECK(fixture.take(path).made);
}

TEST_CASE("locks: pages hold each of them once") {
  Fixture fixture;
  std::set<std::string> wanted;
  for (int i = 0; i < 57; ++i) wanted.insert(fixture.take("f" + std::to_string(i)).lock.path);
  CHECK(fixture.locks.take(fixture.other, "elsewhere", "user:a", "a", never).ok());
  std::set<std::string> found;
  std::string cursor;
  int pages = 0;
  do {
    const auto page = fixture.locks.page(fixture.repository, cursor, 10, never);
    REQUIRE(page.ok());
    CHECK(page->locks.size() <= 10);
    for (const Lock& lock : page->locks) CHECK(found.insert(lock.path).second);
    cursor = page->next_cursor;
    ++pages;
  } while (!cursor.empty() && pages < 20);
  CHECK(found == wanted);
  CHECK(pages == 6);
  CHECK_FALSE(fixture.locks.page(fixture.repository, "../x", 10, never).ok());
}

TEST_CASE("locks: of many who come at once one gets it") {
  Fixture fixture;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> made = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        const auto taken = fixture.locks.take(
            fixture.repository, "one", "user:" + std::to_string(i), std::to_string(i), never);
        if (!taken.ok() || !taken->made) return;
        ++made;
      });
    threads.clear();
    CHECK(made == 1);
    const auto lock = fixture.locks.by_path(fixture.repository, "one", never);
    REQUIRE((lock.ok() && lock->has_value()));
    CHECK(*fixture.locks.release(fixture.repository, **lock, never));
  }
}

TEST_CASE("locks: a record that does not read is an error, and no lock") {
  Fixture fixture;
  const auto taken = fixture.take("a");
  const std::string key = "lock/acme/art/" + taken.lock.id.substr(0, 32);
  REQUIRE(fixture.store->put(key, "{}", never).ok());
  CHECK_FALSE(fixture.locks.by_path(fixture.repository, "a", never).ok());
  CHECK_FALSE(fixture.locks.page(fixture.repository, "", 10, never).ok());
}

}  // namespace
}  // namespace cairn::lfs::locks_test
