// SPDX-License-Identifier: Apache-2.0
// N02 and N03: where a hostile service leads a call, and how much of its answer is taken.
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "net/address.h"
#include "net/client/outbound.h"
#include "objectclient/testing.h"

namespace outbound_calls_test {

using namespace cairn;
using namespace cairn::objectclient;

namespace {

ClientOptions told(ClientOptions options) {
  options.raise_response_errors = false;
  options.max_attempts = 1;
  options.http_read_timeout = 30.0;
  return options;
}

/// A client that may reach what `allowed` names on this machine.
Client guarded(MadeUp& made_up, const std::string& allowed, ClientOptions options) {
  auto rules = net::OutboundRules::parse({allowed}, "the.setting");
  REQUIRE(rules.ok());
  Environment environment = made_up.environment();
  environment.check_address = [rules = *rules](std::string_view host, const net::Address& at) {
    return rules.check(host, at);
  };
  auto opened = Client::open(std::move(options), std::move(environment));
  REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? std::string() : opened.error().message));
  return std::move(*opened);
}

/// Answers the first request with `head`, and then with `piece` again and again until the client
/// has gone, with a pause between them.
class EndlessService {
 public:
  EndlessService(std::string head, std::string piece, std::int64_t pause_ms = 0) {
    const auto listener = net::listen_on({"127.0.0.1", 0});
    REQUIRE(listener.ok());
    listener_ = *listener;
    port_ = net::local_address(listener_)->port();
    thread_ = std::thread([this, head = std::move(head), piece = std::move(piece), pause_ms] {
      pollfd ready{listener_, POLLIN, 0};
      if (::poll(&ready, 1, 30'000) != 1) return;
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      char some[16 << 10];
      if (::recv(fd, some, sizeof some, 0) > 0 && send(fd, head))
        while (send(fd, piece)) ::poll(nullptr, 0, static_cast<int>(pause_ms));
      ::close(fd);
    });
  }
  ~EndlessService() {
    thread_.join();
    ::close(listener_);
  }
  ClientOptions at() const {
    return told({.region = "eu-west-1",
                 .endpoint = "http://127.0.0.1:" + std::to_string(port_),
                 .access_key_id = "AKID",
                 .secret_access_key = "SECRET"});
  }
  std::uint64_t sent() const { return sent_; }

 private:
  bool send(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent_ += static_cast<std::uint64_t>(count);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> sent_{0};
  std::thread thread_;
};

std::string in_chunks(const std::string& status_and_fields) {
  return "HTTP/1.1 " + status_and_fields + "\r\nTransfer-Encoding: chunked\r\n\r\n";
}

const std::string chunk = "10000\r\n" + std::string(65'536, 'x') + "\r\n";

/// The third number in such a file: how far the kernel lets the buffer of a socket grow.
std::uint64_t buffer_bytes_max(const char* file) {
  std::ifstream in(file);
  std::uint64_t least = 0, usual = 0, most = 0;
  REQUIRE(!(in >> least >> usual >> most).fail());
  return most;
}

/// What may be under way in the buffers of both sockets.
std::uint64_t under_way() {
  return buffer_bytes_max("/proc/sys/net/ipv4/tcp_rmem") +
         buffer_bytes_max("/proc/sys/net/ipv4/tcp_wmem") + (1u << 20);
}

}  // namespace

TEST_CASE("N02: a redirect to a closed address is not followed, and nothing is sent there") {
  ScriptedService trap({{.body = "secret"}});
  for (const std::string& to :
       {trap.url() + "/b/k", std::string("http://169.254.169.254/latest/meta-data/"),
        std::string("http://[::ffff:a9fe:a9fe]/"), std::string("http://0x7f000001:1/")}) {
    CAPTURE(to);
    ScriptedService open(
        {{.status = 307, .body = error_xml("TemporaryRedirect"), .headers = {{"Location", to}}}});
    MadeUp made_up;
    const Client client = guarded(made_up, open.url().substr(7), told(at(open)));
    const auto got = client.get_object({.bucket = "b", .key = "k"});
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().kind == ErrorKind::permission_denied);
    CHECK(got.error().message.find("the.setting") != std::string::npos);
    CHECK(open.count() == 1);
  }
  CHECK(trap.count() == 0);
}

TEST_CASE("N02: redirects to other schemes, without end, or down to http end the call") {
  for (const char* to : {"file:///etc/passwd", "gopher://127.0.0.1:6379/_INFO", "ftp://h/x",
                         "http://user:word@h/", "http://", "http://h:0/"}) {
    CAPTURE(to);
    ScriptedService open(
        {{.status = 307, .body = error_xml("TemporaryRedirect"), .headers = {{"Location", to}}}});
    MadeUp made_up;
    const Client client = guarded(made_up, "127.0.0.1", told(at(open)));
    CHECK_FALSE(client.get_object({.bucket = "b", .key = "k"}).ok());
    CHECK(open.count() == 1);
  }
  ScriptedService circle([](const Seen& seen) -> Answer {
    return {.status = 307,
            .body = error_xml("TemporaryRedirect"),
            .headers = {{"Location", seen.target + "x"}}};
  });
  MadeUp made_up;
  const Client client = guarded(made_up, "127.0.0.1", told(at(circle)));
  CHECK_FALSE(client.get_object({.bucket = "b", .key = "k"}).ok());
  CHECK(circle.count() == 6);
}

TEST_CASE("N03: an endless body ends the call soon after its bound") {
  constexpr std::uint64_t most = 1u << 20;
  {
    EndlessService service(in_chunks("200 OK\r\nETag: \"e\""), chunk);
    MadeUp made_up;
    const auto got = guarded(made_up, "127.0.0.1", service.at())
                         .get_object({.bucket = "b", .key = "k"}, Target::memory(most));
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().kind == ErrorKind::too_large);
    CHECK(service.sent() < most + under_way());
  }
  {
    EndlessService service(
        in_chunks("206 Partial Content\r\nETag: \"e\"\r\nContent-Range: bytes 0-99/1000"), chunk);
    MadeUp made_up;
    const auto got = guarded(made_up, "127.0.0.1", service.at())
                         .get_object({.bucket = "b", .key = "k", .range = "bytes=0-99"});
    CHECK_FALSE(got.ok());
    CHECK(service.sent() < under_way());
  }
  {
    EndlessService service(in_chunks("403 Forbidden"), chunk);
    MadeUp made_up;
    CHECK_FALSE(
        guarded(made_up, "127.0.0.1", service.at()).get_object({.bucket = "b", .key = "k"}).ok());
    CHECK(service.sent() < (1u << 20) + under_way());
  }
  {
    EndlessService service(in_chunks("200 OK"), chunk);
    MadeUp made_up;
    CHECK_FALSE(guarded(made_up, "127.0.0.1", service.at()).list_objects_v2({.bucket = "b"}).ok());
    CHECK(service.sent() < (64u << 20) + under_way());
  }
}

TEST_CASE("N03: a head without end is left after its bound") {
  EndlessService service("HTTP/1.1 200 OK\r\nX-Long: ", std::string(65'536, 'x'));
  MadeUp made_up;
  CHECK_FALSE(
      guarded(made_up, "127.0.0.1", service.at()).get_object({.bucket = "b", .key = "k"}).ok());
  CHECK(service.sent() < under_way());
}

TEST_CASE("N03: a byte now and then does not outlive the deadline") {
  EndlessService service("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", "x", 10);
  MadeUp made_up;
  const auto got =
      guarded(made_up, "127.0.0.1", service.at())
          .get_object({.bucket = "b", .key = "k"}, {}, {.deadline = os::Deadline::in_ms(200)});
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().kind == ErrorKind::timeout);
}

TEST_CASE("N03: what a service calls compressed is not inflated") {
  const std::string packed = "\x1f\x8b\x08not inflated";
  ScriptedService service({{.body = packed, .headers = {{"Content-Encoding", "gzip"}}}});
  MadeUp made_up;
  const auto got =
      guarded(made_up, "127.0.0.1", told(at(service))).get_object({.bucket = "b", .key = "k"});
  REQUIRE(got.ok());
  CHECK(got.body() == packed);
}

}  // namespace outbound_calls_test
