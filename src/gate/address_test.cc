// SPDX-License-Identifier: Apache-2.0
#include "gate/address.h"

#include <doctest/doctest.h>

namespace cairn::gate::address_test {
namespace {

std::string account(const ratelimit::Addresses& rules, std::string peer,
                    std::vector<std::string> forwarded = {}) {
  net::RequestHead head;
  head.peer_address = std::move(peer);
  for (const auto& value : forwarded) head.headers.add("X-Forwarded-For", value);
  return AddressRules(rules).account_of(head);
}

}  // namespace

TEST_CASE("address: one host has one bucket, however its address is written") {
  const ratelimit::Addresses usual;
  const struct {
    const char *peer, *bucket;
  } rows[] = {
      {"192.0.2.1", "ip:192.0.2.1"},
      {"::ffff:192.0.2.1", "ip:192.0.2.1"},
      {"::FFFF:c000:201", "ip:192.0.2.1"},
      {"0:0:0:0:0:ffff:192.0.2.1", "ip:192.0.2.1"},
      {"2001:db8::1", "ip:2001:db8::/64"},
      {"2001:DB8:0:0:ffff:ffff:ffff:ffff", "ip:2001:db8::/64"},
      {"2001:db8:0:1::1", "ip:2001:db8:0:1::/64"},
      {"fe80::1%eth0", "ip:fe80::/64"},
      {"::1", "ip:::/64"},
      {"127.0.0.1", "ip:127.0.0.1"},
      {"", "ip:unknown"},
      {"localhost", "ip:unknown"},
      {"1.2.3", "ip:unknown"},
      {"1.2.3.4.5", "ip:unknown"},
      {"01.2.3.4", "ip:unknown"},
      {"1.2.3.4%lo", "ip:unknown"},
      {"1.2.3.4:80", "ip:unknown"},
      {"[::1]", "ip:unknown"},
  };
  for (const auto& row : rows) CHECK_MESSAGE(account(usual, row.peer) == row.bucket, row.peer);
}

TEST_CASE("address: the prefix of IPv6 is the policy's") {
  const char* const host = "2001:db8:1234:5678:9abc:def0:1234:5678";
  const struct {
    std::uint32_t prefix;
    const char* bucket;
  } rows[] = {{128, "ip:2001:db8:1234:5678:9abc:def0:1234:5678"},
              {127, "ip:2001:db8:1234:5678:9abc:def0:1234:5678/127"},
              {65, "ip:2001:db8:1234:5678:8000::/65"},
              {64, "ip:2001:db8:1234:5678::/64"},
              {56, "ip:2001:db8:1234:5600::/56"},
              {48, "ip:2001:db8:1234::/48"},
              {0, "ip:::/0"}};
  for (const auto& row : rows) CHECK(account({.ipv6_prefix = row.prefix}, host) == row.bucket);
  CHECK(account({.ipv6_prefix = 0}, "192.0.2.1") == "ip:192.0.2.1");
}

TEST_CASE("address: X-Forwarded-For counts from trusted proxies only, from the right") {
  const ratelimit::Addresses behind{.trusted_proxies = {"10.0.0.0/8", "192.168.1.1",
                                                        "2001:db8:ff::/48",
                                                        "::ffff:172.16.0.0/108"}};
  const struct {
    const char* peer;
    std::vector<std::string> forwarded;
    const char* bucket;
  } rows[] = {
      {"203.0.113.9", {"198.51.100.1"}, "ip:203.0.113.9"},  // a stranger says so
      {"10.1.2.3", {}, "ip:10.1.2.3"},
      {"10.1.2.3", {"198.51.100.1"}, "ip:198.51.100.1"},
      {"::ffff:10.1.2.3", {"198.51.100.1"}, "ip:198.51.100.1"},
      {"192.168.1.1", {"198.51.100.1"}, "ip:198.51.100.1"},
      {"192.168.1.2", {"198.51.100.1"}, "ip:192.168.1.2"},
      {"172.31.0.1", {"198.51.100.1"}, "ip:198.51.100.1"},
      {"172.32.0.1", {"198.51.100.1"}, "ip:172.32.0.1"},
      {"2001:db8:ff:1::1", {"198.51.100.1"}, "ip:198.51.100.1"},
      // What the client wrote itself stands on the left.
      {"10.1.2.3", {"1.1.1.1, 198.51.100.1"}, "ip:198.51.100.1"},
      {"10.1.2.3", {"1.1.1.1, 198.51.100.1, 10.9.9.9,  192.168.1.1 "}, "ip:198.51.100.1"},
      {"10.1.2.3", {"1.1.1.1", "198.51.100.1", "10.9.9.9"}, "ip:198.51.100.1"},
      {"10.1.2.3", {"10.0.0.7, 10.0.0.8"}, "ip:10.0.0.7"},
      {"10.1.2.3", {"2001:db8::7"}, "ip:2001:db8::/64"},
      {"10.1.2.3", {"::ffff:198.51.100.1"}, "ip:198.51.100.1"},
      {"10.1.2.3", {"198.51.100.1:5678"}, "ip:198.51.100.1"},
      {"10.1.2.3", {"[2001:db8::7]:443"}, "ip:2001:db8::/64"},
      {"10.1.2.3", {"[2001:db8::7]"}, "ip:2001:db8::/64"},
      // Malformed where it decides: the peer.
      {"10.1.2.3", {"unknown"}, "ip:10.1.2.3"},
      {"10.1.2.3", {"198.51.100.1, _hidden"}, "ip:10.1.2.3"},
      {"10.1.2.3", {"198.51.100.1,"}, "ip:10.1.2.3"},
      {"10.1.2.3", {"198.51.100.1:"}, "ip:10.1.2.3"},
      {"10.1.2.3", {"198.51.100.1:x"}, "ip:10.1.2.3"},
      {"10.1.2.3", {"[198.51.100.1]"}, "ip:10.1.2.3"},
      {"10.1.2.3", {"[2001:db8::7"}, "ip:10.1.2.3"},
      {"10.1.2.3", {std::string("198.51.100.1\0", 13)}, "ip:10.1.2.3"},
      {"10.1.2.3", {std::string(500, '1')}, "ip:10.1.2.3"},
      // … but not where nobody looks.
      {"10.1.2.3", {"nonsense, 198.51.100.1"}, "ip:198.51.100.1"},
  };
  for (const auto& row : rows)
    CHECK_MESSAGE(account(behind, row.peer, row.forwarded) == row.bucket,
                  row.peer << " " << (row.forwarded.empty() ? "" : row.forwarded[0]));
  CHECK(account({}, "10.1.2.3", {"198.51.100.1"}) == "ip:10.1.2.3");
  CHECK(account({.trusted_proxies = {"0.0.0.0/0"}}, "9.9.9.9", {"8.8.8.8, 7.7.7.7"}) ==
        "ip:8.8.8.8");
  CHECK(account({.trusted_proxies = {"nonsense", "10.0.0.0/33", "10.0.0.0/x"}}, "10.1.2.3",
                {"8.8.8.8"}) == "ip:10.1.2.3");
}

}  // namespace cairn::gate::address_test
