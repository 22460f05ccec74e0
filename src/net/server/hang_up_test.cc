// SPDX-License-Identifier: Apache-2.0
// When a peer counts as gone: by a clock that the test moves, and on real sockets.
#include "net/server/hang_up.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include "net/server/raw_peer.h"
#include "net/server/server.h"
#include "net/testing.h"
#include "os/clock.h"
#include "os/threads/blocking.h"

namespace cairn::net::hang_up_test {

constexpr std::int64_t ms = 1'000'000;

TEST_CASE("hang up: a peer that has closed counts as gone within 100 ms, whenever it closes") {
  // Looked at as often as the server does, by a clock that is moved by hand.
  for (std::int64_t closes = 0; closes < 200 * ms; closes += ms) {
    os::FakeClock clock;
    const std::int64_t began = clock.steady_ns();
    std::int64_t stopped_after = -1;
    while (stopped_after < 0) {
      clock.advance_ms(peers_looked_at_every_ns / ms);
      const std::int64_t in_handler = clock.steady_ns() - began;
      if (is_gone({.sends_no_more = in_handler >= closes, .in_handler_ns = in_handler}))
        stopped_after = in_handler;
    }
    CHECK(stopped_after - closes < 100 * ms);
    CHECK(stopped_after >= half_closed_grace_ns);
  }
}

TEST_CASE("hang up: a reset counts at once, one's end of sending not while it is answered") {
  CHECK(is_gone({.sends_no_more = true, .is_reset = true, .in_handler_ns = 1}));
  CHECK(is_gone({.is_reset = true, .answering = true, .in_handler_ns = 1}));
  CHECK_FALSE(is_gone({.sends_no_more = true, .in_handler_ns = 49 * ms}));
  CHECK(is_gone({.sends_no_more = true, .in_handler_ns = 50 * ms}));
  CHECK_FALSE(is_gone({.sends_no_more = true, .answering = true, .in_handler_ns = 5'000 * ms}));
  CHECK_FALSE(is_gone({.in_handler_ns = 5'000 * ms}));
}

/// Computes, as a search does, until its deadline says that it shall end.
struct Computing {
  std::unique_ptr<Server> start(ServerOptions options = {}) {
    return serve(
        [this](Exchange& exchange) {
          if (exchange.head.method == "PUT") CHECK(read_all(exchange.body, 1 << 20).ok());
          began.give();
          while (exchange.deadline.check("computing").ok()) continue;
          CHECK(exchange.deadline.stopped());
          ended.give();
        },
        std::move(options));
  }
  Signal began;
  Signal ended;
};

const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

TEST_CASE("hang up: a handler that computes ends when its peer closes") {
  Computing computing;
  ServerOptions options;
  options.slots = 1;  // nobody is free to be told of the event
  const auto server = computing.start(options);
  RawPeer peer(server->port());
  peer.send(get);
  REQUIRE(computing.began.wait());
  peer.close();
  CHECK(computing.ended.wait());
}

TEST_CASE("hang up: … also when other bytes were sent before, and after a body that was waited for") {
  Computing computing;
  const auto server = computing.start();
  RawPeer peer(server->port());
  peer.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc");
  peer.send("def");
  REQUIRE(computing.began.wait());
  peer.send(get);  // a next request, which nobody reads now
  peer.close();
  CHECK(computing.ended.wait());
}

TEST_CASE("hang up: … and when its peer resets the connection") {
  Computing computing;
  const auto server = computing.start();
  RawPeer peer(server->port());
  peer.send(get);
  REQUIRE(computing.began.wait());
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(peer.descriptor(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  peer.close();
  CHECK(computing.ended.wait());
}

TEST_CASE("hang up: … and when the server stops and its grace is over") {
  Computing computing;
  const auto server = computing.start();
  RawPeer peer(server->port());
  peer.send(get);
  REQUIRE(computing.began.wait());
  server->drain(1);
  CHECK(computing.ended.given());
}

TEST_CASE("hang up: who has ended sending and is being answered gets all of the answer") {
  Signal half, other_began, other_ended;
  const auto server = serve([&](Exchange& exchange) {
    if (exchange.head.path() == "/other") {
      other_began.give();
      while (exchange.deadline.check("computing").ok()) continue;
      other_ended.give();
      return;
    }
    CHECK(exchange.reply.begin(200, {}, 6).ok());
    CHECK(exchange.reply.write("abc").ok());
    CHECK(exchange.reply.flush().ok());
    const os::Blocking blocking;
    CHECK(other_ended.wait());  // both were looked at
    CHECK_FALSE(exchange.deadline.stopped());
    CHECK(exchange.reply.write("def").ok());
  });
  RawPeer peer(server->port());
  peer.send(get);
  CHECK(peer.receive_until("abc").ends_with("abc"));
  peer.half_close();
  {
    RawPeer other(server->port());
    other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n");
    REQUIRE(other_began.wait());
  }
  CHECK(peer.receive_until("def").ends_with("def"));
}

TEST_CASE("hang up: who closes between signs of life of a reply that has begun counts as gone") {
  Signal began, ended;
  const auto server = serve([&](Exchange& exchange) {
    CHECK(exchange.reply.begin(200, {}, std::nullopt).ok());
    CHECK(exchange.reply.write(" ").ok());
    CHECK(exchange.reply.flush().ok());
    began.give();
    while (exchange.deadline.check("computing").ok()) continue;
    ended.give();
  });
  RawPeer peer(server->port());
  peer.send(get);
  REQUIRE(began.wait());
  CHECK(peer.receive_until(" \r\n").ends_with(" \r\n"));  // nothing unread, so it sends no reset
  peer.close();
  CHECK(ended.wait());
}

}  // namespace cairn::net::hang_up_test
