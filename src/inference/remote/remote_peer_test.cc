// SPDX-License-Identifier: Apache-2.0
// Requests to other servers: what repeats them, what their refusals become, and where they may go.
#include "inference/remote/remote_peer.h"

#include <doctest/doctest.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "inference/remote/remote_models.h"
#include "inference/remote/scripted_server.h"
#include "net/address.h"

namespace cairn::inference::remote_peer_test {
namespace {

constexpr std::string_view key = "sk-very-secret";

/// Waits pass at once, and are added up.
class CountedWaits final : public ratelimit::Waits {
 public:
  explicit CountedWaits(os::FakeClock& clock) : clock_(clock) {}
  bool sleep_ms(std::int64_t ms, const os::Deadline&) override {
    waited_ms += ms;
    clock_.advance_ms(ms);
    return true;
  }
  std::int64_t waited_ms = 0;

 private:
  os::FakeClock& clock_;
};

struct Peer {
  explicit Peer(const std::string& url, const std::vector<std::string>& allowed = {"127.0.0.1"},
                std::optional<std::int64_t> per_minute = {})
      : client(options(allowed)) {
    endpoint.inference_id = "there";
    endpoint.remote = RemoteSettings{.url = url, .requests_per_minute = per_minute};
    endpoint.remote->sealed_key =
        backwards_seal().seal(key, key_context(endpoint.inference_id, *endpoint.remote));
    peer.emplace(endpoint, backwards_seal(), client, clock, os::system_random(), &waits);
  }
  static net::ClientOptions options(const std::vector<std::string>& allowed) {
    auto out = remote_client_options(allowed);
    REQUIRE(out.ok());
    return *std::move(out);
  }
  Result<std::string> post(std::size_t most_bytes = 1 << 20) {
    return peer->post(R"({"a":1})", most_bytes, net::patiently());
  }

  os::FakeClock clock;
  CountedWaits waits{clock};
  net::Client client;
  Endpoint endpoint;
  std::optional<RemotePeer> peer;
};

std::string status_in(const Error& error) {
  for (const auto& [name, value] : error.details)
    if (name == "_status") return value;
  return {};
}

TEST_CASE("remote peer: a request has the key, and an answer comes whole") {
  ScriptedServer server([](const SeenRequest&) { return ScriptedReply{.body = "{}"}; });
  Peer peer(server.url("/v1/x"));
  CHECK(peer.post().value() == "{}");
  const auto seen = server.seen();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].target == "/v1/x");
  CHECK(seen[0].authorization == "Bearer " + std::string(key));
  CHECK(seen[0].body.dump() == R"({"a":1})");
}

TEST_CASE("remote peer: refusals become errors that say who refused what") {
  struct Row {
    int status;
    ErrorKind kind;
    const char* shown;
    const char* says;
  };
  const std::vector<Row> rows = {
      {400, ErrorKind::invalid_argument, "", "answered with status 400: no [your key is …] good"},
      {401, ErrorKind::unavailable, "502", "refused the API key of the endpoint"},
      {403, ErrorKind::unavailable, "502", "refused the API key of the endpoint"},
      {404, ErrorKind::invalid_argument, "", "answered with status 404"},
      {302, ErrorKind::unavailable, "502", "redirects are not followed"},
      {408, ErrorKind::unavailable, "504", "answered with status 408"},
      {500, ErrorKind::unavailable, "502", "answered with status 500"},
      {504, ErrorKind::unavailable, "504", "answered with status 504"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.status);
    ScriptedServer server([&](const SeenRequest&) {
      return ScriptedReply{
          .status = row.status,
          .body = R"({"error":{"message":"no [your key is )" + std::string(key) + R"(] good"}})",
          .headers = {{"Location", "/elsewhere"}}};
    });
    Peer peer(server.url("/"));
    const auto answer = peer.post();
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().kind == row.kind);
    CHECK(answer.error().code == "status_exception");
    CHECK(status_in(answer.error()) == row.shown);
    CHECK(answer.error().message.starts_with("Service [openai] at [127.0.0.1:"));
    CHECK(answer.error().message.find("] of inference endpoint [there]: ") != std::string::npos);
    CHECK(answer.error().message.find(row.says) != std::string::npos);
    CHECK(answer.error().message.find(key) == std::string::npos);
    CHECK(server.seen().size() == 1);
  }
}

TEST_CASE("remote peer: 429 and 503 are repeated as the headers ask") {
  for (const int status : {429, 503}) {
    CAPTURE(status);
    std::atomic<int> refusals = 2;
    ScriptedServer server([&](const SeenRequest&) {
      if (refusals-- <= 0) return ScriptedReply{.body = "[]"};
      return ScriptedReply{.status = status, .headers = {{"Retry-After", "7"}}};
    });
    Peer peer(server.url("/"));
    CHECK(peer.post().value() == "[]");
    CHECK(server.seen().size() == 3);
    // The first wait turned out too short, so that the second is longer.
    CHECK(peer.waits.waited_ms == 21'000);
  }
}

TEST_CASE("remote peer: a wait in milliseconds is understood, and no wait is a second") {
  std::atomic<bool> refuses = true;
  ScriptedServer server([&](const SeenRequest&) {
    if (!refuses.exchange(false)) return ScriptedReply{.body = "[]"};
    return ScriptedReply{.status = 429, .headers = {{"retry-after-ms", "2100"}}};
  });
  Peer peer(server.url("/"));
  CHECK(peer.post().ok());
  CHECK(peer.waits.waited_ms == 3'000);
  refuses = true;
  ScriptedServer silent([&](const SeenRequest&) {
    return ScriptedReply{.status = refuses.exchange(false) ? 429 : 200, .body = "[]"};
  });
  Peer other(silent.url("/"));
  CHECK(other.post().ok());
  CHECK(other.waits.waited_ms >= 1'000);
  CHECK(other.waits.waited_ms <= 1'100);
}

TEST_CASE("remote peer: a server that keeps refusing is given up") {
  ScriptedServer server([](const SeenRequest& request) {
    return ScriptedReply{.status = request.target == "/busy" ? 429 : 503,
                         .body = R"({"error":"slow down"})",
                         .headers = {{"Retry-After", "1"}}};
  });
  Peer busy(server.url("/busy"));
  const auto limited = busy.post();
  REQUIRE_FALSE(limited.ok());
  CHECK(limited.error().kind == ErrorKind::rate_limited);
  CHECK(limited.error().message.ends_with("answered with status 429: slow down"));
  CHECK(server.seen().size() == 4);
  Peer down(server.url("/down"));
  const auto failed = down.post();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().kind == ErrorKind::unavailable);
  CHECK(status_in(failed.error()) == "502");
}

TEST_CASE("remote peer: a wait that outlasts the deadline is an error at once") {
  ScriptedServer server([](const SeenRequest&) {
    return ScriptedReply{.status = 429, .headers = {{"Retry-After", "3600"}}};
  });
  Peer peer(server.url("/"));
  const auto answer = peer.post();
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().kind == ErrorKind::rate_limited);
  CHECK(server.seen().size() == 1);
  CHECK(peer.waits.waited_ms == 0);
}

TEST_CASE("remote peer: a server that cannot be reached is tried again, then told") {
  Peer peer("http://127.0.0.1:1/");  // a port on which nobody listens
  const auto answer = peer.post();
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().kind == ErrorKind::unavailable);
  CHECK(status_in(answer.error()) == "502");
  CHECK(peer.waits.waited_ms >= 7'000);  // one, two and four seconds
}

TEST_CASE("remote peer: what another service's headers say of its windows holds nobody") {
  std::atomic<int> refusals = 1;
  ScriptedServer server([&](const SeenRequest&) {
    return ScriptedReply{.status = refusals-- > 0 ? 429 : 200,
                         .body = "[]",
                         .headers = {{"x-ratelimit-remaining", "0"},
                                     {"x-ratelimit-reset", "1795500000000"}}};
  });
  Peer peer(server.url("/"));
  CHECK(peer.post().ok());
  CHECK(peer.post().ok());
  CHECK(peer.waits.waited_ms <= 1'100);
}

TEST_CASE("remote peer: no server holds an endpoint for longer than five minutes") {
  for (const char* asked : {"86400000", "Tue, 01 Jan 2999 00:00:00 GMT"}) {
    CAPTURE(asked);
    std::atomic<int> refusals = 1;
    ScriptedServer server([&](const SeenRequest&) {
      return ScriptedReply{.status = refusals-- > 0 ? 429 : 200,
                           .body = "[]",
                           .headers = {{"Retry-After", asked}}};
    });
    Peer peer(server.url("/"));
    CHECK_FALSE(peer.post().ok());
    peer.clock.advance_ms(5 * 60'000);
    CHECK(peer.post().ok());
  }
  std::atomic<int> refusals = 1;
  ScriptedServer server([&](const SeenRequest&) {
    return ScriptedReply{.status = refusals-- > 0 ? 429 : 200,
                         .body = "[]",
                         .headers = {{"Retry-After", "99999999999999999999"}}};
  });
  Peer peer(server.url("/"));
  CHECK(peer.post().ok());
  CHECK(peer.waits.waited_ms <= 1'100);  // as if it had said nothing
}

TEST_CASE("remote peer: a failure is one call's, and no other call waits for it") {
  std::atomic<bool> fails = true;
  ScriptedServer server([&](const SeenRequest&) {
    if (!fails) return ScriptedReply{.body = "[]"};
    return ScriptedReply{.status = 503, .headers = {{"Retry-After", "20"}}};
  });
  Peer peer(server.url("/"));
  const auto failed = peer.post();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().kind == ErrorKind::unavailable);
  CHECK(failed.error().message.ends_with("answered with status 503"));
  const std::int64_t waited_ms = peer.waits.waited_ms;
  fails = false;
  CHECK(peer.post().ok());
  CHECK(peer.waits.waited_ms == waited_ms);
}

/// Takes a request as far as its first bytes, and closes the connection without a word.
class CuttingServer {
 public:
  CuttingServer() {
    auto listener = net::listen_on({"127.0.0.1", 0});
    REQUIRE(listener.ok());
    listener_ = *listener;
    url = "http://127.0.0.1:" + std::to_string(net::local_address(listener_)->port()) + "/";
    thread_ = std::thread([this] { run(); });
  }
  ~CuttingServer() {
    ends_ = true;
    thread_.join();
    ::close(listener_);
  }
  std::string url;
  std::atomic<int> requests = 0;

 private:
  void run() {
    while (!ends_) {
      pollfd ready{listener_, POLLIN, 0};
      if (::poll(&ready, 1, 20) != 1) continue;
      const net::Closing connection(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
      char bytes[4'096];
      if (::recv(connection.descriptor, bytes, sizeof bytes, 0) > 0) ++requests;
    }
  }
  int listener_ = -1;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

TEST_CASE("remote peer: what a server may have read is not sent again") {
  CuttingServer server;
  Peer peer(server.url);
  const auto answer = peer.post();
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().kind == ErrorKind::unavailable);
  CHECK(status_in(answer.error()) == "502");
  CHECK(server.requests == 1);
  CHECK(peer.waits.waited_ms == 0);
}

TEST_CASE("remote peer: no part of a key stays where a long refusal is cut") {
  for (const std::size_t before : {985, 990, 995, 999, 1'000}) {
    CAPTURE(before);
    ScriptedServer server([&](const SeenRequest&) {
      const std::string echo = std::string(before, 'x') + std::string(key) + " is no key";
      return ScriptedReply{
          .status = 400,
          .body = Json::object({{"error", Json::object({{"message", echo}})}}).dump()};
    });
    Peer peer(server.url("/"));
    const auto answer = peer.post();
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().message.find("xsk") == std::string::npos);
    CHECK(answer.error().message.find("xs") == std::string::npos);
    CHECK(answer.error().message.size() < 1'200);
  }
}

TEST_CASE("remote peer: addresses that are not public need the setting") {
  ScriptedServer server([](const SeenRequest&) { return ScriptedReply{.body = "{}"}; });
  Peer peer(server.url("/"), {});
  const auto answer = peer.post();
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().kind == ErrorKind::invalid_argument);
  CHECK(answer.error().message.find("inference.remote.allowed_hosts") != std::string::npos);
  CHECK(server.seen().empty());
  CHECK_FALSE(remote_client_options({"not a host"}).ok());
}

TEST_CASE("remote peer: an answer beyond its bound is refused") {
  ScriptedServer server(
      [](const SeenRequest&) { return ScriptedReply{.body = std::string(100, ' ')}; });
  Peer peer(server.url("/"));
  const auto answer = peer.post(99);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().kind == ErrorKind::unavailable);
  CHECK(status_in(answer.error()) == "502");
  CHECK(peer.post(100).ok());
}

TEST_CASE("remote peer: a key that was sealed for another place is not sent") {
  ScriptedServer server([](const SeenRequest&) { return ScriptedReply{.body = "{}"}; });
  Peer peer(server.url("/"));
  Endpoint moved = peer.endpoint;
  moved.remote->url = server.url("/elsewhere");
  CHECK_FALSE(peer.peer->serves(moved));
  RemotePeer other(moved, backwards_seal(), peer.client, peer.clock, os::system_random());
  const auto answer = other.post("{}", 100, net::patiently());
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().kind == ErrorKind::corrupt);
  CHECK(server.seen().empty());
}

TEST_CASE("remote peer: requests keep the pace that the endpoint sets") {
  ScriptedServer server([](const SeenRequest&) { return ScriptedReply{.body = "{}"}; });
  Peer peer(server.url("/"), {"127.0.0.1"}, 60);
  for (int i = 0; i < 3; ++i) CHECK(peer.post().ok());
  CHECK(peer.waits.waited_ms == 2'000);
}

TEST_CASE("remote peer: the deadline ends a request") {
  net::Signal asked;
  net::Signal answer;
  ScriptedServer server([&](const SeenRequest&) {
    asked.give();
    answer.wait();
    return ScriptedReply{.body = "{}"};
  });
  Peer peer(server.url("/"));
  std::stop_source stop;
  std::optional<Result<std::string>> got;
  std::thread caller(
      [&] { got = peer.peer->post("{}", 100, os::Deadline::in_ms(60'000, stop.get_token())); });
  CHECK(asked.wait());
  stop.request_stop();
  caller.join();
  answer.give();
  REQUIRE_FALSE(got->ok());
  CHECK(got->error().kind == ErrorKind::cancelled);
}

}  // namespace
}  // namespace cairn::inference::remote_peer_test
