// SPDX-License-Identifier: Apache-2.0
#include "net/certificates.h"

#include <doctest/doctest.h>

#include "net/server/certificate_for_tests.h"
#include "net/server/server.h"
#include "net/testing.h"
#include "os/clock.h"
#include "os/files/test_folder.h"

namespace certificates_test {

using namespace cairn;
using namespace cairn::net;

namespace {

constexpr std::int64_t day_ms = 86'400'000;

/// What an authority of one's own gives out, in files.
struct Issued {
  os::TestFolder folder;
  CertificateWithKey authority = *make_authority("authority of a test", 10);

  Issued() { folder.write("ca.pem", authority.certificate); }
  void issue(const std::string& name, const CertificateRequest& request) const {
    const auto made = issue_certificate(authority, request);
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().message));
    folder.write(name, made->certificate + made->key);
  }
};

}  // namespace

TEST_CASE("certificates: an authority of one's own serves a server and its clients") {
  const Issued files;
  files.issue("server.pem",
              {.common_name = "a server", .names = {"localhost", "127.0.0.1", "::1"}});
  files.issue("client.pem", {.common_name = "a client", .of_client = true});
  ServerOptions options;
  options.tls = {.certificate_file = files.folder / "server.pem",
                 .key_file = files.folder / "server.pem",
                 .client_authority_file = files.folder / "ca.pem"};
  const auto server = serve(echo, options);
  const auto ask = [&](const std::string& shown, const std::string& host) {
    Client client(
        {.tls_ca_file = files.folder / "ca.pem", .tls_certificate_file = files.folder / shown});
    auto request = request_to(*server, "GET", "/", "https");
    request.url.host = host;
    return client.send(request, patiently());
  };
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    const auto answer = ask("client.pem", host);
    REQUIRE_MESSAGE(answer.ok(), (answer.ok() ? "" : answer.error().message));
  }
  CHECK_FALSE(ask("server.pem", "127.0.0.1").ok());  // made for a server, not for a client
}

TEST_CASE("certificates: what one says") {
  const Issued files;
  const auto made = issue_certificate(
      files.authority,
      {.common_name = "Käthe", .names = {"*.example.org", "10.0.0.7", "fe80::1"}, .days = 3});
  REQUIRE(made.ok());
  const auto facts = certificate_facts(made->certificate);
  REQUIRE(facts.ok());
  CHECK(facts->subject.starts_with("CN="));
  CHECK(facts->names == std::vector<std::string>{"*.example.org", "10.0.0.7", "fe80::1"});
  const std::int64_t now = os::system_clock().unix_ms();
  CHECK(facts->not_before_ms < now);
  CHECK(facts->not_after_ms > now + 2 * day_ms);
  CHECK(facts->not_after_ms < now + 4 * day_ms);
  CHECK(certificate_facts(files.authority.certificate)->names.empty());
  for (const std::string text : {"", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n"})
    CHECK(certificate_facts(text).error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("certificates: names that are longer than a common name may be") {
  const std::string name = std::string(60, 'a') + "." + std::string(60, 'b') + ".example";
  const auto authority = make_authority("authority of " + name, 1);
  REQUIRE_MESSAGE(authority.ok(), (authority.ok() ? "" : authority.error().message));
  const auto made = issue_certificate(*authority, {.common_name = name, .names = {name}});
  REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().message));
  CHECK(certificate_facts(made->certificate)->names == std::vector<std::string>{name});
}

TEST_CASE("certificates: nothing is issued for wrong names, or by what is no authority") {
  const Issued files;
  for (const std::string name : {"", "two words", "a,DNS:b", "*.", ".a", "x\ny"})
    CHECK_MESSAGE(
        issue_certificate(files.authority, {.common_name = "x", .names = {name}}).error().kind ==
            ErrorKind::invalid_argument,
        name);
  const auto other = make_authority("another", 1);
  const auto leaf = issue_certificate(files.authority, {.common_name = "x", .names = {"a"}});
  for (const CertificateWithKey& wrong :
       {CertificateWithKey{}, *leaf,
        CertificateWithKey{.certificate = files.authority.certificate, .key = other->key}})
    CHECK(issue_certificate(wrong, {.common_name = "x"}).error().kind ==
          ErrorKind::invalid_argument);
}

}  // namespace certificates_test
