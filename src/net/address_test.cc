// SPDX-License-Identifier: Apache-2.0
#include "net/address.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "net/transport.h"

namespace address_test {

using namespace cairn;
using namespace cairn::net;

bool is_loopback(const std::string& host) {
  const auto addresses = resolve(host, 80, os::Deadline::in_ms(5'000));
  REQUIRE(addresses.ok());
  return addresses->front().is_loopback();
}

std::string congestion_control_of(const Transport& end) {
  char name[16] = "";
  socklen_t size = sizeof name;
  REQUIRE(::getsockopt(end.descriptor(), IPPROTO_TCP, TCP_CONGESTION, name, &size) == 0);
  return name;
}

TEST_CASE("addresses: which are those of this machine alone") {
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"})
    CHECK_MESSAGE(is_loopback(host), host);
  for (const char* host :
       {"128.0.0.1", "10.0.0.127", "0.0.0.0", "::", "fe80::1", "::ffff:10.0.0.1"})
    CHECK_MESSAGE(!is_loopback(host), host);
}

TEST_CASE("addresses: connections within this machine are not paced, whatever its default is") {
  const auto listening = listen_on({"127.0.0.1", 0});
  REQUIRE(listening.ok());
  const Transport listener(*listening);
  const auto where = local_address(*listening);
  REQUIRE(where.ok());
  const auto connected = connect_to({*where}, "127.0.0.1", 5'000, os::Deadline::in_ms(5'000));
  REQUIRE(connected.ok());
  const Transport client(*connected);
  const Transport server(::accept4(*listening, nullptr, nullptr, SOCK_CLOEXEC));
  CHECK(congestion_control_of(client) == "reno");
  CHECK(congestion_control_of(server) == "reno");
}

}  // namespace address_test
