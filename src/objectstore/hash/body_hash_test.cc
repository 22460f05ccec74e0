// SPDX-License-Identifier: Apache-2.0
#include "objectstore/hash/body_hash.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "os/random.h"

namespace body_hash_test {

using namespace cairn;
using namespace cairn::objectstore;

namespace {

std::string hash_in_pieces(const std::string& body, std::size_t most, Md5Scheduler& scheduler,
                           os::Random& random) {
  BodyHash hash([&]() -> Md5Scheduler& { return scheduler; });
  for (std::string_view rest = body; !rest.empty();) {
    const std::size_t take = std::min<std::size_t>(rest.size(), 1 + random.below(most));
    const Status done = hash.update(rest.substr(0, take), [] { return ok_status(); });
    CHECK(done.ok());
    rest.remove_prefix(take);
  }
  CHECK(hash.finish() == hash.finish());
  return hash.finish();
}

}  // namespace

TEST_CASE("body hash: is the MD5, however long the body and its pieces are") {
  const auto random = os::seeded_random(7);
  Md5Scheduler scheduler(2);
  for (const std::size_t size : {0u, 1u, 1u << 20, (1u << 20) + 1, 3'000'000u, 6u << 20}) {
    const std::string body = random->bytes(size);
    for (const std::size_t most : {200'000u, 3'000'000u})
      CHECK(hash_in_pieces(body, most, scheduler, *random) == to_hex(md5(body)));
  }
}

TEST_CASE("body hash: lent bytes are free once the next ones are lent, or were asked back") {
  for (const std::size_t bodies : {1u, 2u, 9u}) {
    Md5Scheduler scheduler(2);
    std::vector<std::jthread> threads;
    for (std::uint64_t seed = 0; seed < bodies; ++seed)
      threads.emplace_back([&, seed] {
        const auto random = os::seeded_random(seed);
        const std::string body = random->bytes(5'000'000);
        BodyHash hash([&]() -> Md5Scheduler& { return scheduler; });
        std::string halves[2];
        std::size_t turn = 0;
        for (std::size_t at = 0; at < body.size(); turn ^= 1) {
          halves[turn] = body.substr(at, 1 + random->below(500'000));
          at += halves[turn].size();
          hash.begin(halves[turn]);
          halves[turn ^ 1].assign(halves[turn ^ 1].size(), 'x');
        }
        hash.settle();
        for (std::string& half : halves) half.assign(half.size(), 'x');
        CHECK(hash.finish() == to_hex(md5(body)));
      });
  }
}

TEST_CASE("body hash: a body beside idle ones is hashed at once") {
  const auto random = os::seeded_random(11);
  const std::string bytes = random->bytes(1 << 20);
  Md5Scheduler scheduler(2);
  Md5 idle[12], busy;
  std::uint64_t idle_last[12] = {}, busy_last = 0;
  for (int i = 0; i < 12; ++i) {
    Md5Scheduler::Work work(idle[i].state(), idle[i].blocks_of(bytes));
    scheduler.offer(work, idle_last[i]);
    scheduler.finish(work);
  }
  for (int piece = 0; piece < 5; ++piece) {
    Md5Scheduler::Work work(busy.state(), busy.blocks_of(bytes));
    scheduler.offer(work, busy_last);
    // Nobody waits in finish(). Turns are counted, not time: a process that stands still is no
    // fault.
    for (int turn = 0; turn < 10'000 && !scheduler.ended(work); ++turn)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const bool at_once = scheduler.ended(work);
    scheduler.finish(work);
    REQUIRE(at_once);
  }
}

TEST_CASE("body hash: one that goes away leaves nobody to look at its bytes") {
  const auto random = os::seeded_random(10);
  Md5Scheduler scheduler(1);
  for (int i = 0; i < 50; ++i) {
    BodyHash others[] = {BodyHash([&]() -> Md5Scheduler& { return scheduler; }),
                         BodyHash([&]() -> Md5Scheduler& { return scheduler; })};
    const std::string bytes = random->bytes(1 << 20);  // goes after them
    BodyHash hash([&]() -> Md5Scheduler& { return scheduler; });
    for (BodyHash& other : others) other.begin(bytes);
    hash.begin(bytes);
    for (BodyHash& other : others) other.settle();
  }
}

TEST_CASE("body hash: many at a time, by each version, on fewer threads than there are bodies") {
  const auto random = os::seeded_random(8);
  const std::string body = random->bytes(4 << 20);
  for (const Md5Blocks& version : usable_md5_blocks()) {
    Md5Scheduler scheduler(2, version);
    std::vector<std::jthread> bodies;
    for (std::uint64_t i = 0; i < 12; ++i)
      bodies.emplace_back([&, i] {
        const auto own = os::seeded_random(i);
        CHECK(hash_in_pieces(body, 300'000, scheduler, *own) == to_hex(md5(body)));
      });
  }
}

TEST_CASE("body hash: what the work beside it says is told, once the bytes may go") {
  const auto random = os::seeded_random(9);
  Md5Scheduler scheduler(1);
  for (int i = 0; i < 20; ++i) {
    BodyHash hash([&]() -> Md5Scheduler& { return scheduler; });
    for (int piece = 0; piece < 8; ++piece) {
      const std::string bytes = random->bytes(300'000);
      const Status done = hash.update(bytes, [&]() -> Status {
        return Error{.kind = ErrorKind::storage_full, .message = "no space"};
      });
      CHECK(done.error().kind == ErrorKind::storage_full);
    }
  }
}

}  // namespace body_hash_test
