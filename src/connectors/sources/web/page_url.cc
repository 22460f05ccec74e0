// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/page_url.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t page_url_bytes_max = 2048;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_figure(char c) { return c >= '0' && c <= '9'; }

bool is_unreserved(char c) {
  return is_letter(c) || is_figure(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/// Octets that an address has as they are.
bool is_address_octet(char c) {
  return is_unreserved(c) || std::string_view(":/?#[]@!$&'()*+,;=%").find(c) != std::string::npos;
}

int escape_digit(char c) {
  if (is_figure(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_escape(std::string& out, unsigned char octet) {
  constexpr std::string_view figures = "0123456789ABCDEF";
  out += '%';
  out += figures[octet >> 4];
  out += figures[octet & 15];
}

/// The parts of RFC 3986, appendix B; views of the text.
struct UrlParts {
  std::string_view scheme = {}, path = {};
  std::optional<std::string_view> authority = {}, query = {}, fragment = {};
};

UrlParts parts_of(std::string_view text) {
  UrlParts out;
  if (const auto at = text.find('#'); at != std::string_view::npos) {
    out.fragment = text.substr(at + 1);
    text = text.substr(0, at);
  }
  if (const auto at = text.find('?'); at != std::string_view::npos) {
    out.query = text.substr(at + 1);
    text = text.substr(0, at);
  }
  std::size_t end = 0;
  while (end < text.size() &&
         (is_letter(text[end]) || (end > 0 && (is_figure(text[end]) || text[end] == '+' ||
                                               text[end] == '-' || text[end] == '.'))))
    ++end;
  if (end > 0 && end < text.size() && text[end] == ':') {
    out.scheme = text.substr(0, end);
    text = text.substr(end + 1);
  }
  if (text.starts_with("//")) {
    const std::size_t slash = std::min(text.find('/', 2), text.size());
    out.authority = text.substr(2, slash - 2);
    text = text.substr(slash);
  }
  out.path = text;
  return out;
}

/// Section 5.2.4.
std::string without_dot_segments(std::string_view in) {
  std::string out;
  while (!in.empty()) {
    if (in.starts_with("../")) {
      in.remove_prefix(3);
    } else if (in.starts_with("./")) {
      in.remove_prefix(2);
    } else if (in.starts_with("/./")) {
      in.remove_prefix(2);
    } else if (in == "/.") {
      in = "/";
    } else if (in.starts_with("/../") || in == "/..") {
      in = in.size() == 3 ? std::string_view("/") : in.substr(3);
      const auto slash = out.rfind('/');
      out.resize(slash == std::string::npos ? 0 : slash);
    } else if (in == "." || in == "..") {
      in = {};
    } else {
      const std::size_t end = std::min(in.find('/', 1), in.size());
      out += in.substr(0, end);
      in.remove_prefix(end);
    }
  }
  return out;
}

/// Section 5.2.3.
std::string merged(const UrlParts& base, std::string_view path) {
  if (base.authority && base.path.empty()) return "/" + std::string(path);
  const auto slash = base.path.rfind('/');
  return std::string(base.path.substr(0, slash == std::string_view::npos ? 0 : slash + 1)) +
         std::string(path);
}

/// The authority with a host in lower case, and no port of the scheme's own.
std::optional<std::string> normal_authority(std::string_view scheme, std::string_view authority) {
  if (authority.find('@') != std::string_view::npos) return std::nullopt;
  std::string out = lower_ascii(authority);
  const auto bracket = out.rfind(']');
  const auto colon = out.find(':', bracket == std::string::npos ? 0 : bracket);
  std::string port;
  if (colon != std::string::npos) {
    port = out.substr(colon + 1);
    out.resize(colon);
    if (!port.empty()) {
      const auto number = parse_number<std::uint16_t>(port);
      if (!number || *number == 0) return std::nullopt;
      port = std::to_string(*number);
    }
  }
  if (out.empty()) return std::nullopt;
  for (const char c : out)
    if (!is_unreserved(c) && c != '[' && c != ']' && c != ':') return std::nullopt;
  if (!port.empty() && port != (scheme == "https" ? "443" : "80")) out += ":" + port;
  return out;
}

}  // namespace

std::string normal_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%' && i + 2 < text.size() && escape_digit(text[i + 1]) >= 0 &&
        escape_digit(text[i + 2]) >= 0) {
      const int octet = escape_digit(text[i + 1]) * 16 + escape_digit(text[i + 2]);
      i += 2;
      if (octet < 0x80 && is_unreserved(static_cast<char>(octet)))
        out += static_cast<char>(octet);
      else
        append_escape(out, static_cast<unsigned char>(octet));
    } else if (c == '%' || !is_address_octet(c)) {
      append_escape(out, static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string resolve_reference(std::string_view base_text, std::string_view reference) {
  const UrlParts base = parts_of(base_text), given = parts_of(reference);
  std::string_view scheme = given.scheme;
  std::optional<std::string_view> authority = given.authority, query = given.query;
  std::string path;
  if (!given.scheme.empty() || given.authority) {
    path = without_dot_segments(given.path);
  } else if (given.path.empty()) {
    path = base.path;
    if (!query) query = base.query;
  } else {
    path = without_dot_segments(given.path.starts_with('/') ? std::string(given.path)
                                                            : merged(base, given.path));
  }
  if (given.scheme.empty()) {
    scheme = base.scheme;
    if (!given.authority) authority = base.authority;
  }
  std::string out(scheme);
  if (!scheme.empty()) out += ":";
  if (authority) out += "//" + std::string(*authority);
  out += path;
  if (query) out += "?" + std::string(*query);
  if (given.fragment) out += "#" + std::string(*given.fragment);
  return out;
}

std::optional<std::string> normal_page_url(std::string_view url) {
  if (url.size() > page_url_bytes_max) return std::nullopt;
  const UrlParts parts = parts_of(url);
  const std::string scheme = lower_ascii(parts.scheme);
  if ((scheme != "http" && scheme != "https") || !parts.authority) return std::nullopt;
  const auto authority = normal_authority(scheme, *parts.authority);
  if (!authority) return std::nullopt;
  std::string path = without_dot_segments(normal_escapes(parts.path));
  if (path.empty()) path = "/";
  std::string out = scheme + "://" + *authority + path;
  if (parts.query) out += "?" + normal_escapes(*parts.query);
  if (out.size() > page_url_bytes_max) return std::nullopt;
  return out;
}

std::string_view page_host(std::string_view url) {
  const auto begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  return url.substr(begin + 3, url.find_first_of("/?", begin + 3) - begin - 3);
}

std::string_view page_target(std::string_view url) {
  const auto begin = url.find("://");
  if (begin == std::string_view::npos) return "/";
  const auto slash = url.find('/', begin + 3);
  return slash == std::string_view::npos ? std::string_view("/") : url.substr(slash);
}

}  // namespace cairn::connectors
