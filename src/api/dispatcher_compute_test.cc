// SPDX-License-Identifier: Apache-2.0
// Where the dispatcher lets requests compute.
#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "api/testing.h"
#include "os/threads/pool.h"

namespace cairn::api::dispatcher_compute_test {

/// A dispatcher with one row that may compute for long, and one that does not.
struct Fixture : DispatcherFixture {
  explicit Fixture(Handler handler, os::ComputePoolOptions options = {.slots = 1}) : pool(options) {
    serve_with(handler, nullptr);
  }
  void serve_with(const Handler& handler, os::MemoryBreaker* memory) {
    Router router;
    const auto row = [](std::string path, bool computes) {
      return gate::Route{.method = "POST",
                         .path = std::move(path),
                         .operation = "row",
                         .open = true,
                         .computes = computes};
    };
    router.add(row("/_heavy/{id}", true), handler);
    router.add(row("/_light", false), handler);
    serve(std::move(router), {}, &pool, memory);
  }
  MemoryReply ask(std::string path, std::string body = "{}",
                  os::Deadline deadline = os::Deadline::never()) const {
    return DispatcherFixture::ask({.method = "POST",
                                   .target = std::move(path),
                                   .body = std::move(body),
                                   .deadline = std::move(deadline)});
  }

  os::ComputePool pool;
};

Result<Reply> tell_where(Call& call) {
  CAIRN_TRY(const auto body, call.raw_body());
  return Reply::plain((os::ComputePool::is_here() ? "pool " : "worker ") +
                      std::to_string(body.size()));
}

TEST_CASE("dispatcher: rows that compute do so in the pool, until they were short a few times") {
  std::atomic<std::int64_t> burn_ns{0};
  const Fixture fixture([&](Call& call) {
    const std::int64_t until = os::thread_cpu_ns() + burn_ns;
    while (os::thread_cpu_ns() < until) continue;
    return tell_where(call);
  });
  CHECK(fixture.ask("/_light").body == "worker 2");
  burn_ns = 2 * WorkPlaces::short_ns;
  for (int i = 0; i < 8; ++i) CHECK(fixture.ask("/_heavy/a").body == "pool 2");
  burn_ns = 0;
  for (int i = 0; i < WorkPlaces::trusted_after; ++i)
    CHECK(fixture.ask("/_heavy/a").body == "pool 2");
  CHECK(fixture.ask("/_heavy/a").body == "worker 2");
  CHECK(fixture.ask("/_heavy/b").body == "pool 2");
}

TEST_CASE("dispatcher: without memory what computes and large bodies are 429, the rest goes on") {
  std::uint64_t own = 0;
  os::FakeClock clock;
  os::MemoryBreaker memory(
      1'000'000, clock,
      {.own = [&] { return std::optional(own); },
       .available = [] { return std::optional<std::uint64_t>(UINT64_MAX); },
       .give_back = [] {}});
  Fixture fixture(tell_where);
  fixture.serve_with(tell_where, &memory);
  const std::string large(WorkPlaces::large_body_bytes, ' ');
  CHECK(fixture.ask("/_heavy/a").status == 200);
  CHECK(fixture.ask("/_light", large).status == 200);
  own = 1'000'000 - 2 * large.size() + 1;
  clock.advance_ms(os::MemoryBreaker::fresh_ms);
  CHECK(fixture.ask("/_heavy/a").status == 200);
  const MemoryReply refused = fixture.ask("/_light", large);
  CHECK(refused.status == 429);
  CHECK(refused.headers.find("Retry-After") == "1");
  CHECK(refused.json().find("error")->string_or("type") == "circuit_breaking_exception");
  own = 1'000'001;
  clock.advance_ms(os::MemoryBreaker::fresh_ms);
  CHECK(fixture.ask("/_heavy/a").status == 429);
  CHECK(fixture.ask("/_light").status == 200);
}

TEST_CASE("dispatcher: a large body is worked on in the pool, whatever the row") {
  const Fixture fixture(tell_where);
  const std::string large(WorkPlaces::large_body_bytes, ' ');
  CHECK(fixture.ask("/_light", large).body == "pool " + std::to_string(large.size()));
}

TEST_CASE("dispatcher: when the pool's queue is full the answer is 429, and others go on") {
  std::latch begun(1), go(1);
  std::atomic<int> asked{0};
  const Fixture fixture(
      [&](Call& call) -> Result<Reply> {
        if (call.route().computes && asked++ == 0) {
          begun.count_down();
          go.wait();
        }
        return tell_where(call);
      },
      {.slots = 1, .queue = 1});
  std::vector<std::jthread> clients;
  clients.emplace_back([&] { CHECK(fixture.ask("/_heavy/a").status == 200); });
  begun.wait();
  clients.emplace_back([&] { CHECK(fixture.ask("/_heavy/a").status == 200); });
  while (fixture.pool.waiting() != 1) std::this_thread::yield();
  const MemoryReply refused = fixture.ask("/_heavy/a");
  CHECK(refused.status == 429);
  CHECK(refused.headers.find("retry-after") == "1");
  const Json body = refused.json();
  CHECK(body.find_path("error.type")->as_string() == "es_rejected_execution_exception");
  CHECK(body.find_path("error.reason")->as_string() ==
        "rejected execution of [row]: the queue of the pool 'compute' is full (1 tasks wait); try "
        "again in a moment");
  CHECK(fixture.ask("/_light").body == "worker 2");
  go.count_down();
}

TEST_CASE("dispatcher: who is cancelled while waiting for the pool is not worked for") {
  std::latch begun(1), go(1);
  std::atomic<int> asked{0};
  const Fixture fixture([&](Call& call) -> Result<Reply> {
    if (asked++ == 0) {
      begun.count_down();
      go.wait();
    }
    return tell_where(call);
  });
  std::jthread client([&] { CHECK(fixture.ask("/_heavy/a").status == 200); });
  begun.wait();
  std::stop_source stop;
  std::jthread stopper([&] {
    while (fixture.pool.waiting() != 1) std::this_thread::yield();
    stop.request_stop();
  });
  CHECK(fixture.ask("/_heavy/a", "{}", os::Deadline::never(stop.get_token())).status == 503);
  CHECK(asked == 1);
  go.count_down();
}

}  // namespace cairn::api::dispatcher_compute_test
