// SPDX-License-Identifier: Apache-2.0
#include "net/server.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/compress.h"
#include "net/client.h"
#include "net/raw_peer.h"
#include "os/blocking.h"

using namespace cairn;
using namespace cairn::net;

namespace {

std::unique_ptr<Server> serve(Handler handler, ServerOptions options = {}) {
  auto server = Server::open(std::move(options), std::move(handler));
  REQUIRE_MESSAGE(server.ok(), (server.ok() ? "" : server.error().message));
  return std::move(server).value();
}

Headers text_plain() {
  Headers headers;
  headers.add("Content-Type", "text/plain");
  return headers;
}

// Answers with what it was sent.
void echo(Exchange& exchange) {
  auto body = read_all(exchange.body, 64 << 20);
  if (!body.ok()) {
    const int status = body.error().kind == ErrorKind::too_large ? 413 : 400;
    static_cast<void>(exchange.reply.reply(status, text_plain(), body.error().message).ok());
    return;
  }
  const std::string text = exchange.head.method + " " + exchange.head.target + "\n" + *body;
  CHECK(exchange.reply.reply(200, text_plain(), text).ok());
}

ClientRequest request_to(const Server& server, std::string method, std::string target) {
  ClientRequest request;
  request.method = std::move(method);
  request.url = {
      .scheme = "http", .host = "127.0.0.1", .port = server.port(), .target = std::move(target)};
  return request;
}

const os::Deadline soon = os::Deadline::in_ms(30'000);

}  // namespace

TEST_CASE("server: answers a request, and keeps the connection for the next") {
  const auto server = serve(echo);
  RawPeer peer(server->port());
  for (int i = 0; i < 3; ++i) {
    peer.send("GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string reply = peer.receive_reply();
    CHECK(reply.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: "));
    CHECK(reply.ends_with("\r\nContent-Length: 11\r\n\r\nGET /a?b=1\n"));
  }
}

TEST_CASE("server: client and server together, small and large bodies") {
  const auto server = serve(echo);
  Client client;
  for (const std::size_t size : {0u, 1u, 1000u, 70'000u, 5'000'000u}) {
    std::string body(size, 'x');
    for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + i % 23);
    auto request = request_to(*server, "PUT", "/big");
    request.body = body;
    const auto reply = client.send(request, soon);
    REQUIRE(reply.ok());
    CHECK(reply->status == 200);
    CHECK(reply->body == "PUT /big\n" + body);
  }
}
