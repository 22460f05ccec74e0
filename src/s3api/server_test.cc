// SPDX-License-Identifier: Apache-2.0
// The service behind the real HTTP server: what only a connection can show.
#include "net/server/server.h"

#include <doctest/doctest.h>

#include "base/compress.h"
#include "base/encode.h"
#include "base/hash.h"
#include "format/xml.h"
#include "net/client/client.h"
#include "os/clock.h"
#include "os/log.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::server_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct ServerRig {
  ServiceRig service;
  std::unique_ptr<net::Server> server;
  net::Client client;

  ServerRig() {
    auto opened = net::Server::open(
        listener_options({}),
        [this](net::Exchange& exchange) { service.service->handle(exchange); },
        render_server_error);
    REQUIRE_MESSAGE(opened.ok(), opened.error().message);
    server = std::move(*opened);
    REQUIRE(ask("PUT", "/photos").status == 200);
  }

  net::ClientRequest request(std::string method, const std::string& target, Fields fields) {
    net::ClientRequest out;
    out.method = std::move(method);
    out.url = {.scheme = "http", .host = "127.0.0.1", .port = server->port(), .target = target};
    net::Headers headers;
    headers.add("Host", out.url.authority());
    for (const auto& [name, value] : fields) headers.add(name, value);
    const std::size_t question = target.find('?');
    s3::sign_headers(
        out.method, target.substr(0, question),
        question == std::string::npos ? "" : target.substr(question + 1), headers,
        "UNSIGNED-PAYLOAD",
        {.credentials = service.mine, .region = "us-east-1", .time_ms = service.clock.unix_ms()},
        service.keys);
    headers.remove("Host");
    out.headers = std::move(headers);
    return out;
  }
  net::ClientReply send(const net::ClientRequest& wanted) {
    auto reply = client.send(wanted, os::Deadline::in_ms(30'000));
    REQUIRE_MESSAGE(reply.ok(), reply.error().message);
    return std::move(*reply);
  }
  net::ClientReply ask(std::string method, const std::string& target, std::string_view body = {},
                       Fields fields = {}) {
    net::ClientRequest wanted = request(std::move(method), target, std::move(fields));
    wanted.body = body;
    return send(wanted);
  }
};

std::string code_of(const net::ClientReply& reply) {
  const auto root = parse_xml(reply.body);
  return root.ok() ? std::string(root->text_of("Code")) : "(no XML)";
}

TEST_CASE("server: objects go up and come down over a connection") {
  ServerRig rig;
  std::string text;
  for (int i = 0; text.size() < 2'000'000; ++i) text += std::to_string(i) + "\n";
  net::ClientReply reply = rig.ask("PUT", "/photos/large", text);
  CHECK(reply.status == 200);
  CHECK(reply.headers.find("ETag") == "\"" + to_hex(md5(text)) + "\"");
  CHECK((rig.ask("GET", "/photos/large").body == text));
  reply = rig.ask("HEAD", "/photos/large");
  CHECK(reply.status == 200);
  CHECK(reply.headers.find("Content-Length") == std::to_string(text.size()));
  CHECK(reply.body.empty());
  CHECK(reply.headers.has("Date"));
  reply = rig.ask("GET", "/photos/large", {}, {{"Range", "bytes=100-199"}});
  CHECK(reply.status == 206);
  CHECK(reply.body == text.substr(100, 100));
  reply = rig.ask("HEAD", "/photos/none");
  CHECK(reply.status == 404);
  CHECK(reply.body.empty());
  CHECK(rig.ask("DELETE", "/photos/large").status == 204);
  reply = rig.ask("GET", "/photos/large");
  CHECK(reply.status == 404);
  CHECK(code_of(reply) == "NoSuchKey");
}

TEST_CASE("server: what is sent compressed stays as it is, both ways") {
  ServerRig rig;
  const std::string packed = gzip(std::string(100'000, 'a'));
  CHECK(rig.ask("PUT", "/photos/k", packed,
                {{"Content-Encoding", "gzip"}, {"Content-Type", "text/plain"}})
            .status == 200);
  net::ClientReply reply = rig.ask("GET", "/photos/k", {}, {{"Accept-Encoding", "gzip"}});
  CHECK((reply.body == packed));
  CHECK(reply.headers.find("Content-Encoding") == "gzip");
  const std::string plain(100'000, 'b');
  CHECK(rig.ask("PUT", "/photos/k", plain, {{"Content-Type", "text/plain"}}).status == 200);
  reply = rig.ask("GET", "/photos/k", {}, {{"Accept-Encoding", "gzip"}});
  CHECK((reply.body == plain));
  CHECK_FALSE(reply.headers.has("Content-Encoding"));
}

TEST_CASE("server: bodies without a length, and refusals before any body") {
  ServerRig rig;
  net::StringBody stream(std::string(300'000, 's'), {}, false);
  net::ClientRequest wanted = rig.request("PUT", "/photos/stream", {});
  wanted.body_stream = &stream;
  CHECK(rig.send(wanted).status == 200);
  CHECK((rig.ask("GET", "/photos/stream").body == std::string(300'000, 's')));

  net::StringBody again(std::string(300'000, 't'));
  wanted = rig.request("PUT", "/photos/stream", {{"If-None-Match", "*"}});
  wanted.body_stream = &again;
  wanted.expect_continue = true;
  const net::ClientReply reply = rig.send(wanted);
  CHECK(reply.status == 412);
  CHECK(code_of(reply) == "PreconditionFailed");
  char byte = 0;
  CHECK(again.read({&byte, 1}).value() == 1);
  CHECK(byte == 't');
  CHECK((rig.ask("GET", "/photos/stream").body == std::string(300'000, 's')));
}

TEST_CASE("server: damage found while sending ends the connection, never as wrong bytes") {
  ServerRig rig;
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i) + " ";
  REQUIRE(rig.ask("PUT", "/photos/k", text).status == 200);
  // Turns one bit near the end of the only extent.
  std::string path;
  for (int folder = 0; folder < 256 && path.empty(); ++folder) {
    const std::string name = to_hex(std::string(1, static_cast<char>(folder)));
    const auto names = rig.service.files.list("/data/objects/extents/" + name);
    if (names.ok() && !names->empty())
      path = "/data/objects/extents/" + name + "/" + names->front();
  }
  REQUIRE_FALSE(path.empty());
  REQUIRE(rig.service.files.flip_bit(path, 900'000));
  os::configure_log(os::LogLevel::error, os::LogFormat::json, [](std::string_view) {});
  const auto reply =
      rig.client.send(rig.request("GET", "/photos/k", {}), os::Deadline::in_ms(30'000));
  CHECK_FALSE(reply.ok());
  REQUIRE(rig.service.files.flip_bit(path, 900'000));
  REQUIRE(rig.service.files.flip_bit(path, 10));
  const net::ClientReply first = rig.ask("GET", "/photos/k");
  CHECK(first.status == 500);
  CHECK(code_of(first) == "InternalError");
}

TEST_CASE("server: what the HTTP server refuses by itself is XML too") {
  ServerRig rig;
  const net::ClientReply reply =
      rig.ask("GET", "/photos/k", {}, {{"x-amz-meta-a", std::string(100'000, 'x')}});
  CHECK(reply.status == 431);
  CHECK(code_of(reply) != "(no XML)");
  CHECK(reply.headers.has("x-amz-request-id"));
}

}  // namespace
}  // namespace cairn::s3api::server_test
