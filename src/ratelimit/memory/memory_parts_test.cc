// SPDX-License-Identifier: Apache-2.0
// The pieces of the limiter in memory, each against something slow and clear.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ratelimit/counters/hour_ring.h"
#include "ratelimit/memory/memory_table.h"
#include "ratelimit/counters/short_lock.h"
#include "ratelimit/counters/sip_hash.h"
#include "ratelimit/counters/steady_wall.h"
#include "ratelimit/counters/two_counters.h"

namespace cairn::ratelimit {
namespace {

// From a second implementation, itself checked by the published value of SipHash-2-4.
TEST_CASE("sip hash: values of SipHash-1-3, and no two accounts alike") {
  const SipKey key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  CHECK(sip_hash(key, "") == 0xabac0158050fc4dc);
  CHECK(sip_hash(key, std::string_view("\0", 1)) == 0xc9f49bf37d57ca93);
  std::string bytes;
  for (char c = 0; c < 15; ++c) bytes += c;
  CHECK(sip_hash(key, bytes) == 0xd320d86d2a519956);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100'000; ++i) seen.insert(sip_hash(key, "user:" + std::to_string(i)));
  CHECK(seen.size() == 100'000);
}

// Two counters from a log of all events: exact, in whole numbers.
struct Log {
  std::vector<std::pair<std::int64_t, std::uint64_t>> events;
  std::uint64_t in_slot(std::int64_t slot, std::int64_t length) const {
    std::uint64_t sum = 0;
    for (const auto& [at, count] : events)
      if (at / length == slot) sum += count;
    return sum;
  }
  bool fits(std::int64_t now, std::uint64_t add, std::uint64_t cap, std::int64_t length) const {
    const std::int64_t slot = now / length;
    const auto left = static_cast<std::uint64_t>(length - now % length);
    const auto span = static_cast<std::uint64_t>(length);
    return in_slot(slot - 1, length) * left + (in_slot(slot, length) + add) * span <= cap * span;
  }
};

TEST_CASE("two counters: as a log of events says, and the wait is exact") {
  std::mt19937_64 dice(20'261'121);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const std::int64_t length = 1'000 * (1 + static_cast<std::int64_t>(dice() % 60));
    const std::uint64_t cap = dice() % 1'000;
    std::int64_t now = 1'700'000'000'000 + static_cast<std::int64_t>(dice() % 100'000);
    Log log;
    std::uint32_t slot = 0, current = 0, previous = 0;
    for (int i = 0; i < 60; ++i) {
      now += static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(length));
      const std::uint64_t add = dice() % 120;
      const SlotTime at = slot_time(now, static_cast<std::uint32_t>(length));
      roll(slot, at.slot, current, previous);
      const bool fit = fits(current, previous, add, cap, at);
      REQUIRE(fit == log.fits(now, add, cap, length));
      const std::uint64_t wait = wait_ms(current, previous, add, cap, at);
      if (add > cap) {
        CHECK(wait == static_cast<std::uint64_t>(length));
      } else if (fit) {
        CHECK(wait == 0);
      } else {
        CHECK(log.fits(now + static_cast<std::int64_t>(wait), add, cap, length));
        CHECK_FALSE(log.fits(now + static_cast<std::int64_t>(wait) - 1, add, cap, length));
      }
      if (!fit) continue;
      log.events.emplace_back(now, add);
      current += static_cast<std::uint32_t>(add);
      CHECK(log.in_slot(now / length, length) <= cap);  // the invariant
    }
  }
}

TEST_CASE("two counters: full counters do not wrap, in any arithmetic") {
  constexpr std::uint32_t most = ~std::uint32_t{0};
  CHECK(saturating_add(most, 1) == most);
  CHECK(saturating_add(std::uint32_t{5}, ~std::uint64_t{0}) == most);
  CHECK(saturating_add(std::uint16_t{65'000}, 1'000) == 65'535);
  const SlotTime at{.slot = 1, .elapsed_ms = 0, .length_ms = 86'400'000};
  CHECK_FALSE(fits(most, most, most, 1, at));
  CHECK(fits(most, most, most, std::uint64_t{most} * 1'000, at));
  CHECK(wait_ms(most, most, 1, most, at) > 86'400'000);
}

TEST_CASE("two counters: a thread whose clock look is a slot late leaves them alone") {
  std::uint32_t slot = 8, current = 5, previous = 3;
  roll(slot, 7, current, previous);
  CHECK(slot == 8);
  CHECK(current == 5);
  roll(slot, 3, current, previous);  // far back: another length of slots
  CHECK(slot == 3);
  CHECK(current == 0);
}

TEST_CASE("hour ring: never more than the cap in sixty minutes, and the wait is exact") {
  std::mt19937_64 dice(5);
  constexpr std::uint32_t length = 300'000;
  for (int round = 0; round < 50; ++round) {
    const auto cap = static_cast<std::uint32_t>(1 + dice() % 60);
    HourRing ring{};
    std::vector<std::int64_t> admitted;
    std::int64_t now = 1'700'000'000'000;
    for (int i = 0; i < 600; ++i) {
      now += static_cast<std::int64_t>(dice() % (dice() % 50 == 0 ? 5'000'000 : 60'000));
      const SlotTime at = slot_time(now, length);
      ring.roll(at.slot);
      const bool fit = ring.total() < cap;
      const auto since = [&](std::int64_t from) {
        return std::count_if(admitted.begin(), admitted.end(),
                             [&](std::int64_t when) { return when > from; });
      };
      if (since(now - 3'900'000) < cap) CHECK(fit);  // sixty-five minutes forget everything
      if (fit) {
        ring.add();
        admitted.push_back(now);
        CHECK(since(now - 3'600'000) <= cap);
      } else {
        const auto wait = static_cast<std::int64_t>(ring.wait_ms(cap, at));
        HourRing later = ring;
        later.roll(slot_time(now + wait - 1, length).slot);
        CHECK(later.total() >= cap);
        later.roll(slot_time(now + wait, length).slot);
        CHECK(later.total() < cap);
      }
    }
  }
  HourRing full{};
  for (int i = 0; i < 70'000; ++i) full.add();
  CHECK(full.total() == 65'535);
}

TEST_CASE("short lock: one at a time, and sleepers wake") {
  ShortLock lock;
  std::uint64_t plain = 0;  // guarded by the lock
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 20'000; ++i) {
          lock.lock();
          plain = plain + 1;
          if (i % 1'000 == 0) std::this_thread::yield();  // a holder that is not running
          lock.unlock();
        }
      });
  }
  CHECK(plain == 160'000);
  CHECK(lock.try_lock());
  CHECK_FALSE(lock.try_lock());
}

/// A clock whose wall can be set.
class SetClock final : public os::Clock {
 public:
  std::int64_t unix_ms() const override { return wall_ms.load(); }
  std::int64_t steady_ns() const override { return steady_ms.load() * 1'000'000; }
  void pass_ms(std::int64_t ms) { wall_ms += ms, steady_ms += ms; }
  void set_by_ms(std::int64_t ms) { wall_ms += ms; }
  std::atomic<std::int64_t> wall_ms{1'700'000'000'000};
  std::atomic<std::int64_t> steady_ms{5};
};

TEST_CASE("steady wall: follows the wall, and what is set back only shows") {
  SetClock clock;
  SteadyWall wall(clock);
  CHECK(wall.now_ms() == clock.wall_ms);
  clock.pass_ms(1'234);
  CHECK(wall.now_ms() == clock.wall_ms);

  clock.set_by_ms(-3'600'000);  // an hour back
  std::int64_t last = wall.now_ms();
  for (int i = 0; i < 50; ++i) {
    clock.pass_ms(100);
    const std::int64_t now = wall.now_ms();
    CHECK(now == last + 100);
    last = now;
  }
  CHECK(wall.behind_ms() == 3'600'000);
  CHECK(wall.now_ms() - wall.behind_ms() == clock.wall_ms);
  CHECK(wall.steps() == 1);

  clock.set_by_ms(3'600'000);  // and repaired
  for (int i = 0; i < 3; ++i) clock.pass_ms(1'000), (void)wall.now_ms();
  CHECK(wall.behind_ms() == 0);
  CHECK(wall.now_ms() == clock.wall_ms);
}

TEST_CASE("steady wall: a jump ahead counts when two looks agree") {
  SetClock clock;
  SteadyWall wall(clock);
  clock.set_by_ms(500);  // up to a second is drift
  clock.pass_ms(1'000);
  CHECK(wall.now_ms() == clock.wall_ms);
  clock.set_by_ms(60'000);
  clock.pass_ms(1'000);
  CHECK(wall.now_ms() == clock.wall_ms - 60'000);  // the first look is not believed
  clock.set_by_ms(-60'000);                        // and was wrong
  clock.pass_ms(1'000);
  CHECK(wall.now_ms() == clock.wall_ms);
  CHECK(wall.steps() == 0);
  clock.set_by_ms(60'000);
  clock.pass_ms(1'000);
  (void)wall.now_ms();
  clock.pass_ms(1'000);
  CHECK(wall.now_ms() == clock.wall_ms);
  CHECK(wall.steps() == 1);
}

TEST_CASE("table: found again, bounded, and a full one ends its search") {
  constexpr std::uint32_t places = 200;
  MemoryTable table(places);
  Moment now{.ms = 1'700'000'000'000};
  now.minute = slot_time(now.ms, 60'000);
  now.ring = slot_time(now.ms, 300'000);
  const SipKey sip{1, 2};
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < places; ++i) {
    Slot* const slot = table.find_or_add(sip_hash(sip, std::to_string(i)), of_caller, now, {});
    REQUIRE(slot->key != 0);
    slot->record.live = 1;  // nobody may go
    slot->record.core_used = i;
    slot->lock.unlock();
  }
  CHECK(table.identities(of_caller) == places);
  for (std::uint32_t i = 0; i < places; ++i) {
    Slot* const slot = table.find(sip_hash(sip, std::to_string(i)));
    REQUIRE(slot != nullptr);
    CHECK(slot->record.core_used == i);
    slot->lock.unlock();
  }
  for (std::uint32_t i = places; i < 3 * places; ++i) {
    const std::uint64_t key = sip_hash(sip, std::to_string(i));
    CHECK(table.find(key) == nullptr);
    Slot* const slot = table.find_or_add(key, i % 2 == 0 ? of_caller : of_address, now, {});
    CHECK(slot->key == 0);  // shared
    slot->lock.unlock();
  }
  CHECK(table.identities(of_caller) == places);
  CHECK(table.identities(of_address) == 0);
  CHECK(table.shared_hits() == 2 * places);
  // One goes, and one more fits.
  Slot* const gone = table.find(sip_hash(sip, "17"));
  REQUIRE(gone != nullptr);
  gone->record = {};
  gone->record.kind = of_caller;
  gone->lock.unlock();
  bool came = false;
  for (int i = 0; i < 1'000 && !came; ++i) {  // the search goes on where it stopped
    now.ms += 1'001;
    Slot* const slot = table.find_or_add(sip_hash(sip, "new"), of_caller, now, {});
    came = slot->key != 0;
    slot->lock.unlock();
  }
  CHECK(came);
  CHECK(table.find(sip_hash(sip, "17")) == nullptr);
  CHECK(table.evictions() == 1);
}

TEST_CASE("table: added and evicted from many threads, each finds its own") {
  constexpr std::uint32_t places = 500;
  MemoryTable table(places);
  const SipKey sip{3, 4};
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        std::mt19937 dice(t);
        for (int i = 0; i < 20'000; ++i) {
          Moment now{.ms = 1'700'000'000'000 + i};
          const std::uint64_t key = sip_hash(sip, std::to_string(dice() % 2'000));
          Slot* const slot = table.find_or_add(key, of_address, now, {});
          if (slot->key != key && slot->key != 0) ++wrong;
          if (i % 3 == 0) (void)table.add_block(*slot, i % 2 == 0);
          slot->lock.unlock();
        }
      });
  }
  CHECK(wrong == 0);
  CHECK(table.identities(of_address) <= places);
  CHECK(table.evictions() > 0);
}

}  // namespace
}  // namespace cairn::ratelimit
