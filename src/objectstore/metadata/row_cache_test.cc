// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/row_cache.h"

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "os/random.h"

namespace cairn::objectstore::row_cache_test {
namespace {

constexpr std::uint64_t plenty = 16 << 20;

std::string found_in(RowCache& cache, unsigned table, std::string_view key) {
  std::string value;
  RowCache::Miss miss;
  return cache.find(table, key, value, miss) ? value : "-";
}

void read_into(RowCache& cache, unsigned table, std::string_view key, std::string_view value) {
  std::string unused;
  RowCache::Miss miss;
  if (!cache.find(table, key, unused, miss)) cache.keep(table, key, value, miss);
}

}  // namespace

TEST_CASE("row cache: gives back what was read, for each table its own") {
  RowCache cache(plenty);
  CHECK(found_in(cache, 1, "a") == "-");
  read_into(cache, 1, "a", "one");
  read_into(cache, 2, "a", "two");
  CHECK(found_in(cache, 1, "a") == "one");
  CHECK(found_in(cache, 2, "a") == "two");
  CHECK(found_in(cache, 1, "b") == "-");
  cache.clear();
  CHECK(found_in(cache, 1, "a") == "-");
  CHECK(cache.bytes() == 0);
}

TEST_CASE("row cache: a row is gone from the beginning of a write, and not kept before its end") {
  RowCache cache(plenty);
  read_into(cache, 1, "a", "old");
  RowCache::Miss before;
  std::string value;
  {
    RowCache::Write write(cache);
    CHECK_FALSE(cache.find(1, "b", value, before));
    write.changes(1, "a");
    CHECK(found_in(cache, 1, "a") == "-");
    read_into(cache, 1, "a", "old");  // as the table still has it
    CHECK(found_in(cache, 1, "a") == "-");
  }
  read_into(cache, 1, "a", "new");
  CHECK(found_in(cache, 1, "a") == "new");
}

TEST_CASE("row cache: what was looked for before a write is not kept after it") {
  RowCache cache(plenty);
  std::string value;
  RowCache::Miss early;
  CHECK_FALSE(cache.find(1, "a", value, early));
  {
    RowCache::Write write(cache);
    write.changes(1, "a");
  }
  cache.keep(1, "a", "old", early);
  CHECK(found_in(cache, 1, "a") == "-");
  CHECK_FALSE(cache.find(1, "a", value, early));
  cache.clear();
  cache.keep(1, "a", "older", early);
  CHECK(found_in(cache, 1, "a") == "-");
}

TEST_CASE("row cache: stays within its bytes, and forgets first what was not used") {
  constexpr std::uint64_t most = 1 << 20;
  RowCache cache(most);
  const std::string value(1000, 'v');
  for (int i = 0; i < 5000; ++i) {
    read_into(cache, 1, "key" + std::to_string(i), value);
    (void)found_in(cache, 1, "key0");
  }
  CHECK(cache.bytes() <= most);
  CHECK(cache.bytes() > most / 2);
  CHECK(found_in(cache, 1, "key0") == value);
  CHECK(found_in(cache, 1, "key1") == "-");
  read_into(cache, 1, "large", std::string(100'000, 'v'));
  CHECK(found_in(cache, 1, "large") == "-");

  RowCache none(0);
  read_into(none, 1, "a", "b");
  CHECK(found_in(none, 1, "a") == "-");
  CHECK(none.bytes() == 0);
}

// A reader never sees a value older than one that was seen, or written, before it began.
TEST_CASE("row cache: no reader sees an older value than another one saw before") {
  RowCache cache(plenty);
  constexpr int keys = 8;
  std::mutex table_mutex;
  std::map<std::string, int> table;  // what the cache stands before
  std::vector<std::atomic<int>> newest(keys);
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  const auto name = [](int key) { return "key" + std::to_string(key); };
  const auto reader = [&](std::uint64_t seed) {
    const auto random = os::seeded_random(seed);
    while (!stop) {
      const int key = static_cast<int>(random->below(keys));
      const int least = newest[static_cast<std::size_t>(key)].load();
      std::string value;
      RowCache::Miss miss;
      if (!cache.find(0, name(key), value, miss)) {
        {
          const std::lock_guard lock(table_mutex);
          value = std::to_string(table[name(key)]);
        }
        cache.keep(0, name(key), value, miss);
      }
      const int seen = std::stoi(value);
      if (seen < least) ++wrong;
      int known = least;
      while (known < seen &&
             !newest[static_cast<std::size_t>(key)].compare_exchange_weak(known, seen)) {
      }
    }
  };
  std::vector<std::thread> readers;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) readers.emplace_back(reader, seed);
  for (int round = 1; round <= 20'000; ++round) {
    RowCache::Write write(cache);
    write.changes(0, name(round % keys));
    const std::lock_guard lock(table_mutex);
    table[name(round % keys)] = round;
  }
  stop = true;
  for (std::thread& each : readers) each.join();
  CHECK(wrong == 0);
}

}  // namespace cairn::objectstore::row_cache_test
