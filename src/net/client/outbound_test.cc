// SPDX-License-Identifier: Apache-2.0
// N01 to N03 of the outbound side: which addresses, asked when, and how much of a hostile answer.
#include "net/client/outbound.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <map>

#include "net/client/client.h"
#include "net/testing.h"

namespace outbound_test {

using namespace cairn;
using namespace cairn::net;

namespace {

constexpr const char* setting = "repositories.s3.allowed_endpoints";

OutboundRules rules_of(const std::vector<std::string>& allowed) {
  auto rules = OutboundRules::parse(allowed, setting);
  REQUIRE_MESSAGE(rules.ok(), (rules.ok() ? std::string() : rules.error().message));
  rules->set_own_addresses([] { return std::vector<AddressBytes>(); });
  return std::move(*rules);
}

Address numeric(const std::string& host, std::uint16_t port = 80) {
  const auto found = resolve(host, port, os::Deadline::in_ms(5'000));
  REQUIRE_MESSAGE(found.ok(), host);
  return found->front();
}

bool is_open(const OutboundRules& rules, const std::string& host, std::uint16_t port = 80) {
  const Status checked = rules.check(host, numeric(host, port));
  if (!checked.ok()) {
    CHECK(checked.error().kind == ErrorKind::permission_denied);
    CHECK(checked.error().message.find(setting) != std::string::npos);
  }
  return checked.ok();
}

/// What URL's host becomes, as a connection would see it; false where none is made.
bool connects(const std::string& url) {
  const auto parsed = parse_url(url);
  if (!parsed.ok()) return false;
  const auto found = resolve(parsed->host, parsed->port, os::Deadline::in_ms(5'000));
  return found.ok() && rules_of({}).check(parsed->host, found->front()).ok();
}

}  // namespace

TEST_CASE("N01: addresses of no public network are closed, however they are written") {
  for (const char* host :
       {"127.0.0.1", "127.255.0.9", "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.100.100.200",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.168.1.1",
        "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16", "::1", "::",
        "fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1",
        "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2001:db8::1",
        "2002:7f00:1::", "2001::1"}) {
    CAPTURE(host);
    CHECK_FALSE(is_open(rules_of({}), host));
  }
  for (const char* url :
       {"http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/",
        "http://0/", "http://0xa9fea9fe/", "http://localhost/", "http://localhost./",
        "http://[::ffff:a9fe:a9fe]/", "http://[::1]/", "http://public.example@127.0.0.1/",
        "http://127.0.0.1#@8.8.8.8/", "http://127\xe3\x80\x82" "0\xe3\x80\x82" "0\xe3\x80\x82" "1/",
        "http://\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1/", "file:///etc/passwd",
        "gopher://127.0.0.1/", "ftp://8.8.8.8/"}) {
    CAPTURE(url);
    CHECK_FALSE(connects(url));
  }
  for (const char* host : {"8.8.8.8", "1.1.1.1", "172.32.0.1", "172.15.255.255", "100.128.0.1",
                           "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"}) {
    CAPTURE(host);
    CHECK(is_open(rules_of({}), host));
  }
}

TEST_CASE("N01: a public address of this machine is closed too") {
  OutboundRules rules = rules_of({});
  rules.set_own_addresses([] { return std::vector{bytes_of(numeric("8.8.8.8"))}; });
  CHECK_FALSE(is_open(rules, "8.8.8.8"));
  CHECK_FALSE(is_open(rules, "::ffff:8.8.8.8"));
  CHECK(is_open(rules, "8.8.4.4"));
  rules.set_own_addresses([]() -> Result<std::vector<AddressBytes>> {
    return Error{.kind = ErrorKind::unavailable, .message = "no descriptor"};
  });
  CHECK(rules.check("8.8.4.4", numeric("8.8.4.4")).error().kind == ErrorKind::unavailable);
  // The machine is asked where no test says otherwise.
  const auto asking = OutboundRules::parse({}, setting);
  REQUIRE(asking.ok());
  CHECK(asking->check("8.8.8.8", numeric("8.8.8.8")).ok());
}

TEST_CASE("N01: what the setting names is open, for its port, and nothing beside it") {
  const OutboundRules rules = rules_of({"10.1.0.0/16", "127.0.0.1:9000", "[fd00::]:443", "fd01::/16",
                                        "Minio.Lan:9000", "*.store.lan"});
  CHECK(is_open(rules, "10.1.255.255"));
  CHECK(is_open(rules, "::ffff:10.1.2.3"));
  CHECK_FALSE(is_open(rules, "10.2.0.0"));
  CHECK(is_open(rules, "127.0.0.1", 9000));
  CHECK_FALSE(is_open(rules, "127.0.0.1", 9200));
  CHECK_FALSE(is_open(rules, "127.0.0.2", 9000));
  CHECK(is_open(rules, "fd00::", 443));
  CHECK_FALSE(is_open(rules, "fd00::", 80));
  CHECK(is_open(rules, "fd01:9::1"));
  const auto named = [&](const char* host, std::uint16_t port) {
    return rules.check(host, numeric("192.168.0.9", port)).ok();
  };
  CHECK(named("minio.lan", 9000));
  CHECK(named("MINIO.lan.", 9000));
  CHECK_FALSE(named("minio.lan", 9001));
  CHECK_FALSE(named("x.minio.lan", 9000));
  CHECK(named("bucket.store.lan", 80));
  CHECK_FALSE(named("store.lan", 80));
  CHECK_FALSE(named("evilstore.lan", 80));
  CHECK_FALSE(named("minio.lan.evil.example", 9000));
}

TEST_CASE("N02: where credentials go along, a public address is closed too unless it is named") {
  OutboundRules rules = rules_of({"8.8.8.0/24", "store.example:443"});
  rules.close_public("the credentials are not for it");
  CHECK(is_open(rules, "8.8.8.8"));
  CHECK(rules.check("store.example", numeric("1.1.1.1", 443)).ok());
  CHECK_FALSE(rules.check("store.example", numeric("1.1.1.1", 80)).ok());
  for (const char* host : {"1.1.1.1", "2606:4700::1111", "127.0.0.1", "10.0.0.1"}) {
    CAPTURE(host);
    CHECK_FALSE(is_open(rules, host));
  }
  CHECK(rules.check("1.1.1.1", numeric("1.1.1.1")).error().message.find(
            "the credentials are not for it") != std::string::npos);
  rules.allow_host("1.1.1.1", 80);
  CHECK(is_open(rules, "1.1.1.1"));
}

TEST_CASE("N01: an entry that is no endpoint is refused when it is read") {
  for (const char* bad : {"", "http://host", "host:0", "host:70000", "host:", "10.0.0.0/33",
                          "fd00::/129", "[fd00::", "[fd00::]443", "ho st", "*", "a/b", "h\xc3\xb6st"}) {
    CAPTURE(bad);
    const auto rules = OutboundRules::parse({bad}, setting);
    REQUIRE_FALSE(rules.ok());
    CHECK(rules.error().kind == ErrorKind::invalid_argument);
  }
}

TEST_CASE("N02: patterns allow names and addresses, and everything means everything public") {
  const auto with = [](const std::vector<std::string>& allowed) {
    auto rules = OutboundRules::parse(allowed, setting, OutboundRules::Patterns::allowed).value();
    rules.set_own_addresses([] { return std::vector<AddressBytes>(); });
    rules.close_public("only what is listed");
    return rules;
  };
  const auto open = [](const OutboundRules& rules, const std::string& host, std::uint16_t port,
                       const std::string& address) {
    const bool may = rules.may_allow(host, port);
    const bool is = rules.check(host, numeric(address, port)).ok();
    CHECK((may || !is));  // what is refused early is refused
    return is;
  };
  const auto listed = with({"other:9200", "127.0.10.*:9200", "localhost:*", "search-*.lan:9200",
                            "10.1.0.0/16:9200", "node*"});
  CHECK(open(listed, "other", 9200, "10.0.0.1"));
  CHECK_FALSE(open(listed, "other", 9201, "10.0.0.1"));
  CHECK(open(listed, "127.0.10.7", 9200, "127.0.10.7"));
  CHECK_FALSE(open(listed, "127.0.10.7", 80, "127.0.10.7"));
  CHECK_FALSE(open(listed, "127.0.10.example.com", 9200, "169.254.169.254"));
  CHECK(open(listed, "LOCALHOST.", 1, "127.0.0.1"));
  CHECK(open(listed, "search-1.lan", 9200, "10.0.0.1"));
  CHECK_FALSE(open(listed, "search-1.lan.example.com", 9200, "10.0.0.1"));
  CHECK(open(listed, "node7", 9200, "10.0.0.1"));
  CHECK_FALSE(open(listed, "node7.example.com", 9200, "10.0.0.1"));
  CHECK(open(listed, "some.example.com", 9200, "10.1.2.3"));
  CHECK_FALSE(open(listed, "8.8.8.8", 9200, "8.8.8.8"));
  CHECK_FALSE(listed.may_allow("8.8.8.8", 9200));
  CHECK_FALSE(listed.may_allow("some.example.com", 80));
  CHECK_FALSE(with({"10.0.0.1:9200"}).may_allow("some.example.com", 9200));
  for (const auto* every : {"*", "*:*", "*:9200"}) {
    const auto all = with({every});
    CHECK(open(all, "8.8.8.8", 9200, "8.8.8.8"));
    CHECK_FALSE(open(all, "some.example.com", 9200, "169.254.169.254"));
    CHECK_FALSE(open(all, "127.0.0.1", 9200, "127.0.0.1"));
  }
  CHECK_FALSE(with({}).may_allow("8.8.8.8", 9200));
}

TEST_CASE("N02: a name that moves to a closed address between two connections is not followed") {
  std::atomic<int> trapped{0};
  const auto allowed = serve(echo, {.listen = "127.0.0.2:0"});
  // Another program on the address that the caller wants to reach, at the same port.
  const auto trap = Server::open({.listen = "127.0.0.1:" + std::to_string(allowed->port())},
                                 [&](Exchange& exchange) {
                                   ++trapped;
                                   echo(exchange);
                                 });
  REQUIRE(trap.ok());
  int asked = 0;
  ClientOptions options{.connections_per_endpoint = 0};
  const auto rules = rules_of({"127.0.0.2"});
  options.check_address = [&](std::string_view host, const Address& address) {
    return rules.check(host, address);
  };
  options.resolve = [&](const std::string& host, std::uint16_t port, const os::Deadline& deadline)
      -> Result<std::vector<Address>> {
    CHECK(host == "rebinding.example");
    return resolve(++asked == 1 ? "127.0.0.2" : "127.0.0.1", port, deadline);
  };
  Client client(options);
  auto request = request_to(*allowed, "GET", "/");
  request.url.host = "rebinding.example";
  const auto first = client.send(request, os::Deadline::in_ms(30'000));
  REQUIRE_MESSAGE(first.ok(), (first.ok() ? std::string() : first.error().message));
  const auto second = client.send(request, os::Deadline::in_ms(30'000));
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().kind == ErrorKind::permission_denied);
  CHECK(asked == 2);
  CHECK(trapped == 0);
}

TEST_CASE("N02: one closed address among those of a name closes the name") {
  const auto trap = serve(echo);
  ClientOptions options;
  const auto rules = rules_of({});
  options.check_address = [&](std::string_view host, const Address& address) {
    return rules.check(host, address);
  };
  options.resolve = [&](const std::string&, std::uint16_t port, const os::Deadline&)
      -> Result<std::vector<Address>> {
    return std::vector{numeric("8.8.8.8", port), numeric("127.0.0.1", port)};
  };
  Client client(options);
  auto request = request_to(*trap, "GET", "/");
  request.url.host = "both.example";
  const auto refused = client.send(request, os::Deadline::in_ms(30'000));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::permission_denied);
}

}  // namespace outbound_test
