// SPDX-License-Identifier: Apache-2.0
// Addresses of web pages: references resolved, and one spelling for what is the same address.
// Source: RFC 3986, sections 5.2, 5.3 and 6.2.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::connectors {

/// The target of a reference in a page at `base`, with dot segments removed; the fragment stays.
/// `base` is absolute. Linear in both.
std::string resolve_reference(std::string_view base, std::string_view reference);

/// One spelling of an http or https address, without its fragment: scheme and host in lower case,
/// no port where it is the scheme's own, no dot segments, octets that need no escape unescaped and
/// all others escaped in upper case. Nothing for what is no such address, has a user in it, or is
/// longer than 2,048 bytes.
std::optional<std::string> normal_page_url(std::string_view url);

/// "example.com" or "example.com:8080" of a normal address.
std::string_view page_host(std::string_view normal_url);
/// Path and query of a normal address.
std::string_view page_target(std::string_view normal_url);

/// Text with each %XX of an unreserved octet unescaped, other escapes in upper case, and octets
/// that no address has escaped.
std::string normal_escapes(std::string_view text);

}  // namespace cairn::connectors
