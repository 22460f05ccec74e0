// SPDX-License-Identifier: Apache-2.0
// Ranges that are nobody's on the internet, and who may be connected to all the same.
#include "net/client/outbound.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace cairn::net {
namespace {

constexpr int four_starts_at = 96;  // bits of ::ffff:0:0/96

struct AddressRange {
  AddressBytes bytes = {};
  int bits = 0;
};

AddressBytes mapped(const std::uint8_t* four) {
  AddressBytes out{};
  out[10] = out[11] = 0xff;
  std::memcpy(out.data() + 12, four, 4);
  return out;
}

/// "10.0.0.0/8", "fd00::/8", or an address alone.
std::optional<AddressRange> range_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  AddressRange out;
  int most = 128;
  int before = 0;
  if (in_addr four{}; inet_pton(AF_INET, address.c_str(), &four) == 1) {
    out.bytes = mapped(reinterpret_cast<const std::uint8_t*>(&four));
    most = 32;
    before = four_starts_at;
  } else if (in6_addr six{}; inet_pton(AF_INET6, address.c_str(), &six) == 1) {
    std::memcpy(out.bytes.data(), &six, sizeof six);
  } else {
    return std::nullopt;
  }
  out.bits = before + most;
  if (slash == std::string_view::npos) return out;
  const auto bits = parse_number<int>(text.substr(slash + 1));
  if (!bits || *bits < 0 || *bits > most) return std::nullopt;
  out.bits = before + *bits;
  return out;
}

bool lies_in(const AddressBytes& address, const AddressBytes& range, int bits) {
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(range.begin(), range.begin() + static_cast<std::ptrdiff_t>(whole),
                  address.begin()))
    return false;
  if (bits % 8 == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xff << (8 - bits % 8));
  return (address[whole] & mask) == (range[whole] & mask);
}

std::vector<AddressRange> ranges_of(std::initializer_list<const char*> texts) {
  std::vector<AddressRange> out;
  for (const char* const text : texts)
    if (const auto range = range_of(text)) out.push_back(*range);
  return out;
}

bool in_any(const AddressBytes& address, const std::vector<AddressRange>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const AddressRange& range) {
    return lies_in(address, range.bytes, range.bits);
  });
}

/// Sources: the IANA registries of special-purpose addresses (RFC 6890), and 168.63.129.16, behind
/// which a cloud answers its guests although the address is a public one.
const std::vector<AddressRange>& closed_four() {
  static const std::vector<AddressRange> all = ranges_of(
      {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
       "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
       "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "168.63.129.16"});
  return all;
}
/// Of 2000::/3, outside of which nothing is public: protocols, 6to4, documentation.
const std::vector<AddressRange>& closed_six() {
  static const std::vector<AddressRange> all =
      ranges_of({"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"});
  return all;
}

Result<std::vector<AddressBytes>> addresses_of_this_machine() {
  std::vector<AddressBytes> out;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0)
    return Error{.kind = ErrorKind::unavailable,
                 .message = "the addresses of this machine cannot be read"};
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    Address address;
    address.size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::memcpy(&address.storage, each->ifa_addr, address.size);
    out.push_back(bytes_of(address));
  }
  ::freeifaddrs(list);
  return out;
}

/// As names are compared: "LOCALHOST." is "localhost".
std::string plain_host(std::string_view host) {
  std::string out = lower_ascii(host);
  if (out.ends_with('.')) out.pop_back();
  return out;
}

/// Letters, digits, '-', '_', '.': what names of hosts have; and '*', for patterns.
bool is_host_name(std::string_view text) {
  return !text.empty() && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                  c == '.' || c == '*';
         });
}

Error bad_entry(std::string_view text) {
  return {.kind = ErrorKind::invalid_argument,
          .message = "[" + std::string(text) +
                     "] is no endpoint; write a host, *.domain, an address or a range as "
                     "10.0.0.0/8, with :port behind it or for every port, and no http://"};
}

}  // namespace

AddressBytes bytes_of(const Address& address) {
  AddressBytes out{};
  if (address.storage.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr;
    return mapped(reinterpret_cast<const std::uint8_t*>(&four));
  }
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr;
  std::memcpy(out.data(), &six, sizeof six);
  return out;
}

bool is_public(const AddressBytes& address) {
  static const AddressRange all_four{.bytes = mapped(std::array<std::uint8_t, 4>{}.data()),
                              .bits = four_starts_at};
  static const AddressRange translated = *range_of("64:ff9b::/96");  // the way to version 4, RFC 6052
  static const AddressRange global = *range_of("2000::/3");
  if (lies_in(address, translated.bytes, translated.bits))
    return is_public(mapped(address.data() + 12));
  if (lies_in(address, all_four.bytes, all_four.bits)) return !in_any(address, closed_four());
  return lies_in(address, global.bytes, global.bits) && !in_any(address, closed_six());
}

Result<OutboundRules::Entry> OutboundRules::entry_of(std::string_view text) {
  Entry entry;
  std::string_view rest = text;
  std::string_view port;
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return bad_entry(text);
    port = rest.substr(close + 1);
    rest = rest.substr(1, close - 1);
    if (!port.empty() && port.front() != ':') return bad_entry(text);
  } else if (std::count(rest.begin(), rest.end(), ':') == 1) {
    port = rest.substr(rest.find(':'));
    rest = rest.substr(0, rest.find(':'));
  }
  if (!port.empty() && port != ":*") {
    const auto number = parse_number<std::uint16_t>(port.substr(1));
    if (!number || *number == 0) return bad_entry(text);
    entry.port = *number;
  }
  if (const auto range = range_of(rest)) {
    entry.range = range->bytes;
    entry.bits = range->bits;
    return entry;
  }
  entry.below = rest.starts_with("*.");
  if (entry.below) rest.remove_prefix(2);
  entry.host = plain_host(rest);
  if (!is_host_name(entry.host)) return bad_entry(text);
  entry.pattern = entry.host.find('*') != std::string::npos;
  if (entry.pattern && entry.below) entry.host = "*." + entry.host, entry.below = false;
  return entry;
}

Result<OutboundRules> OutboundRules::parse(const std::vector<std::string>& allowed,
                                           std::string setting, Patterns patterns) {
  OutboundRules rules;
  rules.setting_ = std::move(setting);
  for (const std::string& text : allowed) {
    CAIRN_TRY(Entry entry, entry_of(text));
    if (entry.pattern && patterns == Patterns::refused) return bad_entry(text);
    rules.entries_.push_back(std::move(entry));
  }
  return rules;
}

void OutboundRules::allow_host(std::string_view host, std::uint16_t port) {
  for (const bool below : {false, true})
    entries_.push_back({.host = plain_host(host), .below = below, .port = port});
}

bool OutboundRules::allows(std::string_view host, const AddressBytes& address,
                           std::uint16_t port) const {
  const std::string name = plain_host(host);
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    if (entry.port != 0 && entry.port != port) return false;
    if (entry.host.empty()) return lies_in(address, entry.range, entry.bits);
    return entry.names(name);
  });
}

/// Whether the name itself is allowed; "*" is no name.
bool OutboundRules::Entry::names(const std::string& name) const {
  if (host.empty() || host == "*") return false;
  if (pattern && host.ends_with('*') && name.find('.') != std::string::npos && !range_of(name))
    return false;
  if (pattern) return wildcard_match(host, name);
  return below ? name.ends_with("." + host) : name == host;
}

bool OutboundRules::opens_public(std::uint16_t port) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.host == "*" && (entry.port == 0 || entry.port == port);
  });
}

bool OutboundRules::may_allow(std::string_view host, std::uint16_t port) const {
  if (why_closed_.empty() || opens_public(port)) return true;
  const std::string name = plain_host(host);
  const auto literal = range_of(name);
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    if (entry.port != 0 && entry.port != port) return false;
    if (!entry.host.empty()) return entry.names(name);
    // An address alone stands for itself; any name may have one of a range.
    return literal ? lies_in(literal->bytes, entry.range, entry.bits) : entry.bits < 128;
  });
}

/// A public address, and not of this machine.
Result<bool> OutboundRules::is_elsewhere(const AddressBytes& address) const {
  if (!is_public(address)) return false;
  CAIRN_TRY(const auto own, own_ ? own_() : addresses_of_this_machine());
  return std::find(own.begin(), own.end(), address) == own.end();
}

Status OutboundRules::check(std::string_view host, const Address& address) const {
  const AddressBytes bytes = bytes_of(address);
  if (allows(host, bytes, address.port())) return ok_status();
  std::string why = why_closed_;
  if (why.empty() || opens_public(address.port())) {
    CAIRN_TRY(const bool elsewhere, is_elsewhere(bytes));
    if (elsewhere) return ok_status();
    why = "the address is of this machine or of no public network";
  }
  const std::string at = address.host();
  return Error{.kind = ErrorKind::permission_denied,
               .message = "no connection is made to " + std::string(host) +
                          (at == host ? "" : " (" + at + ")") + ": " + why +
                          "; who runs the server can allow it in the setting " + setting_};
}

}  // namespace cairn::net
