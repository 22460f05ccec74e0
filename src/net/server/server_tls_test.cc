// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "net/client/client.h"
#include "net/server/certificate_for_tests.h"
#include "net/server/raw_peer.h"
#include "net/server/server.h"
#include "net/testing.h"

namespace server_tls_test {

using namespace cairn;
using namespace cairn::net;
namespace fs = std::filesystem;

namespace {

ServerOptions with_tls(const TestCertificate& certificate) {
  ServerOptions options;
  options.tls = {.certificate_file = certificate.certificate_file(),
                 .key_file = certificate.key_file()};
  return options;
}

// A handshake with at most `version`; the version agreed on, or "".
std::string handshake(std::uint16_t port, int version) {
  RawPeer peer(port);
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context, version);
  SSL* const session = SSL_new(context);
  SSL_set_fd(session, peer.descriptor());
  const std::string agreed = SSL_connect(session) == 1 ? SSL_get_version(session) : "";
  SSL_free(session);
  SSL_CTX_free(context);
  return agreed;
}

}  // namespace

TEST_CASE("tls: requests, large bodies both ways, files, and connections kept") {
  const TestCertificate certificate("DNS:localhost,IP:127.0.0.1");
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  const Closing closing(file);
  const auto server = serve(
      [&](Exchange& exchange) {
        CHECK(exchange.head.tls);
        CHECK(exchange.head.tls_version == "1.3");
        if (exchange.head.path() != "/file") return echo(exchange);
        CHECK(exchange.reply.begin(200, {}, 2'000'000).ok());
        CHECK(exchange.reply.write_file(file, 1000, 2'000'000).ok());
        CHECK(exchange.reply.end().ok());
      },
      with_tls(certificate));
  ClientOptions options;
  options.tls_ca_file = certificate.certificate_file();
  Client client(options);
  std::string body(3'000'000, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 7919 >> 8);
  for (int i = 0; i < 3; ++i) {
    auto request = request_to(*server, "PUT", "/x", "https");
    request.body = body;
    const auto stream = client.open(request, patiently());
    REQUIRE_MESSAGE(stream.ok(), (stream.ok() ? "" : stream.error().message));
    CHECK((*stream)->reused_connection() == (i > 0));
    CHECK(read_all((*stream)->body(), 8 << 20).value_or("") == "PUT /x\n" + body);
  }
  auto by_name = request_to(*server, "GET", "/y", "https");
  by_name.url.host = "localhost";
  const auto named = client.send(by_name, patiently());
  REQUIRE_MESSAGE(named.ok(), (named.ok() ? "" : named.error().message));
  CHECK(named->body == "GET /y\n");
  const auto sent = client.send(request_to(*server, "GET", "/file", "https"), patiently());
  REQUIRE(sent.ok());
  std::string expected(2'000'000, '\0');
  REQUIRE(::pread(file, expected.data(), expected.size(), 1000) == 2'000'000);
  CHECK(sent->body == expected);
}

TEST_CASE("tls: a client refuses a certificate that it does not trust, or of another name") {
  const TestCertificate certificate("DNS:example.org");
  const TestCertificate other("DNS:localhost,IP:127.0.0.1");
  const auto server = serve(echo, with_tls(certificate));
  const auto ask = [&](ClientOptions options, std::string host) {
    Client client(std::move(options));
    auto request = request_to(*server, "GET", "/", "https");
    request.url.host = std::move(host);
    return client.send(request, patiently());
  };
  ClientOptions system;
  ClientOptions trusts;
  trusts.tls_ca_file = certificate.certificate_file();
  ClientOptions trusts_other;
  trusts_other.tls_ca_file = other.certificate_file();
  ClientOptions careless;
  careless.tls_verify = false;
  for (const auto& [options, why] :
       {std::pair(system, "self-signed"), std::pair(trusts_other, "self-signed"),
        std::pair(trusts, "mismatch")}) {
    const auto refused = ask(options, "127.0.0.1");
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().kind == ErrorKind::unavailable);
    CHECK_MESSAGE(refused.error().message.find(why) != std::string::npos, refused.error().message);
  }
  CHECK_FALSE(ask(trusts, "localhost").ok());
  CHECK(ask(careless, "127.0.0.1").ok());
  ClientOptions nowhere;
  nowhere.tls_ca_file = "/nowhere/ca.pem";
  CHECK(ask(nowhere, "127.0.0.1").error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("tls: 1.2 and 1.3 are spoken, older versions are not") {
  const TestCertificate certificate("DNS:localhost");
  const auto server = serve(echo, with_tls(certificate));
  CHECK(handshake(server->port(), TLS1_3_VERSION) == "TLSv1.3");
  CHECK(handshake(server->port(), TLS1_2_VERSION) == "TLSv1.2");
  CHECK(handshake(server->port(), TLS1_1_VERSION) == "");
}

TEST_CASE("tls: who speaks plainly, slowly or nonsense is dropped, and others are served") {
  const TestCertificate certificate("IP:127.0.0.1");
  ServerOptions options = with_tls(certificate);
  options.head_timeout_ms = 100;
  const auto server = serve(echo, options);
  RawPeer plain(server->port());
  plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(plain.receive_all().find("200") == std::string::npos);
  RawPeer silent(server->port());
  CHECK(silent.receive_all() == "");
  CHECK(silent.closed_by_peer());
  RawPeer half(server->port());
  half.send("\x16\x03\x01\x02");
  CHECK(half.receive_all() == "");
  ClientOptions trusting;
  trusting.tls_ca_file = certificate.certificate_file();
  Client client(trusting);
  CHECK(client.send(request_to(*server, "GET", "/", "https"), patiently()).ok());
}

TEST_CASE("tls: a certificate or key that does not fit is refused with the file's name") {
  const TestCertificate one("DNS:a");
  const TestCertificate two("DNS:b");
  ServerOptions options = with_tls(one);
  options.tls.key_file = two.key_file();
  const auto mixed = Server::open(options, echo);
  REQUIRE_FALSE(mixed.ok());
  CHECK(mixed.error().message.starts_with("the key in " + two.key_file() + " does not belong to"));
  options.tls.certificate_file = one.key_file();
  const auto wrong = Server::open(options, echo);
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message.find(one.key_file()) != std::string::npos);
}

TEST_CASE("tls: a file that is not there is told as that") {
  const TestCertificate one("DNS:a");
  ServerOptions options = with_tls(one);
  options.tls.key_file = "/nowhere/key.pem";
  const auto missing = Server::open(options, echo);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message ==
        "the key file /nowhere/key.pem cannot be read: No such file or directory");
}

TEST_CASE("tls: files that were replaced are read again, and bad ones leave the old in use") {
  const TestCertificate first("IP:127.0.0.1");
  const TestCertificate second("IP:127.0.0.1");
  auto server = serve(echo, with_tls(first));
  const auto works_for = [&](const TestCertificate& trusted) {
    ClientOptions trusting;
    trusting.tls_ca_file = trusted.certificate_file();
    Client client(trusting);
    return client.send(request_to(*server, "GET", "/", "https"), patiently()).ok();
  };
  const TestCertificate shown_at_first("IP:127.0.0.1");
  fs::copy(first.certificate_file(), shown_at_first.certificate_file(),
           fs::copy_options::overwrite_existing);
  CHECK(works_for(first));
  fs::copy(second.certificate_file(), first.certificate_file(),
           fs::copy_options::overwrite_existing);
  CHECK_FALSE(server->reload_tls().ok());  // the key is still that of the first
  CHECK(works_for(shown_at_first));
  fs::copy(second.key_file(), first.key_file(), fs::copy_options::overwrite_existing);
  CHECK(server->reload_tls().ok());
  CHECK(works_for(second));
  CHECK_FALSE(works_for(shown_at_first));
}

TEST_CASE("tls: a server that asks who comes answers those alone that its authority knows") {
  const TestCertificate ours("IP:127.0.0.1");
  const TestCertificate known("DNS:known");
  const TestCertificate stranger("DNS:stranger");
  ServerOptions options = with_tls(ours);
  options.tls.client_authority_file = known.certificate_file();
  const auto server = serve(echo, options);
  const auto client_with = [&](const TestCertificate* shown) {
    ClientOptions client;
    client.tls_ca_file = ours.certificate_file();
    if (shown != nullptr) {
      client.tls_certificate_file = shown->certificate_file();
      client.tls_key_file = shown->key_file();
    }
    return Client(client);
  };
  Client welcome = client_with(&known);
  auto request = request_to(*server, "PUT", "/", "https");
  for (int i = 0; i < 3; ++i) {
    const auto answer = welcome.send(request, patiently());
    REQUIRE_MESSAGE(answer.ok(), (answer.ok() ? "" : answer.error().message));
  }
  const std::string large(4 << 20, 'x');
  for (const auto& body : {std::string(), large}) {
    request.body = body;
    for (const auto& [shown, why] :
         {std::pair<const TestCertificate*, const char*>(nullptr, "certificate required"),
          std::pair<const TestCertificate*, const char*>(&stranger, "unknown ca")}) {
      Client refused = client_with(shown);
      const auto answer = refused.send(request, patiently());
      REQUIRE_FALSE(answer.ok());
      CHECK(answer.error().kind == ErrorKind::unavailable);
      CHECK_MESSAGE(answer.error().message.find(why) != std::string::npos, answer.error().message);
    }
  }
  Client broken({.tls_certificate_file = known.certificate_file()});
  CHECK(broken.send(request, patiently()).error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("tls: certificates of clients are asked for with a file of authorities that is one") {
  const TestCertificate one("DNS:a");
  ServerOptions options = with_tls(one);
  options.tls.client_authority_file = one.key_file();
  const auto wrong = Server::open(options, echo);
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message.find(one.key_file()) != std::string::npos);
  ServerOptions plain;
  plain.tls.client_authority_file = one.certificate_file();
  CHECK(Server::open(plain, echo).error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("tls: draining ends kept connections") {
  const TestCertificate certificate("IP:127.0.0.1");
  auto server = serve(echo, with_tls(certificate));
  ClientOptions trusting;
  trusting.tls_ca_file = certificate.certificate_file();
  Client client(trusting);
  const auto request = request_to(*server, "GET", "/", "https");
  CHECK(client.send(request, patiently()).ok());
  server->drain(60'000);
  server.reset();
  const auto refused = client.send(request, patiently());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::unavailable);
}

}  // namespace server_tls_test
