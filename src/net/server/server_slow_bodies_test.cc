// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/sanitized.h"
#include "net/server/raw_peer.h"
#include "net/server/server.h"
#include "net/testing.h"
#include "os/cpu.h"

namespace server_slow_bodies_test {

using namespace cairn;
using namespace cairn::net;

namespace {

using Peers = std::vector<std::unique_ptr<RawPeer>>;

const std::string get = "GET /_health HTTP/1.1\r\nHost: x\r\n\r\n";

std::string put_of(std::size_t length) {
  return "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
}

std::ptrdiff_t threads() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::distance(begin(all), end(all));
}

// Counts calls of the handler, so that a test sees what waits without one.
struct Counted {
  std::atomic<int> calls{0};
  Handler handler() {
    return [this](Exchange& exchange) {
      ++calls;
      echo(exchange);
    };
  }
};

// Room for both ends of so many connections in this process.
class Descriptors {
 public:
  explicit Descriptors(rlim_t count) {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    REQUIRE(before_.rlim_max >= count);
    const rlimit more{std::max(before_.rlim_cur, count), before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &more) == 0);
  }
  ~Descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("slow bodies: 1,500 of them hold no thread and little memory, and are all answered") {
  constexpr std::size_t count = 1500;
  const Descriptors descriptors(2 * count + 200);
  ServerOptions options;
  options.slots = 2;
  options.reserved_paths = {"/_health"};
  options.body_grace_ms = 600'000;  // this is not about the minimum rate
  options.write_stall_ms = 600'000;
  Counted counted;
  const auto server = serve(counted.handler(), options);
  const auto threads_before = threads();
  const std::size_t memory_before = os::resident_bytes();
  Peers slow;
  // One after another a byte comes: of small bodies, of large ones, and of chunks.
  for (std::size_t i = 0; i < count; ++i) {
    slow.push_back(std::make_unique<RawPeer>(server->port()));
    REQUIRE(slow.back()->connected());
    if (i % 3 == 0) slow.back()->send(put_of(3) + "a");
    if (i % 3 == 1) slow.back()->send(put_of(5'000'000'000) + "a");
    if (i % 3 == 2)
      slow.back()->send("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na");
  }
  RawPeer health(server->port());
  for (const auto& each : slow) {
    each->send("b");
    health.send(get);
    REQUIRE(health.receive_reply().starts_with("HTTP/1.1 200 "));
  }
  CHECK(counted.calls == static_cast<int>(count));  // all of them for health
  CHECK(threads() < threads_before + 10);
  CHECK((sanitized || os::resident_bytes() < memory_before + count * 16'384));
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 3 == 1) continue;
    slow[i]->send(i % 3 == 0 ? "c" : "c\r\n0\r\n\r\n");
    REQUIRE(slow[i]->receive_reply().ends_with("PUT /\nabc"));
  }
  slow.clear();
  CHECK(threads() < threads_before + 10);
}

TEST_CASE("slow bodies: one that is slower than the minimum rate is answered with 408") {
  ServerOptions options;
  options.body_grace_ms = 50;
  options.idle_timeout_ms = 600'000;
  Counted counted;
  const auto server = serve(counted.handler(), options);
  RawPeer small(server->port());
  small.send(put_of(100) + "abc");
  RawPeer large(server->port());
  large.send(put_of(1'000'000) + "abc");
  RawPeer chunks(server->port());
  chunks.send("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc");
  for (RawPeer* const each : {&small, &large, &chunks}) {
    CHECK(each->receive_all().starts_with("HTTP/1.1 408 Request Timeout\r\n"));
    CHECK(each->closed_by_peer());
  }
  CHECK(counted.calls == 0);
}

TEST_CASE("slow bodies: one in pieces arrives whole, and the next request behind it too") {
  const auto server = serve(echo);
  RawPeer peer(server->port());
  std::string text(60'000, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 26);
  peer.send(get + put_of(text.size()));
  CHECK(peer.receive_reply().ends_with("GET /_health\n"));  // the reply before does not wait
  RawPeer other(server->port());
  for (std::size_t at = 0; at < text.size(); at += 7'000) {
    other.send(get);
    CHECK(other.receive_reply().ends_with("GET /_health\n"));
    peer.send(text.substr(at, 7'000));
  }
  peer.send(get + put_of(4) + "hi");
  CHECK(peer.receive_reply().ends_with("PUT /\n" + text));
  CHECK(peer.receive_reply().ends_with("GET /_health\n"));
  peer.send("ho" + get);
  CHECK(peer.receive_reply().ends_with("PUT /\nhiho"));
  CHECK(peer.receive_reply().ends_with("GET /_health\n"));
}

TEST_CASE("slow bodies: where they would take too much memory together, workers wait for the rest") {
  ServerOptions options;
  options.awaited_bytes_max = 4'000;
  Signal read;
  const auto server = serve(
      [&](Exchange& exchange) {
        char bytes[1'000];
        if (exchange.head.path() == "/") {
          CHECK(exchange.body.read(bytes).ok());
          read.give();
        }
        echo(exchange);
      },
      options);
  RawPeer first(server->port());
  first.send(put_of(3'001) + std::string(3'000, 'x'));
  RawPeer peer(server->port());
  peer.send(get);
  CHECK(peer.receive_reply().ends_with("GET /_health\n"));
  RawPeer second(server->port());
  second.send(put_of(3'001) + std::string(3'000, 'x'));
  CHECK(read.wait());  // a handler has the second, or the first after all
  first.send("y");
  second.send("y");
  CHECK(first.receive_reply().ends_with("xy"));
  CHECK(second.receive_reply().ends_with("xy"));
}

TEST_CASE("slow bodies: who expects leave to send is asked by the handler") {
  const auto server = serve([](Exchange& exchange) { answer(exchange, 401, "who are you?"); });
  RawPeer peer(server->port());
  peer.send("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n");
  CHECK(peer.receive_reply().starts_with("HTTP/1.1 401 "));
}

TEST_CASE("slow bodies: draining waits for them as long as for a head, and no longer") {
  auto server = serve(echo);
  RawPeer peer(server->port());
  peer.send(put_of(10) + "abc");
  RawPeer other(server->port());
  other.send(get);
  CHECK(other.receive_reply().ends_with("GET /_health\n"));
  server->drain(10);
  CHECK(peer.receive_all() == "");
  CHECK(peer.closed_by_peer());
}

TEST_CASE("slow bodies: beyond those that may have workers a trickle ends, not a long upload") {
  ServerOptions options;
  options.slow_bodies_max = 2;
  Signal read;
  const auto server = serve(
      [&](Exchange& exchange) {
        char bytes[16 << 10];
        std::size_t sum = 0, count = 1;
        while (count > 0 && sum < 1'500'000) {
          const auto more = exchange.body.read(bytes);
          if (!more.ok()) return;
          sum += count = *more;
        }
        if (sum >= 1'500'000) read.give();
        while (count > 0) {
          const auto more = exchange.body.read(bytes);
          if (!more.ok()) return;
          sum += count = *more;
        }
        answer(exchange, 200, std::to_string(sum));
      },
      options);
  RawPeer upload(server->port());
  upload.send(put_of(2'000'000) + std::string(1'500'000, 'x'));
  REQUIRE(read.wait());
  // Two more than may wait: of the three the slowest goes, and again.
  Peers trickles;
  for (int i = 0; i < 3; ++i) {
    trickles.push_back(std::make_unique<RawPeer>(server->port()));
    trickles.back()->send(put_of(2'000'000) + std::string(5'000, 'x'));
    if (i > 0) CHECK(trickles[static_cast<std::size_t>(i) - 1]->receive_all() == "");
  }
  upload.send(std::string(500'000, 'x'));
  CHECK(upload.receive_reply().ends_with("2000000"));
}

TEST_CASE("slow bodies: bodies of refused requests hold few workers, and others are answered") {
  constexpr std::size_t count = 120;
  ServerOptions options;
  options.max_workers = 64;
  options.linger_ms = 600'000;
  options.queue_ms = 600'000;
  const auto server = serve(
      [](Exchange& exchange) { answer(exchange, exchange.head.method == "PUT" ? 401 : 200, "x"); },
      options);
  Peers strangers;
  for (std::size_t i = 0; i < count; ++i) {
    strangers.push_back(std::make_unique<RawPeer>(server->port()));
    strangers.back()->send(put_of(100'000) + std::string(5'000, 'x'));
    REQUIRE(strangers.back()->receive_reply().starts_with("HTTP/1.1 401 "));
  }
  RawPeer other(server->port());
  other.send(get);
  CHECK(other.receive_reply().starts_with("HTTP/1.1 200 "));
  // Who sends all of a refused body at once keeps the connection, however many wait.
  other.send(put_of(5) + "hello" + get);
  CHECK(other.receive_reply().starts_with("HTTP/1.1 401 "));
  CHECK(other.receive_reply().starts_with("HTTP/1.1 200 "));
}

}  // namespace server_slow_bodies_test
