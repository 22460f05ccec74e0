// SPDX-License-Identifier: Apache-2.0
#include "net/client/client.h"

#include <doctest/doctest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "net/address.h"
#include "net/server/raw_peer.h"
#include "net/testing.h"

namespace client_test {

using namespace cairn;
using namespace cairn::net;

namespace {

// A server by hand: accepts one connection after another, and does with each what it is told.
class Script {
 public:
  using Step = std::function<void(int descriptor)>;
  explicit Script(std::vector<Step> steps) {
    auto listener = listen_on({"127.0.0.1", 0});
    REQUIRE(listener.ok());
    listener_ = *listener;
    port_ = local_address(listener_)->port();
    thread_ = std::thread([this, steps = std::move(steps)] {
      for (const Step& step : steps) {
        pollfd ready{listener_, POLLIN, 0};
        if (::poll(&ready, 1, 30'000) != 1) return;
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        step(fd);
        ::close(fd);
      }
    });
  }
  ~Script() {
    thread_.join();
    ::close(listener_);
  }
  ClientRequest request(std::string method = "GET") const {
    ClientRequest request;
    request.method = std::move(method);
    request.url = {.scheme = "http", .host = "127.0.0.1", .port = port_, .target = "/"};
    return request;
  }
  /// Reads until `mark`, the end, or ten seconds.
  static std::string read_until(int fd, std::string_view mark) {
    std::string text;
    char c;
    while (text.find(mark) == std::string::npos && ::recv(fd, &c, 1, 0) == 1) text += c;
    return text;
  }
  static void say(int fd, std::string_view text) {
    static_cast<void>(!::send(fd, text.data(), text.size(), MSG_NOSIGNAL));
  }

 private:
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// Answers each request of a connection with the same words.
Script::Step answers(std::string reply, int times = 1) {
  return [reply, times](int fd) {
    for (int i = 0; i < times; ++i) {
      if (Script::read_until(fd, "\r\n\r\n").empty()) return;
      Script::say(fd, reply);
    }
  };
}

constexpr std::string_view ok_hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

class FailingBody final : public BodyReader {
 public:
  Result<std::size_t> read(std::span<char> into) override {
    if (count_++ > 3) return Error{.kind = ErrorKind::storage_full, .message = "of the stream"};
    std::fill(into.begin(), into.end(), 'x');
    return into.size();
  }
  std::optional<std::uint64_t> length() const override { return std::nullopt; }
  const Headers& trailers() const override { return none_; }

 private:
  int count_ = 0;
  Headers none_;
};

}  // namespace

TEST_CASE("client: bodies of all sizes, and connections are kept") {
  const auto server = serve(echo);
  Client client;
  bool first = true;
  for (const std::size_t size : {0u, 1u, 1000u, 70'000u, 5'000'000u}) {
    std::string body(size, 'x');
    for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + i % 23);
    auto request = request_to(*server, "PUT", "/big");
    request.body = body;
    const auto stream = client.open(request, patiently());
    REQUIRE(stream.ok());
    CHECK((*stream)->status() == 200);
    CHECK((*stream)->reused_connection() == !first);
    first = false;
    CHECK(read_all((*stream)->body(), 8 << 20).value_or("") == "PUT /big\n" + body);
  }
}

TEST_CASE("client: streams of known and unknown length, with trailers") {
  const auto server = serve([](Exchange& exchange) {
    const bool chunked = !exchange.body.length();
    const auto body = read_all(exchange.body, 8 << 20);
    REQUIRE(body.ok());
    answer(exchange, 200,
           (chunked ? "chunked " : "length ") + std::to_string(body->size()) + " " +
               exchange.body.trailers().joined("X-Sum"));
  });
  Client client;
  Headers trailers;
  trailers.add("X-Sum", "42");
  for (const bool known : {true, false}) {
    for (const bool expects : {true, false}) {
      StringBody body(std::string(300'000, 'x'), trailers, known);
      auto request = request_to(*server, "PUT", "/");
      request.body_stream = &body;
      request.expect_continue = expects;
      const auto reply = client.send(request, patiently());
      REQUIRE(reply.ok());
      CHECK(reply->body == (known ? "length 300000 " : "chunked 300000 42"));
    }
  }
}

TEST_CASE("client: a server that refuses gets no body after 100-continue was asked for") {
  const auto server = serve([](Exchange& exchange) { answer(exchange, 403, "no"); });
  Client client;
  StringBody body(std::string(100, 'x'));
  auto request = request_to(*server, "PUT", "/");
  request.body_stream = &body;
  request.expect_continue = true;
  const auto reply = client.send(request, patiently());
  REQUIRE(reply.ok());
  CHECK(reply->status == 403);
  char c;
  CHECK(*body.read({&c, 1}) == 1);  // nothing was taken from it
}

TEST_CASE("client: a server that never says 100 gets the body all the same") {
  Script script({[](int fd) {
    const std::string head = Script::read_until(fd, "\r\n\r\n");
    CHECK(head.find("Expect: 100-continue\r\n") != std::string::npos);
    CHECK(Script::read_until(fd, "body") == "body");
    Script::say(fd, ok_hello);
  }});
  ClientOptions options;
  options.continue_timeout_ms = 20;
  Client client(options);
  auto request = script.request("PUT");
  request.body = "body";
  request.expect_continue = true;
  CHECK(client.send(request, patiently())->body == "hello");
}

TEST_CASE("client: a large upload that is refused half-way gives the server's reason") {
  const auto server = serve([](Exchange& exchange) {
    char some[100];
    CHECK(exchange.body.read(some).ok());
    answer(exchange, 413, "too much");
  });
  Client client;
  for (const bool streamed : {true, false}) {
    const std::string bytes(30'000'000, 'x');
    StringBody body(bytes);
    auto request = request_to(*server, "PUT", "/");
    if (streamed) {
      request.body_stream = &body;
    } else {
      request.body = bytes;
    }
    const auto reply = client.send(request, patiently());
    REQUIRE_MESSAGE(reply.ok(), (reply.ok() ? "" : reply.error().message));
    CHECK(reply->status == 413);
    CHECK(reply->body == "too much");
  }
}

// A body that lies in a file, and must not be read where the client can send it from there.
class FileBody final : public BodyReader {
 public:
  FileBody(const std::string& bytes, std::uint64_t offset, std::uint64_t count)
      : file_(std::tmpfile()), section_{::fileno(file_), offset, count} {
    REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size());
    REQUIRE(std::fflush(file_) == 0);
  }
  ~FileBody() override { std::fclose(file_); }
  Result<std::size_t> read(std::span<char>) override {
    return Error{.kind = ErrorKind::internal, .message = "was read"};
  }
  std::optional<std::uint64_t> length() const override { return section_.count; }
  const Headers& trailers() const override { return none_; }
  std::optional<FileSection> file_section() const override { return section_; }

 private:
  std::FILE* file_;
  FileSection section_;
  Headers none_;
};

TEST_CASE("client: a body in a file is sent from there, and its end is noticed") {
  const auto server = serve(echo);
  Client client;
  std::string bytes;
  for (int i = 0; bytes.size() < 3'000'000; ++i) bytes += std::to_string(i);
  for (const bool expects : {true, false}) {
    FileBody body(bytes, 7, 2'500'000);
    auto request = request_to(*server, "PUT", "/");
    request.body_stream = &body;
    request.expect_continue = expects;
    const auto reply = client.send(request, patiently());
    REQUIRE_MESSAGE(reply.ok(), (reply.ok() ? "" : reply.error().message));
    CHECK((reply->body == "PUT /\n" + bytes.substr(7, 2'500'000)));
  }
  FileBody short_one(bytes, bytes.size() - 10, 11);
  auto request = request_to(*server, "PUT", "/");
  request.body_stream = &short_one;
  const auto reply = client.send(request, patiently());
  REQUIRE_FALSE(reply.ok());
  CHECK(reply.error().kind == ErrorKind::invalid_argument);
  FileBody whole(bytes, 0, bytes.size());
  request.body_stream = &whole;
  CHECK(client.send(request, patiently()).ok());  // on another connection
}

// What the system cannot send from (an eventfd stands for it) is read.
class UnsendableBody final : public BodyReader {
 public:
  explicit UnsendableBody(std::string bytes) : inner_(std::move(bytes)) {}
  ~UnsendableBody() override { ::close(descriptor_); }
  Result<std::size_t> read(std::span<char> into) override { return inner_.read(into); }
  std::optional<std::uint64_t> length() const override { return inner_.length(); }
  const Headers& trailers() const override { return inner_.trailers(); }
  std::optional<FileSection> file_section() const override {
    return FileSection{descriptor_, 0, *inner_.length()};
  }

 private:
  StringBody inner_;
  const int descriptor_ = ::eventfd(0, EFD_CLOEXEC);
};

TEST_CASE("client: a body in a file that cannot be sent from is read instead") {
  const auto server = serve(echo);
  Client client;
  UnsendableBody body(std::string(200'000, 'x'));
  auto request = request_to(*server, "PUT", "/");
  request.body_stream = &body;
  const auto reply = client.send(request, patiently());
  REQUIRE_MESSAGE(reply.ok(), (reply.ok() ? "" : reply.error().message));
  CHECK((reply->body == "PUT /\n" + std::string(200'000, 'x')));
}

TEST_CASE("client: replies in every framing") {
  const auto ask = [](std::string reply, std::string method = "GET") {
    Script script({answers(std::move(reply))});
    Client client;
    return client.send(script.request(std::move(method)), patiently());
  };
  CHECK(ask(std::string(ok_hello))->body == "hello");
  CHECK(ask("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: x\r\n\r\n")
            ->body == "abc");
  CHECK(ask("HTTP/1.1 200 OK\r\n\r\nto the end")->body == "to the end");
  CHECK(ask("HTTP/1.0 200 OK\r\n\r\nold")->body == "old");
  CHECK(ask("HTTP/1.1 204 No Content\r\n\r\n")->status == 204);
  CHECK(ask("HTTP/1.1 304 x\r\nContent-Length: 5\r\n\r\n")->body == "");
  CHECK(
      ask("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD")->headers.find("Content-Length") ==
      "5");
  CHECK(ask("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" +
            std::string(ok_hello))
            ->body == "hello");
}

TEST_CASE("client: what is not HTTP, or ends early, is an error of its kind") {
  const auto kind = [](std::string reply) {
    Script script({answers(std::move(reply))});
    Client client;
    const auto result = client.send(script.request("POST"), patiently());
    REQUIRE_FALSE(result.ok());
    return result.error().kind;
  };
  CHECK(kind("SSH-2.0-x\r\n\r\n") == ErrorKind::corrupt);
  CHECK(kind("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n") ==
        ErrorKind::corrupt);
  CHECK(kind("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n") == ErrorKind::corrupt);
  CHECK(kind("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n") == ErrorKind::corrupt);
  CHECK(kind("HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x')) == ErrorKind::corrupt);
  std::string interim;
  for (int i = 0; i < 100; ++i) interim += "HTTP/1.1 102 x\r\n\r\n";
  CHECK(kind(interim) == ErrorKind::corrupt);
  CHECK(kind("") == ErrorKind::unavailable);
  CHECK(kind("HTTP/1.1 200") == ErrorKind::unavailable);
  CHECK(kind("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel") == ErrorKind::unavailable);
  CHECK(kind("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab") ==
        ErrorKind::unavailable);
  CHECK(kind("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n") ==
        ErrorKind::unavailable);
}

TEST_CASE("client: a kept connection that the server closed meanwhile costs nothing") {
  Signal closed;
  Script script({[&](int fd) {
                   answers(std::string(ok_hello))(fd);
                   ::shutdown(fd, SHUT_RDWR);
                   closed.give();
                 },
                 answers(std::string(ok_hello))});
  Client client;
  CHECK(client.send(script.request(), patiently())->body == "hello");
  REQUIRE(closed.wait());
  const auto stream = client.open(script.request("POST"), patiently());
  REQUIRE(stream.ok());
  CHECK_FALSE((*stream)->reused_connection());
  CHECK(read_all((*stream)->body(), 10).value_or("") == "hello");
}

TEST_CASE(
    "client: a request on a kept connection that breaks is repeated once, if that is harmless") {
  // The first connection is closed when its second request has been read: no byte of a reply.
  const auto breaks = [](int fd) {
    answers(std::string(ok_hello))(fd);
    Script::read_until(fd, "\r\n\r\n");
  };
  {
    Script script({breaks, answers(std::string(ok_hello))});
    Client client;
    CHECK(client.send(script.request(), patiently())->body == "hello");
    const auto stream = client.open(script.request(), patiently());
    REQUIRE(stream.ok());
    CHECK_FALSE((*stream)->reused_connection());
    CHECK(read_all((*stream)->body(), 10).value_or("") == "hello");
  }
  {
    Script script({breaks});
    Client client;
    CHECK(client.send(script.request(), patiently())->body == "hello");
    const auto refused = client.send(script.request("POST"), patiently());
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().kind == ErrorKind::unavailable);
  }
  {
    // A fresh connection that breaks is not tried again.
    Script script({[](int fd) { Script::read_until(fd, "\r\n\r\n"); }});
    Client client;
    CHECK_FALSE(client.send(script.request(), patiently()).ok());
  }
}

TEST_CASE("client: old connections, and those of a reply that was not read, are not used again") {
  const auto server =
      serve([&](Exchange& exchange) { answer(exchange, 200, exchange.head.peer_address); });
  ClientOptions options;
  options.idle_timeout_ms = 0;
  Client forgetful(options);
  for (int i = 0; i < 2; ++i) {
    const auto stream = forgetful.open(request_to(*server, "GET", "/"), patiently());
    REQUIRE(stream.ok());
    CHECK_FALSE((*stream)->reused_connection());
    CHECK(read_all((*stream)->body(), 100).value_or("") == "127.0.0.1");
  }
  Client client;
  for (int i = 0; i < 2; ++i) {
    const auto unread = client.open(request_to(*server, "GET", "/"), patiently());
    REQUIRE(unread.ok());
    CHECK_FALSE((*unread)->reused_connection());
  }
}

TEST_CASE("client: large pieces are waited for, but not those of a slow peer") {
  std::string body(3'000'000, ' ');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>('a' + i % 23);
  const std::size_t begun = 100'000;
  const int told = ::eventfd(0, EFD_CLOEXEC);
  Script script({[&](int fd) {
    for (int i = 0; i < 2; ++i) {
      if (Script::read_until(fd, "\r\n\r\n").empty()) return;
      Script::say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + body.substr(0, begun));
      std::uint64_t go = 0;
      if (i == 0) static_cast<void>(!::read(told, &go, sizeof go));
      Script::say(fd, body.substr(begun));
    }
    Script::read_until(fd, "\r\n\r\n");
    Script::say(fd, ok_hello);  // less than was waited for before
    Script::read_until(fd, "never");
  }});
  Client client;
  for (int i = 0; i < 2; ++i) {
    const auto stream = client.open(script.request(), patiently());
    REQUIRE(stream.ok());
    std::vector<char> piece(512 << 10);
    std::string got;
    while (got.size() < body.size()) {
      const auto count = (*stream)->body().read(piece);
      REQUIRE(count.ok());
      got.append(piece.data(), *count);
      // The peer sends the rest only when the beginning is here.
      const std::uint64_t go = 1;
      if (i == 0 && got.size() == begun) REQUIRE(::write(told, &go, sizeof go) == sizeof go);
    }
    CHECK(got == body);
    CHECK((*stream)->reused_connection() == (i > 0));
  }
  CHECK(client.send(script.request(), patiently())->body == "hello");
  ::close(told);
}

TEST_CASE("client: a head that comes byte by byte has to be whole in time") {
  Script script({[](int fd) {
    Script::read_until(fd, "\r\n\r\n");
    Script::say(fd, "HTTP/1.1 200 OK\r\nX-Trickle: ");
    // Until the client has gone; each byte comes well within the time between two.
    char c;
    for (;;) {
      pollfd gone{fd, POLLIN, 0};
      if (::poll(&gone, 1, 2) == 1 && ::recv(fd, &c, 1, 0) <= 0) return;
      if (::send(fd, "x", 1, MSG_NOSIGNAL) != 1) return;
    }
  }});
  ClientOptions options;
  options.read_timeout_ms = 300;
  Client client(options);
  const auto late = client.send(script.request(), patiently());
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().kind == ErrorKind::timeout);
  CHECK(late.error().message.find("does not come to its end") != std::string::npos);
}

TEST_CASE("client: deadlines, stops and time-outs end every wait") {
  const auto silent = [](int fd) { Script::read_until(fd, "never"); };
  {
    Script script({silent});
    Client client;
    const auto late = client.send(script.request(), os::Deadline::in_ms(30));
    REQUIRE_FALSE(late.ok());
    CHECK(late.error().kind == ErrorKind::timeout);
  }
  {
    Script script({silent});
    ClientOptions options;
    options.read_timeout_ms = 30;
    Client client(options);
    const auto late = client.send(script.request(), patiently());
    REQUIRE_FALSE(late.ok());
    CHECK(late.error().kind == ErrorKind::timeout);
  }
  {
    std::stop_source stop;
    Script script({[&](int fd) {
      Script::read_until(fd, "\r\n\r\n");
      stop.request_stop();
      Script::read_until(fd, "never");
    }});
    Client client;
    const auto stopped = client.send(script.request(), os::Deadline::never(stop.get_token()));
    REQUIRE_FALSE(stopped.ok());
    CHECK(stopped.error().kind == ErrorKind::cancelled);
  }
  {
    Script script({[](int fd) {
      Script::read_until(fd, "\r\n\r\n");
      Script::say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");
      Script::read_until(fd, "never");
    }});
    ClientOptions options;
    options.read_timeout_ms = 30;
    Client client(options);
    const auto late = client.send(script.request(), patiently());
    REQUIRE_FALSE(late.ok());
    CHECK(late.error().kind == ErrorKind::timeout);
  }
  Client client;
  ClientRequest request;
  request.url = *parse_url("http://127.0.0.1:1/");
  CHECK(client.send(request, os::Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
}

TEST_CASE("client: who cannot be reached is unavailable") {
  Client client;
  ClientRequest request;
  request.url = *parse_url("http://127.0.0.1:1/");
  CHECK(client.send(request, patiently()).error().kind == ErrorKind::unavailable);
  request.url = *parse_url("http://no-such-host.invalid/");
  CHECK(client.send(request, patiently()).error().kind == ErrorKind::unavailable);
}

TEST_CASE("client: a name is found, and addresses can be forbidden") {
  const auto server = serve(echo);
  auto request = request_to(*server, "GET", "/");
  request.url.host = "localhost";
  Client client;
  CHECK(client.send(request, patiently())->body == "GET /\n");
  ClientOptions options;
  options.check_address = [](std::string_view host, const Address& address) -> Status {
    CHECK(host == "localhost");
    if (!address.is_loopback()) return ok_status();
    return Error{.kind = ErrorKind::permission_denied, .message = "loopback is forbidden"};
  };
  Client guarded(options);
  const auto refused = guarded.send(request, patiently());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::permission_denied);
}

TEST_CASE("client: fields with line breaks, and bodies of another length, are refused") {
  const auto server = serve(echo);
  Client client;
  auto request = request_to(*server, "GET", "/");
  request.headers.add("X", "a\r\nY: b");
  CHECK(client.send(request, patiently()).error().kind == ErrorKind::invalid_argument);
  request = request_to(*server, "GET", "/ x");
  CHECK(client.send(request, patiently()).error().kind == ErrorKind::invalid_argument);
  FailingBody failing;
  request = request_to(*server, "PUT", "/");
  request.body_stream = &failing;
  CHECK(client.send(request, patiently()).error().kind == ErrorKind::storage_full);
}

TEST_CASE("client: a body over the limit is too large") {
  const auto server =
      serve([](Exchange& exchange) { answer(exchange, 200, std::string(1001, 'x')); });
  Client client;
  const auto reply = client.send(request_to(*server, "GET", "/"), patiently(), 1000);
  REQUIRE_FALSE(reply.ok());
  CHECK(reply.error().kind == ErrorKind::too_large);
}

TEST_CASE("client: a stream outlives its client, and is used from many threads at once") {
  const auto server = serve(echo);
  std::unique_ptr<ClientStream> stream;
  {
    Client client;
    auto opened = client.open(request_to(*server, "GET", "/"), patiently());
    REQUIRE(opened.ok());
    stream = std::move(opened).value();
  }
  CHECK(read_all(stream->body(), 100).value_or("") == "GET /\n");
  Client client;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const std::string path = "/" + std::to_string(t) + "/" + std::to_string(i);
        const auto reply = client.send(request_to(*server, "GET", path), patiently());
        if (!reply.ok() || reply->body != "GET " + path + "\n") ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace client_test
