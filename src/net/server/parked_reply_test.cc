// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "net/http/parked_stream.h"
#include "net/server/certificate_for_tests.h"
#include "net/server/raw_peer.h"
#include "net/server/server.h"
#include "net/testing.h"

namespace parked_reply_test {

using namespace cairn;
using namespace cairn::net;

namespace {

const std::string get = "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n";

/// Streams that handlers parked, for a test that feeds them.
class Parked {
 public:
  void add(std::shared_ptr<ParkedStream> stream) {
    const std::lock_guard lock(mutex_);
    streams_.push_back(std::move(stream));
  }
  std::vector<std::shared_ptr<ParkedStream>> all() {
    const std::lock_guard lock(mutex_);
    return streams_;
  }
  std::shared_ptr<ParkedStream> wait_for(std::size_t count) {
    REQUIRE(eventually([&] { return all().size() >= count; }));
    return all()[count - 1];
  }
  /// A minute is long enough for any machine.
  template <class Condition>
  static bool eventually(Condition condition) {
    for (int i = 0; i < 60'000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<ParkedStream>> streams_;
};

Handler parking(Parked& parked) {
  return [&parked](Exchange& exchange) {
    if (exchange.head.path() != "/stream") return answer(exchange, 200, "plain");
    Headers headers;
    headers.add("Content-Type", "text/event-stream");
    CHECK(exchange.reply.begin(200, headers, std::nullopt).ok());
    CHECK(exchange.reply.write("first;").ok());
    auto stream = park(exchange.reply);
    REQUIRE(stream != nullptr);
    CHECK(stream->is_open());
    CHECK_FALSE(stream->offer("too early"));
    parked.add(std::move(stream));
  };
}

/// So many bytes, or fewer where the peer closes.
std::string receive(RawPeer& peer, std::size_t count) {
  std::string out;
  std::string piece(64 << 10, '\0');
  while (out.size() < count) {
    const ssize_t got =
        ::recv(peer.descriptor(), piece.data(), std::min(piece.size(), count - out.size()), 0);
    if (got <= 0) break;
    out.append(piece, 0, static_cast<std::size_t>(got));
  }
  return out;
}

bool offer_patiently(ParkedStream& stream, std::string_view bytes) {
  return Parked::eventually([&] { return stream.offer(bytes) || !stream.is_open(); }) &&
         stream.is_open();
}

}  // namespace

TEST_CASE("parked replies: what is offered leaves in chunks, and end() ends the body") {
  Parked parked;
  const auto server = serve(parking(parked));
  RawPeer peer(server->port());
  peer.send(get);
  const auto stream = parked.wait_for(1);
  const std::string head = peer.receive_until("first;\r\n");
  CHECK(head.starts_with("HTTP/1.1 200 OK"));
  CHECK(offer_patiently(*stream, "second;"));
  CHECK(peer.receive_until("second;\r\n") == "7\r\nsecond;\r\n");
  CHECK(Parked::eventually([&] { return stream->end(); }));
  CHECK(peer.receive_all() == "0\r\n\r\n");
  CHECK_FALSE(stream->is_open());
  CHECK_FALSE(stream->offer("too late"));
}

TEST_CASE("parked replies: a client of HTTP/1.0 gets the bytes as they are") {
  Parked parked;
  const auto server = serve(parking(parked));
  RawPeer peer(server->port());
  peer.send("GET /stream HTTP/1.0\r\n\r\n");
  const auto stream = parked.wait_for(1);
  peer.receive_until("first;");
  CHECK(offer_patiently(*stream, "second;"));
  CHECK(peer.receive_until("second;") == "second;");
  CHECK(Parked::eventually([&] { return stream->end(); }));
  CHECK(peer.receive_all().empty());
  CHECK(peer.closed_by_peer());
}

TEST_CASE("parked replies: they hold no worker") {
  Parked parked;
  ServerOptions options;
  options.max_workers = 2;
  options.reserved_workers = 1;
  const auto server = serve(parking(parked), options);
  std::vector<std::unique_ptr<RawPeer>> peers;
  for (std::size_t i = 0; i < 40; ++i) {
    peers.push_back(std::make_unique<RawPeer>(server->port()));
    peers.back()->send(get);
    peers.back()->receive_until("first;\r\n");
  }
  parked.wait_for(40);
  RawPeer other(server->port());
  other.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(other.receive_reply().ends_with("plain"));
  for (const auto& stream : parked.all()) CHECK(offer_patiently(*stream, "still there"));
}

TEST_CASE("parked replies: they end when their peer closes, or ends its sending") {
  Parked parked;
  const auto server = serve(parking(parked));
  RawPeer gone(server->port()), half(server->port());
  gone.send(get);
  gone.receive_until("first;\r\n");
  half.send(get);
  half.receive_until("first;\r\n");
  parked.wait_for(2);
  gone.close();
  half.half_close();
  for (const auto& stream : parked.all())
    CHECK(Parked::eventually([&] { return !stream->is_open(); }));
  CHECK(half.receive_all().empty());
}

TEST_CASE("parked replies: one that its peer is slow to take takes nothing more until it has") {
  Parked parked;
  const auto server = serve(parking(parked));
  RawPeer peer(server->port(), 4 << 10);
  peer.send(get);
  const auto stream = parked.wait_for(1);
  peer.receive_until("first;\r\n");
  const std::string large(8 << 20, 'x');
  REQUIRE(offer_patiently(*stream, large));
  CHECK_FALSE(stream->offer("more"));
  CHECK_FALSE(stream->offer("more"));
  CHECK(stream->is_open());
  const std::string expected = "800000\r\n" + large + "\r\n";
  const std::string got = receive(peer, expected.size());
  CHECK((got == expected));  // not shown
  CHECK(offer_patiently(*stream, "more"));
  CHECK(peer.receive_until("more\r\n") == "4\r\nmore\r\n");
}

TEST_CASE("parked replies: one whose peer takes nothing for long is cut off") {
  Parked parked;
  ServerOptions options;
  options.write_stall_ms = 60;
  const auto server = serve(parking(parked), options);
  RawPeer slow(server->port(), 4 << 10), quiet(server->port());
  slow.send(get);
  const auto stream = parked.wait_for(1);
  slow.receive_until("first;\r\n");
  quiet.send(get);
  const auto idle = parked.wait_for(2);
  quiet.receive_until("first;\r\n");
  REQUIRE(offer_patiently(*stream, std::string(8 << 20, 'x')));
  CHECK(Parked::eventually([&] { return !stream->is_open(); }));
  CHECK(idle->is_open());  // nothing waits for it
}

TEST_CASE("parked replies: a peer that goes on sending is read, but not for ever") {
  Parked parked;
  const auto server = serve(parking(parked));
  RawPeer chatty(server->port()), flooding(server->port());
  chatty.send(get + get);  // the second is never answered
  const auto stream = parked.wait_for(1);
  chatty.receive_until("first;\r\n");
  CHECK(offer_patiently(*stream, "one"));
  chatty.receive_until("one\r\n");
  chatty.send("more");
  CHECK(offer_patiently(*stream, "two"));
  CHECK(chatty.receive_until("two\r\n") == "3\r\ntwo\r\n");
  flooding.send(get);
  const auto other = parked.wait_for(2);
  const std::string piece(32 << 10, 'y');
  while (other->is_open() && flooding.send(piece)) {
  }
  CHECK(Parked::eventually([&] { return !other->is_open(); }));
  CHECK(parked.all().size() == 2);
}

TEST_CASE("parked replies: draining ends them, and they outlive their server") {
  Parked parked;
  auto server = serve(parking(parked));
  RawPeer peer(server->port());
  peer.send(get);
  const auto stream = parked.wait_for(1);
  peer.receive_until("first;\r\n");
  server->drain(60'000);
  CHECK(peer.receive_all() == "0\r\n\r\n");
  CHECK_FALSE(stream->is_open());
  server.reset();
  CHECK_FALSE(stream->offer("nobody"));
  CHECK(stream->end());
}

TEST_CASE("parked replies: what cannot be parked is answered as usual") {
  const auto server = serve([](Exchange& exchange) {
    const bool has_length = exchange.head.path() == "/length";
    Headers headers;
    headers.add("Content-Type", "text/plain");
    CHECK(exchange.reply
              .begin(200, headers, has_length ? std::optional<std::uint64_t>(4) : std::nullopt)
              .ok());
    const bool parks = exchange.head.path() == "/unfed";
    CHECK((park(exchange.reply) != nullptr) == parks);
    if (parks) return;  // and nobody keeps it
    CHECK(exchange.reply.write("done").ok());
    CHECK(exchange.reply.end().ok());
  });
  RawPeer peer(server->port());
  peer.send("GET /length HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(peer.receive_reply().ends_with("done"));
  peer.send("HEAD /head HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(peer.receive_reply().starts_with("HTTP/1.1 200"));
  peer.send("GET /packed HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n");
  CHECK(peer.receive_until("\r\n0\r\n\r\n").find("gzip") != std::string::npos);
  peer.send("GET /unfed HTTP/1.1\r\nHost: x\r\n\r\n");
  peer.receive_all();
  CHECK(peer.closed_by_peer());
}

TEST_CASE("parked replies: under TLS") {
  const TestCertificate certificate("DNS:localhost,IP:127.0.0.1");
  Parked parked;
  ServerOptions options;
  options.tls = {.certificate_file = certificate.certificate_file(),
                 .key_file = certificate.key_file()};
  const auto server = serve(parking(parked), options);
  ClientOptions trusting;
  trusting.tls_ca_file = certificate.certificate_file();
  Client client(trusting);
  auto response = client.open(request_to(*server, "GET", "/stream", "https"), patiently());
  REQUIRE(response.ok());
  const auto stream = parked.wait_for(1);
  const std::string large(3 << 20, 'z');
  REQUIRE(offer_patiently(*stream, large));
  std::thread ending([&] {
    CHECK(offer_patiently(*stream, "last;"));
    CHECK(Parked::eventually([&] { return stream->end(); }));
  });
  const auto body = read_all((*response)->body(), 8 << 20);
  ending.join();
  REQUIRE(body.ok());
  CHECK(*body == "first;" + large + "last;");
}

TEST_CASE("parked replies: offers, ends, peers that go and a drain at the same time") {
  Parked parked;
  auto server = serve(parking(parked));
  std::atomic<bool> over{false};
  std::thread feeding([&] {
    std::size_t round = 0;
    while (!over) {
      for (const auto& stream : parked.all()) {
        stream->offer("event;");
        if (++round % 97 == 0) stream->end();
      }
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] {
      for (int round = 0; round < 40; ++round) {
        RawPeer peer(server->port());
        if (!peer.connected() || !peer.send(get)) return;
        peer.receive_until("event;");
      }
    });
  for (auto& each : clients) each.join();
  std::vector<std::unique_ptr<RawPeer>> left;
  for (int i = 0; i < 8; ++i) {
    left.push_back(std::make_unique<RawPeer>(server->port()));
    left.back()->send(get);
    left.back()->receive_until("first;");
  }
  server->drain(60'000);
  server.reset();
  over = true;
  feeding.join();
  for (const auto& stream : parked.all()) CHECK_FALSE(stream->is_open());
}

}  // namespace parked_reply_test
