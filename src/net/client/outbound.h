// SPDX-License-Identifier: Apache-2.0
// Where a caller may make this program connect to.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/address.h"

namespace cairn::net {

/// An address as sixteen bytes; one of version 4 stands as ::ffff:a.b.c.d.
using AddressBytes = std::array<std::uint8_t, 16>;

/// Rules for connections whose place a caller chose. Closed unless a rule allows them: everything
/// that is not a public address of the internet (RFC 6890 and its registries), the metadata address
/// of a cloud, and the addresses of this machine. A value; safe from any thread once made.
class OutboundRules {
 public:
  /// Each of `allowed` is a host name, "*.domain", an address or a range ("10.0.0.0/8", "fd00::/8"),
  /// with ":port" behind it, or ":*" or nothing for every port; a version 6 address with a port
  /// stands in brackets. A name allows whatever addresses it has. With `Patterns::allowed` a host
  /// may have * in it: "search-*.lan"; one that ends in * stands for addresses and names without a
  /// dot ("10.0.1.*", "search*"), since the end of a name says whose it is; and "*" alone for every
  /// public address. `setting` is where refusals say that they can be allowed.
  /// Errors: invalid_argument.
  enum class Patterns { refused, allowed };
  static Result<OutboundRules> parse(const std::vector<std::string>& allowed, std::string setting,
                                     Patterns patterns = Patterns::refused);
  /// Also this host, and the names below it: for a place that the operator named.
  void allow_host(std::string_view host, std::uint16_t port);
  /// Public addresses are closed too, unless an entry allows them. `why` stands in refusals.
  void close_public(std::string why) { why_closed_ = std::move(why); }
  /// False where no entry is for this host and port, whatever the addresses of the host are; an
  /// address alone is for itself, not for names. To refuse before anything is looked up; check() is
  /// asked for the connection all the same.
  bool may_allow(std::string_view host, std::uint16_t port) const;
  /// May a connection be made to `address`, to which `host` was resolved? To be asked with the
  /// address that is then connected to, not with one that was resolved at another time.
  /// Errors: permission_denied, with the setting that would allow it; unavailable where this
  /// machine does not tell its own addresses.
  Status check(std::string_view host, const Address& address) const;
  /// For tests: what this machine's addresses are, instead of asking it.
  using OwnAddresses = std::function<Result<std::vector<AddressBytes>>()>;
  void set_own_addresses(OwnAddresses own) { own_ = std::move(own); }

 private:
  struct Entry {
    std::string host = {};  // lower case, without a dot at its end; empty: the range counts
    bool below = false;     // names below the host, not the host
    bool pattern = false;   // the host has *
    AddressBytes range = {};
    int bits = 0;
    std::uint16_t port = 0;  // 0: every port
    bool names(const std::string& name) const;
  };
  static Result<Entry> entry_of(std::string_view text);
  bool allows(std::string_view host, const AddressBytes& address, std::uint16_t port) const;
  bool opens_public(std::uint16_t port) const;  // by "*"
  Result<bool> is_elsewhere(const AddressBytes& address) const;

  std::vector<Entry> entries_;
  std::string setting_ = {};
  std::string why_closed_ = {};  // empty: public addresses are open
  OwnAddresses own_ = {};  // empty: the machine is asked
};

AddressBytes bytes_of(const Address& address);

/// True for addresses that belong to somebody on the internet: not private, shared, link-local,
/// loopback, multicast, reserved, of a cloud's metadata, and no such one inside of another.
bool is_public(const AddressBytes& address);

}  // namespace cairn::net
