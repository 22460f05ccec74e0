// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "net/client/client.h"
#include "net/server/certificate_for_tests.h"
#include "net/server/raw_peer.h"
#include "net/server/server.h"
#include "net/testing.h"
#include "net/tls.h"

namespace server_shared_secret_test {

using namespace cairn;
using namespace cairn::net;

namespace {

// A byte of any value may stand in it.
const std::string secret("0123456789\0bcdef0123456789ABCDE\xff", 32);
const std::string other_secret(32, 'x');

ServerOptions serving(const std::string& known) {
  ServerOptions options;
  options.tls.shared_secret = known;
  return options;
}

ClientOptions calling(const std::string& known) {
  ClientOptions options;
  options.tls_shared_secret = known;
  return options;
}

/// Counts what reaches it.
struct Counting {
  std::atomic<int> calls{0};
  Handler handler() {
    return [this](Exchange& exchange) {
      ++calls;
      echo(exchange);
    };
  }
};

Result<ClientReply> ask(const Server& server, ClientOptions options, std::string_view body = {},
                        std::string scheme = "https") {
  Client client(std::move(options));
  auto request = request_to(server, "PUT", "/", std::move(scheme));
  request.body = body;
  return client.send(request, patiently());
}

void check_refused(const Result<ClientReply>& reply, std::string_view why) {
  REQUIRE_FALSE(reply.ok());
  CHECK(reply.error().kind == ErrorKind::unavailable);
  CHECK_MESSAGE(reply.error().message.find(why) != std::string::npos, reply.error().message);
}

/// A client by hand that knows the secret: it may say and see what TlsContext does not.
class HandClient {
 public:
  explicit HandClient(std::uint16_t port)
      : peer_(port), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_psk_use_session_callback(context_, offer);
    // Would do without a Diffie-Hellman exchange.
    SSL_CTX_set_options(context_, SSL_OP_ALLOW_NO_DHE_KEX);
  }
  ~HandClient() {
    SSL_free(session_);
    SSL_CTX_free(context_);
  }
  HandClient(const HandClient&) = delete;
  HandClient& operator=(const HandClient&) = delete;

  std::string identity = "cairn-node";
  unsigned char suite[2] = {0x13, 0x01};
  SSL_CTX* context() { return context_; }
  SSL* session() { return session_; }
  bool connect() {
    session_ = SSL_new(context_);
    SSL_set_app_data(session_, this);
    SSL_set_fd(session_, peer_.descriptor());
    return SSL_connect(session_) == 1;
  }
  /// What the server answers to a request, to the end of the connection.
  std::string get() {
    const std::string_view request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    SSL_write(session_, request.data(), static_cast<int>(request.size()));
    std::string all;
    char bytes[4096];
    for (int count = 0; (count = SSL_read(session_, bytes, sizeof bytes)) > 0;)
      all.append(bytes, static_cast<std::size_t>(count));
    return all;
  }

 private:
  static int offer(SSL* session, const EVP_MD*, const unsigned char** name, std::size_t* length,
                   SSL_SESSION** offered) {
    auto& self = *static_cast<HandClient*>(SSL_get_app_data(session));
    *name = reinterpret_cast<const unsigned char*>(self.identity.data());
    *length = self.identity.size();
    *offered = SSL_SESSION_new();
    SSL_SESSION_set1_master_key(*offered, reinterpret_cast<const unsigned char*>(secret.data()),
                                secret.size());
    SSL_SESSION_set_cipher(*offered, SSL_CIPHER_find(session, self.suite));
    SSL_SESSION_set_protocol_version(*offered, TLS1_3_VERSION);
    return 1;
  }
  RawPeer peer_;
  SSL_CTX* const context_;
  SSL* session_ = nullptr;
};

void check_options(const ServerOptions& options, std::string_view why) {
  const Status valid = options.validate();
  REQUIRE_FALSE(valid.ok());
  CHECK(valid.error().kind == ErrorKind::invalid_argument);
  CHECK_MESSAGE(valid.error().message.find(why) != std::string::npos, valid.error().message);
  CHECK(Server::open(options, echo).error().kind == ErrorKind::invalid_argument);
  CHECK(TlsContext::for_server(options.tls).error().kind == ErrorKind::invalid_argument);
}

}  // namespace

TEST_CASE("shared secret: requests, large bodies both ways, and connections kept") {
  const auto server = serve(
      [](Exchange& exchange) {
        CHECK(exchange.head.tls);
        CHECK(exchange.head.tls_version == "1.3");
        echo(exchange);
      },
      serving(secret));
  Client client(calling(secret));
  std::string body(5'000'000, '\0');
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
}

TEST_CASE("shared secret: many connect at once and one after the other") {
  Counting counting;
  const auto server = serve(counting.handler(), serving(secret));
  Client client(calling(secret));
  std::vector<std::jthread> callers;
  std::atomic<int> answered{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      auto request = request_to(*server, "GET", "/", "https");
      request.headers.add("Connection", "close");
      for (int each = 0; each < 10; ++each) {
        const auto reply = client.send(request, patiently());
        if (reply.ok() && reply->status == 200) ++answered;
      }
    });
  }
  callers.clear();
  CHECK(answered == 40);
  CHECK(counting.calls == 40);
}

TEST_CASE("shared secret: a client with another secret is refused") {
  Counting counting;
  const auto server = serve(counting.handler(), serving(secret));
  const std::string large(4 << 20, 'x');
  std::string nearly = secret;
  nearly.back() = 'x';
  for (const std::string& wrong : {other_secret, nearly}) {
    check_refused(ask(*server, calling(wrong)), "may not share the secret");
    check_refused(ask(*server, calling(wrong), large), "may not share the secret");
  }
  CHECK(counting.calls == 0);
  CHECK(ask(*server, calling(secret)).ok());
  CHECK(counting.calls == 1);
}

TEST_CASE("shared secret: a client without one is refused, in TLS and without") {
  const TestCertificate certificate("IP:127.0.0.1");
  Counting counting;
  const auto server = serve(counting.handler(), serving(secret));
  ClientOptions careless;
  careless.tls_verify = false;
  check_refused(ask(*server, careless), "TLS with 127.0.0.1 failed");
  ClientOptions certified = careless;
  certified.tls_certificate_file = certificate.certificate_file();
  certified.tls_key_file = certificate.key_file();
  check_refused(ask(*server, certified), "TLS with 127.0.0.1 failed");
  check_refused(ask(*server, {}, {}, "http"), "closed the connection");
  RawPeer plain(server->port());
  plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(plain.receive_all().find("HTTP/1.1") == std::string::npos);
  CHECK(counting.calls == 0);
}

TEST_CASE("shared secret: a client that has one refuses a server that does not prove it") {
  const TestCertificate certificate("IP:127.0.0.1");
  Counting counting;
  ServerOptions certified;
  certified.tls = {.certificate_file = certificate.certificate_file(),
                   .key_file = certificate.key_file()};
  const auto server = serve(counting.handler(), certified);
  ClientOptions options = calling(secret);
  for (const bool verify : {true, false}) {
    options.tls_verify = verify;  // says nothing here
    check_refused(ask(*server, options), "does not prove that it knows the shared secret");
  }
  const auto other = serve(counting.handler(), serving(other_secret));
  check_refused(ask(*other, options), "may not share the secret");
  const auto plain = serve(counting.handler());
  check_refused(ask(*plain, options), "may not share the secret");
  CHECK(counting.calls == 0);
}

TEST_CASE("shared secret: each handshake has a key exchange of its own, and none is resumed") {
  const auto server = serve(echo, serving(secret));
  HandClient client(server->port());
  REQUIRE(client.connect());
  CHECK(std::string_view(SSL_get_version(client.session())) == "TLSv1.3");
  CHECK(std::string_view(SSL_get_cipher_name(client.session())) == "TLS_AES_128_GCM_SHA256");
  CHECK(SSL_get0_peer_certificate(client.session()) == nullptr);
  EVP_PKEY* exchanged = nullptr;
  CHECK(SSL_get_peer_tmp_key(client.session(), &exchanged) == 1);
  EVP_PKEY_free(exchanged);
  CHECK(client.get().starts_with("HTTP/1.1 200"));
  CHECK(SSL_SESSION_has_ticket(SSL_get0_session(client.session())) == 0);
}

TEST_CASE("shared secret: another name, another suite and an older version are refused") {
  Counting counting;
  const auto server = serve(counting.handler(), serving(secret));
  HandClient nameless(server->port());
  nameless.identity = "cairn-nodes";
  CHECK_FALSE(nameless.connect());
  HandClient other_suite(server->port());
  other_suite.suite[1] = 0x02;
  SSL_CTX_set_ciphersuites(other_suite.context(), "TLS_AES_256_GCM_SHA384");
  CHECK_FALSE(other_suite.connect());
  HandClient old(server->port());
  SSL_CTX_set_max_proto_version(old.context(), TLS1_2_VERSION);
  CHECK_FALSE(old.connect());
  CHECK(counting.calls == 0);
}

TEST_CASE("shared secret: there is nothing to read again, and no certificate that ends") {
  const auto server = serve(echo, serving(secret));
  CHECK_FALSE(server->certificate_ends_ms().has_value());
  CHECK(server->reload_tls().ok());
  CHECK(ask(*server, calling(secret)).ok());
  CHECK(ask(*server, calling(other_secret)).error().kind == ErrorKind::unavailable);
}

TEST_CASE("shared secret: one of another length, or beside a certificate, is refused") {
  CHECK_FALSE(TlsOptions{}.enabled());
  CHECK(TlsOptions{.shared_secret = secret}.enabled());
  CHECK(TlsOptions{.certificate_file = "cert.pem"}.enabled());
  CHECK(serving(secret).validate().ok());
  for (const std::size_t bytes : {1u, 31u, 33u, 64u})
    check_options(
        serving(std::string(bytes, 'x')),
        "http: a shared secret of TLS has 32 bytes, this one has " + std::to_string(bytes));
  for (std::string TlsOptions::*file :
       {&TlsOptions::certificate_file, &TlsOptions::key_file, &TlsOptions::client_authority_file}) {
    ServerOptions both = serving(secret);
    both.tls.*file = "file.pem";
    check_options(both, "stands instead of certificates");
  }
}

TEST_CASE("shared secret: a client's is of the same length, and stands alone") {
  CHECK(TlsContext::for_client(calling(secret)).ok());
  const auto refused = [](const ClientOptions& options, std::string_view why) {
    const auto made = TlsContext::for_client(options);
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().kind == ErrorKind::invalid_argument);
    CHECK_MESSAGE(made.error().message.find(why) != std::string::npos, made.error().message);
  };
  refused(calling("short"), "has 32 bytes, this one has 5");
  for (std::string ClientOptions::*file :
       {&ClientOptions::tls_ca_file, &ClientOptions::tls_certificate_file,
        &ClientOptions::tls_key_file}) {
    ClientOptions both = calling(secret);
    both.*file = "file.pem";
    refused(both, "stands instead of certificates");
  }
  const auto server = serve(echo, serving(secret));
  CHECK(ask(*server, calling("short")).error().kind == ErrorKind::invalid_argument);
}

}  // namespace server_shared_secret_test
