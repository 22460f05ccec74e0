// SPDX-License-Identifier: Apache-2.0
#include "net/server/server.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "base/compress.h"
#include "base/strings.h"
#include "net/client/client.h"
#include "net/http/sse.h"
#include "net/server/raw_peer.h"
#include "net/testing.h"
#include "os/metrics.h"

namespace server_test {

using namespace cairn;
using namespace cairn::net;

namespace {

const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

std::string body_of(const std::string& reply) { return reply.substr(reply.find("\r\n\r\n") + 4); }

}  // namespace

TEST_CASE("server: answers a request, and keeps the connection for the next") {
  const auto server = serve(echo);
  RawPeer peer(server->port());
  for (int i = 0; i < 3; ++i) {
    peer.send("GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string reply = peer.receive_reply();
    CHECK(reply.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: "));
    CHECK(reply.ends_with(" GMT\r\nContent-Length: 11\r\n\r\nGET /a?b=1\n"));
  }
}

TEST_CASE("server: a head may come byte by byte, and after empty lines") {
  const auto server = serve(echo);
  RawPeer peer(server->port());
  for (const char c :
       std::string("\r\n\r\nPOST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")) {
    REQUIRE(peer.send({&c, 1}));
  }
  CHECK(body_of(peer.receive_reply()) == "POST /x\nabc");
  peer.send("\r\n" + get);
  CHECK(body_of(peer.receive_reply()) == "GET /\n");
}

TEST_CASE("server: pipelined requests are answered in order") {
  const auto server = serve(echo);
  RawPeer peer(server->port());
  std::string many;
  for (int i = 0; i < 500; ++i) {
    many += "PUT /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi";
  }
  std::thread sender([&] { peer.send(many); });
  for (int i = 0; i < 500; ++i) {
    CHECK(body_of(peer.receive_reply()) == "PUT /" + std::to_string(i) + "\nhi");
  }
  sender.join();
}

TEST_CASE("server: HTTP/1.0 and Connection decide what becomes of a connection") {
  const auto server = serve(echo);
  const auto all = [&](const std::string& request) {
    RawPeer peer(server->port());
    peer.send(request);
    const std::string reply = peer.receive_all();
    CHECK(peer.closed_by_peer());
    return reply;
  };
  CHECK(all("GET / HTTP/1.0\r\n\r\n").find("Connection: close\r\n") != std::string::npos);
  CHECK(all("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").ends_with("GET /\n"));
  RawPeer keeps(server->port());
  for (int i = 0; i < 2; ++i) {
    keeps.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const std::string reply = keeps.receive_reply();
    CHECK(reply.starts_with("HTTP/1.0 200 OK\r\n"));
    CHECK(reply.find("Connection: keep-alive\r\n") != std::string::npos);
  }
}

TEST_CASE("server: HEAD, 204 and 304 have no body, and keep their length") {
  const auto server = serve([](Exchange& exchange) {
    const auto path = exchange.head.path();
    if (path == "/204") return answer(exchange, 204, "");
    if (path == "/304") return answer(exchange, 304, "not sent");
    if (path == "/long") {
      CHECK(exchange.reply.begin(200, text_plain(), 5'000'000'000).ok());
      CHECK(exchange.reply.write("not sent").ok());
      CHECK(exchange.reply.end().ok());
      return;
    }
    if (path == "/field") {
      Headers headers = text_plain();
      headers.add("Content-Length", "77");
      CHECK(exchange.reply.reply(200, headers, "").ok());
      return;
    }
    answer(exchange, 200, "hello");
  });
  RawPeer peer(server->port());
  const auto ask = [&](const std::string& line) {
    peer.send(line + " HTTP/1.1\r\nHost: x\r\n\r\n");
    return peer.receive_until("\r\n\r\n");
  };
  CHECK(ask("HEAD /").ends_with("Content-Length: 5\r\n\r\n"));
  CHECK(ask("HEAD /long").ends_with("Content-Length: 5000000000\r\n\r\n"));
  CHECK(ask("HEAD /field").ends_with("Content-Length: 77\r\n\r\n"));
  CHECK(ask("GET /204").find("Content-Length") == std::string::npos);
  CHECK(ask("GET /304").find("Content-Length") == std::string::npos);
  CHECK(ask("HEAD /").starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("server: a handler that throws or says nothing becomes a 500") {
  const auto server = serve(
      [](Exchange& exchange) {
        if (exchange.head.path() == "/throw") throw std::runtime_error("secret reason");
        if (exchange.head.path() == "/number") throw 42;
      },
      {},
      [](int status, std::string_view, std::string_view id, Headers& headers) {
        headers.set("Content-Type", "application/json");
        return "{\"status\":" + std::to_string(status) + ",\"id\":\"" + std::string(id) + "\"}";
      });
  RawPeer peer(server->port());
  for (const std::string_view path : {"/throw", "/number", "/nothing"}) {
    peer.send("GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string reply = peer.receive_reply();
    CHECK(reply.starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
    CHECK(reply.find("application/json") != std::string::npos);
    CHECK(body_of(reply).starts_with("{\"status\":500"));
    CHECK(reply.find("secret") == std::string::npos);
  }
}

TEST_CASE("server: a reply that is not finished ends the connection without a proper end") {
  const auto server = serve([](Exchange& exchange) {
    if (exchange.head.path() == "/chunks") {
      CHECK(exchange.reply.begin(200, text_plain(), std::nullopt).ok());
      CHECK(exchange.reply.write("part").ok());
      CHECK(exchange.reply.flush().ok());
      throw std::runtime_error("lost");
    }
    CHECK(exchange.reply.begin(200, text_plain(), 10).ok());
    CHECK(exchange.reply.write("part").ok());
    CHECK_FALSE(exchange.reply.end().ok());
  });
  Client client;
  for (const std::string path : {"/chunks", "/length"}) {
    const auto stream = client.open(request_to(*server, "GET", path), patiently());
    REQUIRE(stream.ok());
    const auto body = read_all((*stream)->body(), 100);
    REQUIRE_FALSE(body.ok());
    CHECK(body.error().kind == ErrorKind::unavailable);
  }
}

TEST_CASE("server: more than the length is refused") {
  const auto server = serve([](Exchange& exchange) {
    CHECK(exchange.reply.begin(200, text_plain(), 2).ok());
    CHECK_FALSE(exchange.reply.write("abc").ok());
  });
  RawPeer peer(server->port());
  peer.send(get);
  CHECK(body_of(peer.receive_all()) == "");
}

TEST_CASE("server: no field can begin another one") {
  const auto server = serve([](Exchange& exchange) {
    for (const std::string_view bad : {"a\r\nSet-Cookie: x", "a\nb", "a\rb"}) {
      Headers headers;
      headers.add("X-Back", bad);
      CHECK_FALSE(exchange.reply.reply(200, headers, "").ok());
      Headers names;
      names.add(bad, "x");
      CHECK_FALSE(exchange.reply.begin(200, names, 0).ok());
    }
    Headers headers;
    headers.add("X-Nul", std::string_view("a\0b", 3));
    CHECK_FALSE(exchange.reply.reply(200, headers, "").ok());
    CHECK_FALSE(exchange.reply.begun());
  });
  RawPeer peer(server->port());
  peer.send(get);
  const std::string reply = peer.receive_reply();
  CHECK(reply.starts_with("HTTP/1.1 500 "));
  CHECK(reply.find("Set-Cookie") == std::string::npos);
}

TEST_CASE("server: a reply of unknown length is chunked, with trailers") {
  const auto server = serve([](Exchange& exchange) {
    CHECK(exchange.reply.begin(200, text_plain(), std::nullopt).ok());
    for (int i = 0; i < 1000; ++i) CHECK(exchange.reply.write("0123456789").ok());
    CHECK(exchange.reply.write(std::string(100'000, 'x')).ok());
    CHECK(exchange.reply.flush().ok());
    Headers trailers;
    trailers.add("X-Sum", "abc");
    CHECK(exchange.reply.end(trailers).ok());
  });
  Client client;
  const auto stream = client.open(request_to(*server, "GET", "/"), patiently());
  REQUIRE(stream.ok());
  CHECK((*stream)->headers().find("Transfer-Encoding") == "chunked");
  const auto body = read_all((*stream)->body(), 1 << 20);
  REQUIRE(body.ok());
  CHECK(body->size() == 110'000);
  CHECK((*stream)->body().trailers().find("X-Sum") == "abc");
  RawPeer old(server->port());
  old.send("GET / HTTP/1.0\r\n\r\n");
  const std::string reply = old.receive_all();
  CHECK(reply.find("chunked") == std::string::npos);
  CHECK(body_of(reply).size() == 110'000);
}

TEST_CASE("server: files are sent by length and in chunks, and a file cut short is noticed") {
  char path[] = "/tmp/net-test-XXXXXX";
  const int file = ::mkstemp(path);
  REQUIRE(file >= 0);
  const Closing closing(file);
  ::unlink(path);
  std::string bytes(3'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(i * 2654435761u >> 24);
  REQUIRE(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  const auto server = serve([&](Exchange& exchange) {
    const auto path_asked = exchange.head.path();
    const bool by_length = path_asked == "/length";
    const bool missing = path_asked == "/missing";
    const std::uint64_t count = missing ? bytes.size() : bytes.size() - 10;
    CHECK(exchange.reply
              .begin(200, {},
                     by_length || missing ? std::optional<std::uint64_t>(count) : std::nullopt)
              .ok());
    CHECK(exchange.reply.write_file(file, 10, count).ok() == !missing);
    if (!missing) CHECK(exchange.reply.end().ok());
  });
  Client client;
  for (const std::string target : {"/length", "/chunks"}) {
    const auto reply = client.send(request_to(*server, "GET", target), patiently());
    REQUIRE(reply.ok());
    CHECK(reply->body == bytes.substr(10));
  }
  CHECK_FALSE(client.send(request_to(*server, "GET", "/missing"), patiently()).ok());
}

TEST_CASE("server: replies are compressed for those who ask, where it helps") {
  const std::string big(20'000, 'z');
  const auto handler = [&](Exchange& exchange) {
    Headers headers = text_plain();
    const auto path = exchange.head.path();
    if (path == "/image") headers.set("Content-Type", "image/png");
    if (path == "/tagged") headers.set("ETag", "\"1\"");
    if (path == "/stream") {
      CHECK(exchange.reply.begin(200, headers, std::nullopt).ok());
      CHECK(exchange.reply.write(big.substr(0, 100)).ok());
      CHECK(exchange.reply.flush().ok());
      CHECK(exchange.reply.write(big.substr(100)).ok());
      CHECK(exchange.reply.end().ok());
      return;
    }
    CHECK(exchange.reply.reply(200, headers, path == "/small" ? "tiny" : big).ok());
  };
  const auto server = serve(handler);
  Client client;
  const auto ask = [&](const Server& whom, std::string target, std::string accept) {
    auto request = request_to(whom, "GET", std::move(target));
    request.headers.set("Accept-Encoding", accept);
    auto reply = client.send(request, patiently());
    REQUIRE(reply.ok());
    return std::move(reply).value();
  };
  for (const std::string target : {"/big", "/stream"}) {
    const auto reply = ask(*server, target, "deflate, gzip;q=0.5");
    CHECK(reply.headers.find("Content-Encoding") == "gzip");
    CHECK(reply.headers.find("Vary") == "Accept-Encoding");
    CHECK(reply.body.size() < 1000);
    CHECK(gunzip(reply.body, 1 << 20).value_or("") == big);
  }
  CHECK_FALSE(ask(*server, "/big", "gzip;q=0").headers.has("Content-Encoding"));
  CHECK_FALSE(ask(*server, "/big", "br").headers.has("Content-Encoding"));
  CHECK_FALSE(ask(*server, "/small", "gzip").headers.has("Content-Encoding"));
  CHECK_FALSE(ask(*server, "/image", "gzip").headers.has("Content-Encoding"));
  CHECK_FALSE(ask(*server, "/tagged", "gzip").headers.has("Content-Encoding"));
  ServerOptions plain;
  plain.gzip_reply_bytes_min = 0;
  const auto never = serve(handler, plain);
  CHECK_FALSE(ask(*never, "/big", "gzip").headers.has("Content-Encoding"));
}

TEST_CASE("server: compressed request bodies are inflated, within limits") {
  ServerOptions options;
  options.body_bytes_max = 3 << 20;
  const auto server = serve(echo, options);
  Client client;
  const auto put = [&](const Server& whom, std::string body, std::string coding) {
    auto request = request_to(whom, "PUT", "/");
    request.headers.set("Content-Encoding", coding);
    request.body = body;
    auto reply = client.send(request, patiently());
    REQUIRE(reply.ok());
    return std::move(reply).value();
  };
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += std::to_string(i) + " ";
  CHECK(put(*server, gzip(text), "gzip").body == "PUT /\n" + text);
  CHECK(put(*server, gzip("a") + gzip("b"), "x-gzip").body == "PUT /\nab");
  CHECK(put(*server, "", "gzip").body == "PUT /\n");
  CHECK(put(*server, "plain", "identity").body == "PUT /\nplain");
  CHECK(put(*server, "not gzip", "gzip").status == 400);
  CHECK(put(*server, gzip(text).substr(0, 1000), "gzip").status == 400);
  CHECK(put(*server, gzip(std::string(2'900'000, '\0')), "gzip").status == 413);  // ratio
  std::string over;
  while (over.size() <= options.body_bytes_max) over += std::to_string(over.size() * 7919) + " ";
  CHECK(put(*server, gzip(over), "gzip").status == 413);
  CHECK(put(*server, gzip(gzip(text)), "gzip, gzip").status == 415);
  CHECK(put(*server, "x", "br").status == 415);
  ServerOptions raw;
  raw.inflate_request_bodies = false;
  const auto other = serve(
      [](Exchange& exchange) {
        CHECK(exchange.head.headers.find("Content-Encoding") == "br");
        echo(exchange);
      },
      raw);
  CHECK(put(*other, "as it is", "br").body == "PUT /\nas it is");
}

TEST_CASE("server: chunked requests with trailers") {
  const auto server = serve([](Exchange& exchange) {
    CHECK_FALSE(exchange.body.length());
    CHECK(exchange.body.trailers().fields().empty());
    const auto body = read_all(exchange.body, 100);
    REQUIRE(body.ok());
    CHECK_FALSE(exchange.head.headers.has("X-Sum"));
    answer(exchange, 200, *body + std::string(*exchange.body.trailers().find("x-sum")));
  });
  RawPeer peer(server->port());
  for (int i = 0; i < 2; ++i) {
    peer.send(
        "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n2;ext\r\nde\r\n0\r\nX-Sum: 15\r\n\r\n");
    CHECK(body_of(peer.receive_reply()) == "abcde15");
  }
}

TEST_CASE("server: 100-continue is sent by the first read, and never without one") {
  const auto server = serve([](Exchange& exchange) {
    if (exchange.head.path() == "/refuse") return answer(exchange, 403, "no");
    echo(exchange);
  });
  {
    RawPeer peer(server->port());
    peer.send("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    CHECK(peer.receive_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
    peer.send("hi");
    CHECK(body_of(peer.receive_reply()) == "PUT /x\nhi");
    peer.send(get);
    CHECK(body_of(peer.receive_reply()) == "GET /\n");
  }
  {
    RawPeer peer(server->port());
    peer.send(
        "PUT /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    const std::string reply = peer.receive_all();
    CHECK(reply.starts_with("HTTP/1.1 403 Forbidden\r\n"));
    CHECK(reply.find("100 Continue") == std::string::npos);
    CHECK(reply.find("Connection: close\r\n") != std::string::npos);
  }
  {
    // Who sends the body at once needs no leave.
    RawPeer peer(server->port());
    peer.send("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi");
    CHECK(peer.receive_reply().starts_with("HTTP/1.1 200 OK\r\n"));
  }
  {
    // HTTP/1.0 knows no interim replies.
    RawPeer peer(server->port());
    peer.send("PUT /x HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi");
    CHECK(peer.receive_all().starts_with("HTTP/1.0 200 OK\r\n"));
  }
}

TEST_CASE(
    "server: a small body that nobody read is thrown away, a large one costs the connection") {
  const auto server = serve([](Exchange& exchange) { answer(exchange, 200, "early"); });
  RawPeer peer(server->port());
  for (int i = 0; i < 3; ++i) {
    peer.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" +
              std::string(100'000, 'x'));
    const std::string reply = peer.receive_reply();
    CHECK(body_of(reply) == "early");
    CHECK(reply.find("close") == std::string::npos);
  }
  // The reply arrives although the server never reads all that is sent.
  RawPeer large(server->port());
  large.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n");
  std::thread sender([&] { large.send(std::string(3'000'000, 'x')); });
  const std::string reply = large.receive_all();
  sender.join();
  CHECK(body_of(reply) == "early");
  CHECK(reply.find("Connection: close\r\n") != std::string::npos);
}

TEST_CASE("server: bodies stream both ways at once, with little memory") {
  const auto server = serve([](Exchange& exchange) {
    CHECK(exchange.reply.begin(200, {}, exchange.body.length()).ok());
    std::vector<char> buffer(64 << 10);
    for (;;) {
      const auto count = exchange.body.read(buffer);
      REQUIRE(count.ok());
      if (*count == 0) break;
      if (!exchange.reply.write({buffer.data(), *count}).ok()) return;
    }
    static_cast<void>(exchange.reply.end().ok());
  });
  constexpr std::size_t size = 40 << 20;
  RawPeer peer(server->port());
  peer.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n");
  std::thread sender([&] {
    std::string piece(1 << 20, '\0');
    for (std::size_t at = 0; at < size; at += piece.size()) {
      for (std::size_t i = 0; i < piece.size(); i += 4096) piece[i] = static_cast<char>(at >> 20);
      if (!peer.send(piece)) break;
    }
  });
  const std::string body = body_of(peer.receive_reply());
  sender.join();
  REQUIRE(body.size() == size);
  bool same = true;
  for (std::size_t i = 0; i < size; i += 4096) same = same && body[i] == static_cast<char>(i >> 20);
  CHECK(same);
}

TEST_CASE("server: request ids are 16 hexadecimal digits and differ") {
  std::set<std::string> ids;
  std::mutex mutex;
  const auto server = serve([&](Exchange& exchange) {
    const std::lock_guard lock(mutex);
    ids.emplace(exchange.request_id);
    answer(exchange, 200, "");
  });
  RawPeer peer(server->port());
  for (int i = 0; i < 100; ++i) {
    peer.send(get);
    peer.receive_reply();
  }
  const std::lock_guard lock(mutex);
  CHECK(ids.size() == 100);
  for (const std::string& id : ids) {
    CHECK(id.size() == 16);
    CHECK(id.find_first_not_of("0123456789ABCDEF") == std::string::npos);
  }
}

TEST_CASE("server: events reach the reader one by one") {
  Signal first_read;
  const auto server = serve([&](Exchange& exchange) {
    SseWriter events(exchange.reply);
    REQUIRE(events.begin().ok());
    CHECK(events.send({.event = "progress", .data = "line 1\nline 2", .id = "7"}).ok());
    CHECK(first_read.wait());
    CHECK(events.comment("still here").ok());
    CHECK(events.send({.data = "done"}).ok());
    CHECK(events.end().ok());
  });
  Client client;
  auto request = request_to(*server, "GET", "/");
  request.headers.set("Accept-Encoding", "gzip");
  const auto stream = client.open(request, patiently());
  REQUIRE(stream.ok());
  CHECK((*stream)->headers().find("Content-Type") == "text/event-stream");
  SseReader reader((*stream)->body());
  const auto one = reader.next();
  REQUIRE((one.ok() && one->has_value()));
  CHECK((*one)->event == "progress");
  CHECK((*one)->data == "line 1\nline 2");
  CHECK((*one)->id == "7");
  first_read.give();
  const auto two = reader.next();
  REQUIRE((two.ok() && two->has_value()));
  CHECK((*two)->data == "done");
  const auto end = reader.next();
  CHECK((end.ok() && !end->has_value()));
}

TEST_CASE("server: shows its numbers") {
  ServerOptions options;
  options.name = "numbers";
  const auto server = serve(echo, options);
  RawPeer peer(server->port());
  peer.send(get);
  peer.receive_reply();
  peer.send("BAD\r\n\r\n");
  peer.receive_all();
  const std::string shown = os::metrics().expose();
  const auto has = [&](std::string_view line) { return shown.find(line) != std::string::npos; };
  CHECK(has("cairn_net_connections_total{server=\"numbers\"} 1\n"));
  CHECK(has("cairn_net_requests_total{server=\"numbers\",class=\"2xx\"} 1\n"));
  CHECK(has("cairn_net_requests_total{server=\"numbers\",class=\"4xx\"} 1\n"));
  CHECK(has("cairn_net_refused_heads_total{server=\"numbers\"} 1\n"));
  CHECK(has("cairn_net_received_bytes_total{server=\"numbers\"} 34\n"));
}

TEST_CASE("server: options and addresses that cannot be are refused") {
  const auto open = [](auto change) {
    ServerOptions options;
    change(options);
    return Server::open(options, echo);
  };
  const auto kind = [](const auto& result) {
    REQUIRE_FALSE(result.ok());
    return result.error().kind;
  };
  CHECK(kind(open([](auto& o) { o.listen = "nonsense"; })) == ErrorKind::invalid_argument);
  CHECK(kind(open([](auto& o) { o.listen = "::1:80"; })) == ErrorKind::invalid_argument);
  CHECK(kind(open([](auto& o) { o.listen = "203.0.113.7:0"; })) == ErrorKind::invalid_argument);
  CHECK(kind(open([](auto& o) { o.max_workers = 1; })) == ErrorKind::invalid_argument);
  CHECK(kind(open([](auto& o) { o.tls.key_file = "x"; })) == ErrorKind::invalid_argument);
  CHECK(kind(open([](auto& o) {
          o.tls = {.certificate_file = "/nowhere/cert.pem", .key_file = "/nowhere/key.pem"};
        })) == ErrorKind::invalid_argument);
  const auto server = serve(echo);
  CHECK(server->host() == "127.0.0.1");
  const std::string taken = "127.0.0.1:" + std::to_string(server->port());
  CHECK(kind(open([&](auto& o) { o.listen = taken; })) == ErrorKind::conflict);
}

TEST_CASE("server: what is gathered is sent once, however often the writer waits for the peer") {
  std::string piece(30'000, '\0');
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<char>('a' + i % 26);
  const auto server = serve([&](Exchange& exchange) {
    CHECK(exchange.reply.begin(200, {}, std::nullopt).ok());
    for (int i = 0; i < 300; ++i) {
      CHECK(exchange.reply.write(piece.substr(0, 15'000)).ok());
      CHECK(exchange.reply.write(piece.substr(15'000)).ok());
    }
    CHECK(exchange.reply.end().ok());
  });
  Client client;
  const auto stream = client.open(request_to(*server, "GET", "/"), patiently());
  REQUIRE(stream.ok());
  std::string all;
  std::vector<char> some(1000);
  for (;;) {
    const auto count = (*stream)->body().read(some);
    REQUIRE(count.ok());
    if (*count == 0) break;
    all.append(some.data(), *count);
  }
  REQUIRE(all.size() == 300 * piece.size());
  bool same = true;
  for (std::size_t at = 0; at < all.size(); at += piece.size()) {
    same = same && all.compare(at, piece.size(), piece) == 0;
  }
  CHECK(same);
}

}  // namespace server_test
