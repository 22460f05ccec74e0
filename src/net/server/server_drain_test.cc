// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <thread>

#include "net/server/raw_peer.h"
#include "net/server/server.h"
#include "net/testing.h"
#include "os/threads/blocking.h"

namespace server_drain_test {

using namespace cairn;
using namespace cairn::net;

namespace {
const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
}

TEST_CASE("drain: idle connections close at once, requests in flight finish, nobody comes in") {
  Signal began;
  Signal released;
  const auto server = serve([&](Exchange& exchange) {
    if (exchange.head.path() == "/wait") {
      began.give();
      const os::Blocking blocking;
      CHECK(released.wait());
    }
    answer(exchange, 200, "done");
  });
  RawPeer idle(server->port());
  idle.send(get);
  CHECK(idle.receive_reply().ends_with("done"));
  RawPeer silent(server->port());
  RawPeer busy(server->port());
  busy.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  REQUIRE(began.wait());
  std::thread drain([&] { server->drain(60'000); });
  CHECK(idle.receive_all() == "");
  CHECK(idle.closed_by_peer());
  CHECK(silent.receive_all() == "");
  CHECK_FALSE(RawPeer(server->port()).connected());
  released.give();
  const std::string reply = busy.receive_all();
  CHECK(reply.ends_with("done"));
  CHECK(busy.closed_by_peer());
  drain.join();
}

TEST_CASE("drain: a request that does not end in time is told to stop") {
  Signal began;
  Signal stopped;
  const auto server = serve([&](Exchange& exchange) {
    began.give();
    CHECK_FALSE(os::sleep_ms(600'000, exchange.deadline));
    stopped.give();
    answer(exchange, 503, "stopped");
  });
  RawPeer peer(server->port());
  peer.send(get);
  REQUIRE(began.wait());
  server->drain(20);
  CHECK(stopped.given());
}

TEST_CASE("drain: peers that are slow to send or to take are cut off") {
  Signal reading;
  Signal writing;
  ServerOptions options;
  options.small_body_bytes = 0;  // every body has a worker
  const auto server = serve(
      [&](Exchange& exchange) {
        if (exchange.head.method == "PUT") {
          reading.give();
          CHECK_FALSE(read_all(exchange.body, 100).ok());
          return;
        }
        const std::string piece(1 << 20, 'x');
        CHECK(exchange.reply.begin(200, {}, std::nullopt).ok());
        while (exchange.reply.write(piece).ok()) writing.give();
      },
      options);
  RawPeer sender(server->port());
  sender.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  RawPeer taker(server->port(), 4096);
  taker.send(get);
  RawPeer half(server->port());
  half.send("GET / HTTP");
  REQUIRE(reading.wait());
  REQUIRE(writing.wait());
  server->drain(20);
  CHECK(half.receive_all() == "");
}

TEST_CASE("drain: a server can be destroyed at any moment") {
  for (int i = 0; i < 20; ++i) {
    auto server = serve(echo);
    RawPeer peer(server->port());
    peer.send(get);
    if (i % 2 == 0) peer.receive_reply();
    server.reset();
  }
}

}  // namespace server_drain_test
