// SPDX-License-Identifier: Apache-2.0
#include "nodes/front.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "net/testing.h"

namespace cairn::nodes::front_test {
namespace {

using net::ClientReply;
using net::Headers;
using net::patiently;
using net::Signal;

std::string worded(int status, std::string_view reason, std::string_view, Headers&) {
  return std::to_string(status) + ": " + std::string(reason);
}

/// A node with a port for clients and one for other nodes.
struct Node {
  explicit Node(std::string secret = {}, FrontOptions options = {.wait_ms = 20'000, .again_ms = 5})
      : forwarder({.shared_secret = secret, .kept_body_bytes = 1'000, .connect_timeout_ms = 5'000}),
        front(forwarder, worded, options),
        clients(net::serve([this](net::Exchange& exchange) { front.answer(exchange); })),
        others(net::serve([this](net::Exchange& exchange) { front.answer_forwarded(exchange); },
                          {.tls = {.shared_secret = secret},
                           .body_bytes_max = 0,
                           .gzip_reply_bytes_min = 0,
                           .inflate_request_bodies = false})) {}

  std::string address() const { return "127.0.0.1:" + std::to_string(others->port()); }
  ClientReply ask(net::ClientRequest request) const {
    net::Client client;
    auto reply = client.send(request, patiently());
    REQUIRE_MESSAGE(reply.ok(), (reply.ok() ? std::string() : reply.error().message));
    return std::move(*reply);
  }
  ClientReply get(const std::string& target) const {
    return ask(net::request_to(*clients, "GET", target));
  }
  ClientReply post(const std::string& body) const {
    auto request = net::request_to(*clients, "POST", "/p");
    request.body = body;
    return ask(request);
  }

  Forwarder forwarder;
  Front front;
  std::unique_ptr<net::Server> clients, others;  // end before what they use; so does the node
};

/// Answers GET and POST of /read… by itself, but for those of /read/unknown.
class FakeReader final : public Reader {
 public:
  bool takes(const net::RequestHead& head) const override {
    return head.path().starts_with("/read");
  }
  bool is_preferred(const net::RequestHead& head) const override {
    return head.query() == "preference=_local";
  }
  bool answer(net::Exchange& exchange) override {
    ++asked;
    if (exchange.head.path() == "/read/unknown") return false;
    const auto body = net::read_all(exchange.body, 1 << 20);
    net::answer(exchange, 200, "read here: " + *body);
    return true;
  }
  std::atomic<int> asked = 0;
};

/// Looks at the owner of a node until it ends.
class Watch {
 public:
  explicit Watch(Front& front)
      : thread_([&front](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            front.look_at_owner(stop);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
        }) {}

 private:
  std::jthread thread_;
};

std::string header(const net::RequestHead& head, std::string_view name) {
  return std::string(head.headers.find(name).value_or("-"));
}

TEST_CASE("front: a request reaches the node that serves as its client sent it") {
  const std::string secret(32, 's');
  for (const std::string& shared : {std::string(), secret}) {
    CAPTURE(shared);
    std::string seen, id;
    Node asked(shared), serving(shared);
    serving.front.serve([&](net::Exchange& exchange) {
      const auto& head = exchange.head;
      const auto body = net::read_all(exchange.body, 64 << 20);
      REQUIRE(body.ok());
      seen = head.method + " " + head.target + " " + head.peer_address +
             " host=" + header(head, "Host") + " a=" + head.headers.joined("X-A") +
             " te=" + header(head, "TE") + " named=" + header(head, "X-Named") +
             " field=" + header(head, forwarded_field) +
             " coding=" + header(head, "Content-Encoding") + " tls=" + (head.tls ? "yes" : "no") +
             " body=" + *body;
      id = exchange.request_id;
      Headers headers = net::text_plain();
      headers.add("X-Reply", "one");
      headers.add("X-Reply", "two");
      CHECK(exchange.reply.reply(207, headers, "answered").ok());
    });
    asked.front.set_owner(serving.address());
    auto request = net::request_to(*asked.clients, "PUT", "/a%20b?c=%2F&d");
    request.headers.add("Host", "search.example.com");
    request.headers.add("X-A", "1");
    request.headers.add("X-A", "2");
    request.headers.add("TE", "trailers");
    request.headers.add("X-Named", "hop");
    request.headers.add("Cairn-Forwarded", "client=6.6.6.6; id=forged");
    request.body = "content";
    const ClientReply reply = asked.ask(request);
    CHECK(reply.status == 207);
    CHECK(reply.body == "answered");
    CHECK(reply.headers.joined("X-Reply") == "one, two");
    CHECK(seen ==
          "PUT /a%20b?c=%2F&d 127.0.0.1 host=search.example.com a=1, 2 te=- named=hop field=- "
          "coding=- tls=no body=content");
    CHECK(id.size() == 16);
    CHECK(id != "forged");
  }
}

TEST_CASE("front: bodies of any length pass both ways, in pieces") {
  Node asked, serving;
  serving.front.serve([](net::Exchange& exchange) {
    const auto body = net::read_all(exchange.body, 64 << 20);
    REQUIRE(body.ok());
    CHECK(exchange.reply.begin(200, net::text_plain(), std::nullopt).ok());
    for (std::size_t at = 0; at < body->size(); at += 10'000)
      CHECK(exchange.reply.write(std::string_view(*body).substr(at, 10'000)).ok());
    CHECK(exchange.reply.end().ok());
  });
  asked.front.set_owner(serving.address());
  for (const std::size_t length : {0u, 1u, 1'000u, 1'001u, 3'000'000u}) {
    CAPTURE(length);
    std::string body(length, '\0');
    for (std::size_t i = 0; i < length; ++i) body[i] = static_cast<char>('a' + i * i % 26);
    CHECK(asked.post(body).body == body);
    // Without a length, in chunks.
    net::StringBody chunks(body, {}, false);
    auto request = net::request_to(*asked.clients, "POST", "/p");
    request.body_stream = &chunks;
    CHECK(asked.ask(request).body == body);
  }
}

TEST_CASE("front: answers without bodies keep their fields") {
  Node asked, serving;
  serving.front.serve([](net::Exchange& exchange) {
    const int status = exchange.head.target == "/304"   ? 304
                       : exchange.head.target == "/204" ? 204
                                                        : 200;
    Headers headers = net::text_plain();
    headers.add("ETag", "\"1\"");
    CHECK(exchange.reply.reply(status, headers, status == 200 ? "four" : "").ok());
  });
  asked.front.set_owner(serving.address());
  const ClientReply head = asked.ask(net::request_to(*asked.clients, "HEAD", "/"));
  CHECK(head.status == 200);
  CHECK(head.headers.joined("Content-Length") == "4");
  CHECK(head.body.empty());
  CHECK(asked.get("/304").status == 304);
  CHECK(asked.get("/304").headers.joined("ETag") == "\"1\"");
  CHECK(asked.get("/204").status == 204);
  CHECK(asked.get("/").body == "four");
}

TEST_CASE("front: a request waits for a node that serves, and for this one") {
  Node asked, serving;
  serving.front.serve([](net::Exchange& exchange) { net::echo(exchange); });
  for (const bool here : {false, true}) {
    asked.front.set_owner("");
    std::string body;
    std::thread client([&] { body = asked.post("content").body; });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    if (here)
      asked.front.serve([](net::Exchange& exchange) { net::echo(exchange); });
    else
      asked.front.set_owner(serving.address());
    client.join();
    CHECK(body == "POST /p\ncontent");
  }
  CHECK(asked.front.target() == "here");
}

TEST_CASE("front: who does not serve has done nothing, and the next one gets all of the request") {
  Node asked, before, serving;
  serving.front.serve([](net::Exchange& exchange) { net::echo(exchange); });
  asked.front.set_owner(before.address());
  const std::string large(500'000, 'x');
  for (const std::string& body : {std::string("short"), large}) {
    asked.front.set_owner(before.address());
    std::string answered;
    std::thread client([&] { answered = asked.post(body).body; });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    // The one before lives on: what it was asked it answers, if only that it does not serve.
    asked.front.set_owner(serving.address(), {before.address(), serving.address()});
    client.join();
    CHECK(answered == "POST /p\n" + body);
  }
  // Nobody listens there at all.
  asked.front.set_owner("127.0.0.1:1");
  std::string answered;
  std::thread client([&] { answered = asked.post("again").body; });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  asked.front.set_owner(serving.address());
  client.join();
  CHECK(answered == "POST /p\nagain");
}

TEST_CASE("front: of a node that is gone what only reads is asked again, and what writes is told") {
  Signal reached_get, reached_post;
  std::atomic<bool> free{false};
  Node asked, stalled, serving;
  stalled.front.serve([&](net::Exchange& exchange) {
    (exchange.head.method == "GET" ? reached_get : reached_post).give();
    while (!free) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    net::answer(exchange, 200, "too late");
  });
  serving.front.serve([](net::Exchange& exchange) { net::echo(exchange); });
  asked.front.set_owner(stalled.address());
  std::string got;
  ClientReply posted;
  std::thread getter([&] { got = asked.get("/g").body; });
  std::thread poster([&] { posted = asked.post("content"); });
  reached_get.wait();
  reached_post.wait();
  asked.front.set_owner(serving.address());
  getter.join();
  poster.join();
  free = true;
  CHECK(got == "GET /g\n");
  CHECK(posted.status == 503);
  CHECK(posted.body.find("may have been done") != std::string::npos);
  CHECK(posted.headers.joined("Retry-After") == "1");
}

TEST_CASE("front: while the node that serves is silent a reader answers what it can") {
  std::atomic<bool> stands{true};
  Signal reached;
  Node asked({}, {.wait_ms = 60'000, .again_ms = 5, .silence_ms = 50});
  const auto silent = net::serve([&](net::Exchange& exchange) {
    reached.give();
    while (stands) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    net::answer(exchange, exchange.head.path() == there_path ? 204 : 200, "by the owner");
  });
  const auto reader = std::make_shared<FakeReader>();
  asked.front.set_reader(reader);
  asked.front.set_owner("127.0.0.1:" + std::to_string(silent->port()));
  std::string written, unknown;
  std::jthread writer([&] { written = asked.post("content").body; });
  std::jthread other([&] { unknown = asked.get("/read/unknown").body; });
  const Watch watch(asked.front);
  reached.wait();
  auto search = net::request_to(*asked.clients, "POST", "/read");
  search.body = "query";
  CHECK(asked.ask(search).body == "read here: query");
  CHECK(asked.ask(search).body == "read here: query");
  // What would change something, and what the reader cannot answer, waits for whoever serves.
  while (reader->asked < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stands = false;
  writer.join();
  other.join();
  CHECK(written == "by the owner");
  CHECK(unknown == "by the owner");
  // Once it is heard again it is asked.
  std::string body;
  while (body != "by the owner") body = asked.ask(search).body;
}

TEST_CASE("front: a reader answers while nobody serves, and not for whoever does") {
  Node asked({}, {.wait_ms = 60'000, .again_ms = 5, .silence_ms = 20}), serving;
  const auto reader = std::make_shared<FakeReader>();
  asked.front.set_reader(reader);
  CHECK(asked.get("/read").body == "read here: ");
  asked.front.set_owner("127.0.0.1:1");
  CHECK(asked.get("/read").body == "read here: ");
  serving.front.serve([](net::Exchange& exchange) {
    os::sleep_ms(100, exchange.deadline);  // longer than silence may be, and yet it is there
    net::echo(exchange);
  });
  asked.front.set_owner(serving.address());
  const Watch watch(asked.front);
  CHECK(asked.get("/read").body == "GET /read\n");
  CHECK(reader->asked == 2);
  CHECK(asked.get("/read?preference=_local").body == "read here: ");
  CHECK(asked.get("/read/unknown?preference=_local").body.starts_with("GET /read/unknown"));
  CHECK(reader->asked == 4);
  asked.front.set_reader(nullptr);
  CHECK(reader.use_count() == 1);
}

TEST_CASE("front: where nobody serves it says so after a while") {
  Node asked({}, {.wait_ms = 20, .again_ms = 5, .nobody = "nobody is there"});
  const ClientReply none = asked.get("/");
  CHECK(none.status == 503);
  CHECK(none.body == "503: nobody is there");
  // A client may say how long it waits for one.
  Node patient({}, {.wait_ms = 60'000, .again_ms = 5, .render_nobody = [](int, auto, auto, auto&) {
                      return std::string("worded apart");
                    }});
  CHECK(patient.get("/?a=1&master_timeout=10ms").body == "worded apart");
  CHECK(patient.get("/?master_timeout=0").status == 503);
  asked.front.set_owner("127.0.0.1:1");
  const ClientReply silent = asked.get("/");
  CHECK(silent.status == 503);
  CHECK(silent.body.find("127.0.0.1:1 did not answer") != std::string::npos);
}

TEST_CASE(
    "front: whoever stops serving lets what runs end, in time by itself, then by its deadline") {
  Signal entered;
  std::atomic<bool> ended{false};
  Node node;
  node.front.serve([&](net::Exchange& exchange) {
    entered.give();
    os::sleep_ms(60'000, exchange.deadline);
    ended = exchange.deadline.stopped();
    net::answer(exchange, 200, "done");
  });
  std::string body;
  std::thread client([&] { body = node.get("/").body; });
  entered.wait();
  node.front.stop_serving(20);
  CHECK(ended);
  client.join();
  CHECK(body == "done");
  CHECK(node.front.target().empty());
  // And serves again.
  node.front.serve([](net::Exchange& exchange) { net::echo(exchange); });
  CHECK(node.get("/x").body == "GET /x\n");
}

TEST_CASE("front: who may not answer lets requests wait, and says how the process is") {
  std::atomic<bool> may{false};
  Node node;
  node.front.serve([](net::Exchange& exchange) { net::echo(exchange); },
                   [&] { return may.load(); });
  const auto probes = net::serve([&](net::Exchange& exchange) {
    if (!node.front.answer_as_process(exchange)) net::answer(exchange, 503, "does not serve");
  });
  const auto probe = [&] { return node.ask(net::request_to(*probes, "GET", "/live")).body; };
  CHECK(probe() == "GET /live\n");
  std::string body;
  std::thread client([&] { body = node.post("content").body; });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  may = true;
  client.join();
  CHECK(body == "POST /p\ncontent");
  node.front.stop_serving(0);
  CHECK(probe() == "does not serve");
  // For other nodes it does not serve while it may not.
  Node asked, next;
  may = false;
  node.front.serve([](net::Exchange& exchange) { net::echo(exchange); },
                   [&] { return may.load(); });
  next.front.serve([](net::Exchange& exchange) { net::answer(exchange, 200, "by the next one"); });
  asked.front.set_owner(node.address());
  std::thread other([&] { body = asked.post("for the next one").body; });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  asked.front.set_owner(next.address(), {node.address(), next.address()});
  other.join();
  CHECK(body == "by the next one");
}

TEST_CASE("front: a client that leaves ends what another node does for it") {
  Signal entered, ended;
  Node asked, serving;
  serving.front.serve([&](net::Exchange& exchange) {
    entered.give();
    os::sleep_ms(60'000, exchange.deadline);
    if (exchange.deadline.stopped()) ended.give();
  });
  asked.front.set_owner(serving.address());
  std::stop_source leaves;
  std::thread client([&] {
    net::Client http;
    (void)http
        .send(net::request_to(*asked.clients, "GET", "/"), os::Deadline::never(leaves.get_token()))
        .ok();
  });
  entered.wait();
  leaves.request_stop();
  client.join();
  ended.wait();
}

TEST_CASE("front: a port for nodes refuses what no node passed on") {
  Node node;
  node.front.serve([](net::Exchange& exchange) { net::echo(exchange); });
  net::Client client;
  const auto reply = client.send(net::request_to(*node.others, "GET", "/"), patiently());
  REQUIRE(reply.ok());
  CHECK(reply->status == 400);
  CHECK(reply->body.find("listen.api") != std::string::npos);
}

}  // namespace
}  // namespace cairn::nodes::front_test
