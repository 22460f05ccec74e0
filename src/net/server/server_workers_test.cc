// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "net/server/raw_peer.h"
#include "net/server/server.h"
#include "net/testing.h"
#include "os/threads/blocking.h"

namespace server_workers_test {

using namespace cairn;
using namespace cairn::net;

namespace {

const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

void ask(RawPeer& peer, std::string_view path) {
  peer.send("GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n");
}

bool wait_blocking(Signal& signal) {
  const os::Blocking blocking;
  return signal.wait();
}

}  // namespace

TEST_CASE("workers: who waits under os::Blocking lends its slot") {
  Signal released;
  std::atomic<int> waiting{0};
  ServerOptions options;
  options.slots = 1;
  const auto server = serve(
      [&](Exchange& exchange) {
        if (exchange.head.path() == "/wait") {
          ++waiting;
          CHECK(wait_blocking(released));
        }
        if (exchange.head.path() == "/release") released.give();
        answer(exchange, 200, "done");
      },
      options);
  std::vector<std::unique_ptr<RawPeer>> waiters;
  for (int i = 0; i < 50; ++i) {
    waiters.push_back(std::make_unique<RawPeer>(server->port()));
    ask(*waiters.back(), "/wait");
  }
  RawPeer peer(server->port());
  while (waiting < 50) {
    ask(peer, "/fast");
    CHECK(peer.receive_reply().ends_with("done"));
  }
  ask(peer, "/release");
  CHECK(peer.receive_reply().ends_with("done"));
  for (auto& waiter : waiters) CHECK(waiter->receive_reply().ends_with("done"));
}

TEST_CASE("workers: handlers that compute for long do not shut out the others") {
  Signal released;
  ServerOptions options;
  options.slots = 1;
  const auto server = serve(
      [&](Exchange& exchange) {
        // Without os::Blocking: as far as the server knows, this computes.
        if (exchange.head.path() == "/compute") CHECK(released.wait());
        if (exchange.head.path() == "/release") released.give();
        answer(exchange, 200, "done");
      },
      options);
  RawPeer hog(server->port());
  RawPeer hog_too(server->port());
  ask(hog, "/compute");
  ask(hog_too, "/compute");
  RawPeer peer(server->port());
  ask(peer, "/release");
  CHECK(peer.receive_reply().ends_with("done"));
  CHECK(hog.receive_reply().ends_with("done"));
  CHECK(hog_too.receive_reply().ends_with("done"));
}

TEST_CASE("workers: when all are busy, health is answered, others wait, and then run") {
  Signal released;
  std::atomic<int> waiting{0};
  ServerOptions options;
  options.max_workers = 4;
  options.reserved_workers = 2;
  options.reserved_paths = {"/_health", "/_metrics"};
  options.slots = 1;
  const auto server = serve(
      [&](Exchange& exchange) {
        if (exchange.head.path() == "/wait") {
          ++waiting;
          CHECK(wait_blocking(released));
        }
        answer(exchange, 200, exchange.head.path());
      },
      options);
  RawPeer one(server->port());
  RawPeer two(server->port());
  ask(one, "/wait");
  ask(two, "/wait");
  RawPeer health(server->port());
  while (waiting < 2) {
    ask(health, "/_health/live");
    CHECK(health.receive_reply().ends_with("/_health/live"));
  }
  RawPeer later(server->port());
  later.send("PUT /later HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" + get);
  for (int i = 0; i < 10; ++i) {
    ask(health, "/_metrics");
    CHECK(health.receive_reply().ends_with("/_metrics"));
  }
  released.give();
  CHECK(later.receive_reply().ends_with("/later"));
  CHECK(later.receive_reply().ends_with("/"));
  CHECK(one.receive_reply().ends_with("/wait"));
  CHECK(two.receive_reply().ends_with("/wait"));
}

TEST_CASE("workers: a request that waits too long for a worker is answered with 503") {
  Signal released;
  Signal waiting;
  ServerOptions options;
  options.max_workers = 3;
  options.reserved_workers = 2;
  options.slots = 1;
  options.queue_ms = 50;
  const auto server = serve(
      [&](Exchange& exchange) {
        waiting.give();
        CHECK(wait_blocking(released));
        answer(exchange, 200, "done");
      },
      options);
  RawPeer one(server->port());
  ask(one, "/");
  REQUIRE(waiting.wait());
  RawPeer two(server->port());
  ask(two, "/");
  const std::string refused = two.receive_all();
  CHECK(refused.starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
  CHECK(refused.find("Retry-After: 1\r\n") != std::string::npos);
  released.give();
  CHECK(one.receive_reply().ends_with("done"));
}

TEST_CASE("workers: a handler that waits learns that its peer has gone") {
  Signal began;
  Signal learned;
  const auto server = serve([&](Exchange& exchange) {
    began.give();
    const bool whole = os::sleep_ms(60'000, exchange.deadline);
    CHECK_FALSE(whole);
    CHECK(exchange.deadline.stopped());
    learned.give();
  });
  RawPeer peer(server->port());
  ask(peer, "/");
  REQUIRE(began.wait());
  peer.close();
  CHECK(learned.wait());
}

TEST_CASE("workers: replies to earlier pipelined requests do not wait for a later one that does") {
  Signal released;
  const auto server = serve([&](Exchange& exchange) {
    if (exchange.head.path() == "/wait") CHECK(wait_blocking(released));
    answer(exchange, 200, exchange.head.path());
  });
  RawPeer peer(server->port());
  peer.send("GET /one HTTP/1.1\r\nHost: x\r\n\r\nGET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(peer.receive_reply().ends_with("/one"));
  released.give();
  CHECK(peer.receive_reply().ends_with("/wait"));
}

TEST_CASE("workers: a peer that always has a next request leaves others their turn") {
  ServerOptions options;
  options.slots = 1;
  options.pipelined_max = 4;
  const auto server = serve(echo, options);
  RawPeer greedy(server->port());
  std::atomic<bool> enough{false};
  std::thread sender([&] {
    std::string many;
    for (int i = 0; i < 100; ++i) many += get;
    while (!enough && greedy.send(many)) {
    }
    greedy.half_close();
  });
  std::thread receiver([&] { greedy.receive_all(); });
  RawPeer modest(server->port());
  for (int i = 0; i < 50; ++i) {
    modest.send(get);
    CHECK(modest.receive_reply().starts_with("HTTP/1.1 200 "));
  }
  enough = true;
  sender.join();
  receiver.join();
}

TEST_CASE("workers: many clients at once, each gets its own answers") {
  ServerOptions options;
  options.slots = 4;
  const auto server = serve(
      [](Exchange& exchange) {
        if (exchange.head.target.ends_with("7")) {
          const os::Blocking blocking;
          std::this_thread::yield();
        }
        echo(exchange);
      },
      options);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      RawPeer peer(server->port());
      for (int i = 0; i < 300; ++i) {
        const std::string body = std::to_string(t) + ":" + std::to_string(i);
        peer.send("PUT /" + body + " HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n");
        if (i % 3 == 0) std::this_thread::yield();
        peer.send(body);
        if (!peer.receive_reply().ends_with("PUT /" + body + "\n" + body)) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace server_workers_test
