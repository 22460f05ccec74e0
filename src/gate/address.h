// SPDX-License-Identifier: Apache-2.0
// Whose address a request comes from, and which addresses are counted as one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/message.h"
#include "ratelimit/policy/policy.h"

namespace cairn::gate {

/// An address as bytes. An IPv4 address in the clothes of IPv6 (::ffff:192.0.2.1) is an IPv4 one.
struct Address {
  std::array<std::uint8_t, 16> bytes{};  // the first 4 of IPv4
  bool v6 = false;
  bool operator==(const Address&) const = default;
};

/// Reads "192.0.2.1", "2001:db8::1", "fe80::1%eth0" (without its zone); where `with_port`, also
/// "192.0.2.1:80", "[2001:db8::1]" and "[2001:db8::1]:80". Nothing for anything else.
std::optional<Address> parse_address(std::string_view text, bool with_port = false);

/// Maps requests to addresses, and addresses to buckets. Immutable.
class AddressRules {
 public:
  /// `rules` were checked by parse_policy; a network that does not parse is left out.
  explicit AddressRules(const ratelimit::Addresses& rules);

  /// The peer; behind trusted proxies the right-most address of X-Forwarded-For that is none of
  /// them, or the left-most where all are. The peer again where what would decide is malformed, and
  /// nothing where the peer has no address.
  std::optional<Address> address_of(const net::RequestHead& head) const;
  /// "ip:192.0.2.1"; "ip:2001:db8::/64", masked by the prefix of the policy; "ip:unknown".
  std::string account_of(const net::RequestHead& head) const;
  std::string account_of(const Address& address) const;

 private:
  struct Network {
    Address base;
    unsigned prefix = 0;
  };
  bool is_trusted(const Address& address) const;
  std::vector<Network> trusted_ = {};
  unsigned ipv6_prefix_ = 64;
};

}  // namespace cairn::gate
