// SPDX-License-Identifier: Apache-2.0
// Label by label.
#include "objectclient/endpoint/host_label.h"

#include <algorithm>
#include <charconv>

namespace cairn::objectclient {
namespace {

bool is_label(std::string_view text) {
  if (text.empty() || text.size() > 63 || text.front() == '-' || text.back() == '-') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool is_ipv4(std::string_view host) {
  for (int part = 0; part < 4; ++part) {
    int number = 0;
    const auto [end, fault] = std::from_chars(host.data(), host.data() + host.size(), number);
    const auto length = static_cast<std::size_t>(end - host.data());
    if (fault != std::errc{} || length == 0 || length > 3 || number < 0 || number > 255)
      return false;
    host.remove_prefix(length);
    if (part == 3) return host.empty();
    if (!host.starts_with('.')) return false;
    host.remove_prefix(1);
  }
  return false;
}

}  // namespace

bool is_host_label(std::string_view text, bool dots) {
  if (!dots) return is_label(text);
  for (;;) {
    const auto dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_virtual_hostable(std::string_view bucket, bool dots) {
  if (bucket.size() < 3 || bucket.size() > 63 || !is_host_label(bucket, dots)) return false;
  return !is_ipv4(bucket) &&
         std::none_of(bucket.begin(), bucket.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_ip_address(std::string_view host) {
  if (is_ipv4(host)) return true;
  if (host.size() < 4 || !host.starts_with('[') || !host.ends_with(']')) return false;
  host = host.substr(1, host.size() - 2);
  return host.find(':') != std::string_view::npos &&
         host.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

}  // namespace cairn::objectclient
