// SPDX-License-Identifier: Apache-2.0
// Parsing, masking and the walk over X-Forwarded-For.
#include "gate/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "base/strings.h"

namespace cairn::gate {
namespace {

constexpr std::size_t text_bytes_max = 64;  // longer than any address with its zone and port
constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

unsigned bits_of(const Address& address) { return address.v6 ? 128 : 32; }

void mask(Address& address, unsigned prefix) {
  for (std::size_t i = 0; i < address.bytes.size(); ++i) {
    const auto at = static_cast<unsigned>(i * 8);
    if (prefix >= at + 8) continue;
    const unsigned kept = prefix > at ? prefix - at : 0;
    address.bytes[i] = static_cast<std::uint8_t>(address.bytes[i] & (0xff00U >> kept));
  }
}

/// "host:80", "[host]:80" and "[host]" without what is around the host.
std::string_view without_port(std::string_view text) {
  const auto is_port = [](std::string_view port) {
    return port.size() > 1 && port.front() == ':' &&
           parse_number<std::uint16_t>(port.substr(1)).has_value();
  };
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return {};
    const auto rest = text.substr(end + 1);
    if (!rest.empty() && !is_port(rest)) return {};
    const auto host = text.substr(1, end - 1);
    return host.find(':') == std::string_view::npos ? std::string_view() : host;
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos)
    return text;
  return is_port(text.substr(colon)) ? text.substr(0, colon) : std::string_view();
}

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
  return text;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text, bool with_port) {
  if (with_port) text = without_port(text);
  if (text.empty() || text.size() > text_bytes_max) return std::nullopt;
  Address out;
  out.v6 = text.find(':') != std::string_view::npos;
  if (const auto zone = text.find('%'); zone != std::string_view::npos) {
    if (!out.v6 || zone + 1 == text.size()) return std::nullopt;
    text = text.substr(0, zone);
  }
  char copy[text_bytes_max + 1] = {};
  std::memcpy(copy, text.data(), text.size());
  if (std::strlen(copy) != text.size()) return std::nullopt;  // a NUL inside
  if (::inet_pton(out.v6 ? AF_INET6 : AF_INET, copy, out.bytes.data()) != 1) return std::nullopt;
  if (out.v6 && std::equal(mapped.begin(), mapped.end(), out.bytes.begin())) {
    std::copy(out.bytes.begin() + 12, out.bytes.end(), out.bytes.begin());
    std::fill(out.bytes.begin() + 4, out.bytes.end(), std::uint8_t{0});
    out.v6 = false;
  }
  return out;
}

AddressRules::AddressRules(const ratelimit::Addresses& rules)
    : ipv6_prefix_(std::min(rules.ipv6_prefix, std::uint32_t{128})) {
  for (const std::string& text : rules.trusted_proxies) {
    const auto slash = text.find('/');
    const auto address = parse_address(std::string_view(text).substr(0, slash));
    if (!address) continue;
    Network network{.base = *address, .prefix = bits_of(*address)};
    if (slash != std::string::npos) {
      const auto prefix = parse_number<unsigned>(std::string_view(text).substr(slash + 1));
      if (!prefix) continue;
      // ::ffff:10.0.0.0/104 is 10.0.0.0/8.
      const bool was_mapped = !address->v6 && text.find(':') != std::string::npos;
      network.prefix = was_mapped ? (*prefix < 96 ? 0 : *prefix - 96) : *prefix;
      if (network.prefix > bits_of(*address)) continue;
    }
    mask(network.base, network.prefix);
    trusted_.push_back(network);
  }
}

bool AddressRules::is_trusted(const Address& address) const {
  return std::any_of(trusted_.begin(), trusted_.end(), [&address](const Network& network) {
    if (network.base.v6 != address.v6) return false;
    Address masked = address;
    mask(masked, network.prefix);
    return masked == network.base;
  });
}

std::optional<Address> AddressRules::address_of(const net::RequestHead& head) const {
  const auto peer = parse_address(head.peer_address);
  if (!peer || trusted_.empty() || !is_trusted(*peer)) return peer;
  const std::string hops = head.headers.joined("x-forwarded-for");
  if (hops.empty()) return peer;
  const auto names = split(hops, ',');
  std::optional<Address> found;
  for (auto hop = names.rbegin(); hop != names.rend(); ++hop) {
    found = parse_address(trim(*hop), true);
    if (!found) return peer;
    if (!is_trusted(*found)) return found;
  }
  return found;
}

std::string AddressRules::account_of(const net::RequestHead& head) const {
  const auto address = address_of(head);
  return address ? account_of(*address) : "ip:unknown";
}

std::string AddressRules::account_of(const Address& address) const {
  if (!address.v6 || ipv6_prefix_ == 128) return "ip:" + text_of(address);
  Address masked = address;
  mask(masked, ipv6_prefix_);
  return "ip:" + text_of(masked) + "/" + std::to_string(ipv6_prefix_);
}

}  // namespace cairn::gate
