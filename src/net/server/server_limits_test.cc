// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/sanitized.h"
#include "net/server/raw_peer.h"
#include "net/server/server.h"
#include "net/testing.h"
#include "os/cpu.h"

namespace server_limits_test {

using namespace cairn;
using namespace cairn::net;

namespace {

const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

// What a new connection receives after saying `bytes`, until the server closes it.
std::string said_to(const Server& server, std::string_view bytes) {
  RawPeer peer(server.port());
  peer.send(bytes);
  std::string all = peer.receive_all();
  CHECK(peer.closed_by_peer());
  return all;
}

}  // namespace

TEST_CASE("limits: after a refused head nothing of the connection is believed") {
  std::atomic<int> called{0};
  const auto server = serve([&](Exchange& exchange) {
    ++called;
    echo(exchange);
  });
  struct Case {
    std::string bytes;
    std::string status;
  };
  const std::string smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::vector<Case> cases = {
      {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: "
       "chunked\r\n\r\n0\r\n\r\n",
       "400 Bad Request"},
      {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd",
       "400 Bad Request"},
      {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n", "400 Bad Request"},
      {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
       "501 Not Implemented"},
      {"GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n", "400 Bad Request"},
      {"GET / HTTP/1.1\r\n\r\n", "400 Bad Request"},
      {"GET / HTTP/1.1\nHost: x\n\n", "400 Bad Request"},
      {"GET / HTTP/3.0\r\nHost: x\r\n\r\n", "505 HTTP Version Not Supported"},
      {"GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n", "417 Expectation Failed"},
      {"GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n", "414 URI Too Long"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.bytes.substr(0, 100));
    const std::string reply = said_to(*server, each.bytes + smuggled);
    CHECK(reply.starts_with("HTTP/1.1 " + each.status + "\r\n"));
    CHECK(reply.find("Connection: close\r\n") != std::string::npos);
    CHECK(reply.find("smuggled") == std::string::npos);
  }
  CHECK(called == 0);
}

TEST_CASE("limits: broken chunks end the connection after the handler's answer") {
  const auto server = serve(echo);
  const std::string reply = said_to(
      *server,
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n" +
          get);
  CHECK(reply.starts_with("HTTP/1.1 400 Bad Request\r\n"));
  CHECK(reply.find("GET /") == std::string::npos);
}

TEST_CASE("limits: heads that are too large or too many are answered with 431") {
  ServerOptions options;
  options.head_bytes_max = 4 << 10;
  options.headers_max = 10;
  const auto server = serve(echo, options);
  const std::string start = "GET / HTTP/1.1\r\nHost: x\r\n";
  CHECK(said_to(*server, start + "X: " + std::string(5000, 'x')).starts_with("HTTP/1.1 431 "));
  CHECK(said_to(*server, start + "X: " + std::string(100'000, 'x')).starts_with("HTTP/1.1 431 "));
  std::string many = start;
  for (int i = 0; i < 10; ++i) many += "X: y\r\n";
  CHECK(said_to(*server, many + "\r\n").starts_with("HTTP/1.1 431 "));
  RawPeer fine(server->port());
  fine.send(start + "X: " + std::string(3000, 'x') + "\r\n\r\n");
  CHECK(fine.receive_reply().starts_with("HTTP/1.1 200 "));
}

TEST_CASE("limits: bodies over the limit are refused, announced or not") {
  ServerOptions options;
  options.body_bytes_max = 1000;
  std::atomic<int> called{0};
  const auto server = serve(
      [&](Exchange& exchange) {
        ++called;
        echo(exchange);
      },
      options);
  CHECK(said_to(*server, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
            .starts_with("HTTP/1.1 413 Content Too Large\r\n"));
  CHECK(
      said_to(*server, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551615\r\n\r\n")
          .starts_with("HTTP/1.1 413 "));
  CHECK(called == 0);
  CHECK(said_to(*server, "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                             std::string(1001, 'x') + "\r\n0\r\n\r\n")
            .starts_with("HTTP/1.1 413 "));
  CHECK(called == 1);
  RawPeer fine(server->port());
  fine.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'x'));
  CHECK(fine.receive_reply().starts_with("HTTP/1.1 200 "));
}

TEST_CASE("limits: a head that does not come in time is answered with 408") {
  ServerOptions options;
  options.head_timeout_ms = 50;
  const auto server = serve(echo, options);
  CHECK(
      said_to(*server, "GET / HTTP/1.1\r\nHost:").starts_with("HTTP/1.1 408 Request Timeout\r\n"));
  // Trickling gains no time: the limit is on the whole head.
  RawPeer slow(server->port());
  std::thread trickle([&] {
    for (int i = 0; i < 2000 && slow.send("X"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  CHECK(slow.receive_all().starts_with("HTTP/1.1 408 "));
  slow.half_close();
  trickle.join();
}

TEST_CASE("limits: a connection that says nothing is closed without a word") {
  ServerOptions options;
  options.head_timeout_ms = 50;
  options.idle_timeout_ms = 50;
  const auto server = serve(echo, options);
  CHECK(said_to(*server, "") == "");
  RawPeer peer(server->port());
  peer.send(get);
  CHECK(peer.receive_reply().starts_with("HTTP/1.1 200 "));
  CHECK(peer.receive_all() == "");
  CHECK(peer.closed_by_peer());
}

TEST_CASE("limits: a body slower than the minimum rate is given up") {
  ServerOptions options;
  options.body_bytes_per_second_min = 1'000'000;
  options.small_body_bytes = 0;  // every body has a worker
  options.body_grace_ms = 50;
  options.linger_ms = 50;
  std::atomic<bool> timed_out{false};
  const auto server = serve(
      [&](Exchange& exchange) {
        const auto body = read_all(exchange.body, 1 << 20);
        timed_out = !body.ok() && body.error().kind == ErrorKind::timeout;
        answer(exchange, 408, "slow");
      },
      options);
  RawPeer peer(server->port());
  peer.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
  std::thread trickle([&] {
    for (int i = 0; i < 2000 && peer.send("x"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  CHECK(peer.receive_all().starts_with("HTTP/1.1 408 "));
  trickle.join();
  CHECK(timed_out);
}

TEST_CASE("limits: a peer that takes nothing of a reply is dropped") {
  ServerOptions options;
  options.write_stall_ms = 50;
  Signal failed;
  const auto server = serve(
      [&](Exchange& exchange) {
        const std::string piece(1 << 20, 'x');
        REQUIRE(exchange.reply.begin(200, {}, 1u << 30).ok());
        for (int i = 0; i < 1024; ++i) {
          const auto status = exchange.reply.write(piece);
          if (status.ok()) continue;
          CHECK(status.error().kind == ErrorKind::timeout);
          return failed.give();
        }
      },
      options);
  RawPeer peer(server->port(), 4096);
  peer.send(get);
  CHECK(failed.wait());
}

TEST_CASE("limits: many slow and silent connections keep nobody else waiting") {
  ServerOptions options;
  options.max_workers = 12;
  options.reserved_workers = 2;
  const auto server = serve(echo, options);
  std::vector<std::unique_ptr<RawPeer>> slow;
  for (int i = 0; i < 300; ++i) {
    slow.push_back(std::make_unique<RawPeer>(server->port()));
    REQUIRE(slow.back()->connected());
    slow.back()->send(i % 2 == 0 ? "GET / HTTP/1.1\r\nHost: x\r\nX: " : "");
  }
  RawPeer peer(server->port());
  for (int i = 0; i < 20; ++i) {
    peer.send(get);
    CHECK(peer.receive_reply().starts_with("HTTP/1.1 200 "));
  }
  slow[0]->send("y\r\n\r\n");
  CHECK(slow[0]->receive_reply().starts_with("HTTP/1.1 200 "));
}

TEST_CASE("limits: over the number of connections the longest idle one goes") {
  ServerOptions options;
  options.max_connections = 5;
  options.head_timeout_ms = options.idle_timeout_ms;
  const auto server = serve(echo, options);
  std::vector<std::unique_ptr<RawPeer>> peers;
  // The first sends nothing: after a reply a worker may hold a connection a little longer.
  peers.push_back(std::make_unique<RawPeer>(server->port()));
  for (int i = 1; i < 5; ++i) {
    peers.push_back(std::make_unique<RawPeer>(server->port()));
    peers.back()->send(get);
    CHECK(peers.back()->receive_reply().starts_with("HTTP/1.1 200 "));
  }
  RawPeer sixth(server->port());
  sixth.send(get);
  CHECK(sixth.receive_reply().starts_with("HTTP/1.1 200 "));
  CHECK(peers[0]->receive_all() == "");
  CHECK(peers[0]->closed_by_peer());
  peers[4]->send(get);
  CHECK(peers[4]->receive_reply().starts_with("HTTP/1.1 200 "));
}

TEST_CASE("limits: the deadline of a request ends its waiting") {
  ServerOptions options;
  options.request_timeout_ms = 50;
  const auto server = serve(echo, options);
  RawPeer peer(server->port());
  peer.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  CHECK(peer.receive_all().starts_with("HTTP/1.1 408 "));
}

TEST_CASE("limits: so many slow bodies have a worker; beyond, those that took longest end") {
  ServerOptions options;
  options.slow_bodies_max = 2;
  options.small_body_bytes = 0;  // every body has a worker
  const auto server = serve(echo, options);
  const std::string half = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc";
  std::vector<std::unique_ptr<RawPeer>> slow;
  for (int i = 0; i < 5; ++i) {
    slow.push_back(std::make_unique<RawPeer>(server->port()));
    slow.back()->send(half);
    // Whoever comes later than two others that wait sends the longest waiting away.
    if (i < 2) continue;
    int closed = 0;
    while (closed < i - 1) {
      closed = 0;
      for (const auto& each : slow) {
        pollfd gone{each->descriptor(), POLLRDHUP, 0};
        closed += ::poll(&gone, 1, 1) > 0 && (gone.revents & (POLLRDHUP | POLLHUP)) != 0 ? 1 : 0;
      }
    }
    CHECK(closed == i - 1);
  }
  int answered = 0;
  for (const auto& each : slow) {
    if (!each->send("def")) continue;
    answered += each->receive_until("abcdef").starts_with("HTTP/1.1 200 ") ? 1 : 0;
  }
  CHECK(answered == 2);
}

TEST_CASE("limits: a body that ends too early reaches no handler as a whole one") {
  const auto server = serve(echo);
  RawPeer peer(server->port());
  peer.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  peer.half_close();
  CHECK(peer.receive_all().starts_with("HTTP/1.1 400 "));
}

TEST_CASE("limits: without descriptors the listener rests, and goes on when there are some") {
  const auto server = serve(echo);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(fd >= 0);
  const Closing closing(fd);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{static_cast<rlim_t>(fd + 1), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  std::vector<std::unique_ptr<Closing>> holes;
  for (int hole = 0; (hole = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) {
    holes.push_back(std::make_unique<Closing>(hole));
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(server->port());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  CHECK(::send(fd, get.data(), get.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(get.size()));
  pollfd ready{fd, POLLIN, 0};
  CHECK(::poll(&ready, 1, 60) == 0);
  holes.clear();
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(::poll(&ready, 1, 60'000) == 1);
  char some[12] = "";
  CHECK(::recv(fd, some, sizeof some, 0) == sizeof some);
  CHECK(std::string_view(some, sizeof some) == "HTTP/1.1 200");
}

TEST_CASE("limits: an idle connection costs no thread and little memory") {
  constexpr std::size_t count = 300;
  ServerOptions options;
  options.name = "idle";
  const auto server = serve(echo, options);
  std::vector<std::unique_ptr<RawPeer>> peers;
  const auto open_more = [&](std::size_t number) {
    for (std::size_t i = 0; i < number; ++i) {
      peers.push_back(std::make_unique<RawPeer>(server->port()));
      peers.back()->send(get);
      REQUIRE(peers.back()->receive_reply().starts_with("HTTP/1.1 200 "));
    }
  };
  open_more(50);
  const std::size_t before = os::resident_bytes();
  open_more(count);
  const std::size_t after = os::resident_bytes();
  CHECK((sanitized || after < before + count * 4096));
  const auto threads = std::filesystem::directory_iterator("/proc/self/task");
  CHECK(std::distance(begin(threads), end(threads)) < 30);
}

}  // namespace server_limits_test
