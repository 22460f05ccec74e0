// SPDX-License-Identifier: Apache-2.0
// URLs of http and https.
#include <algorithm>

#include "base/strings.h"
#include "net/client/client.h"

namespace cairn::net {

std::string Url::authority() const {
  const bool six = host.find(':') != std::string::npos;
  const bool usual = port == (scheme == "https" ? 443 : 80);
  std::string text = six ? "[" + host + "]" : host;
  if (!usual) text += ":" + std::to_string(port);
  return text;
}

Result<Url> parse_url(std::string_view text) {
  const auto bad = [text](std::string_view why) {
    return Error{
        .kind = ErrorKind::invalid_argument,
        .message = "[" + std::string(text.substr(0, 200)) + "] is not a URL: " + std::string(why)};
  };
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '\x7f';
  });
  if (!plain) return bad("it has spaces or control characters");
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return bad("it does not begin with http:// or https://");
  Url url;
  url.scheme = lower_ascii(text.substr(0, colon));
  if (url.scheme != "http" && url.scheme != "https") return bad("only http and https are known");
  url.port = url.scheme == "https" ? 443 : 80;
  std::string_view rest = text.substr(colon + 3);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, end);
  url.target = rest.substr(end);
  if (url.target.empty() || url.target.front() == '?') url.target.insert(0, 1, '/');
  if (authority.find('@') != std::string_view::npos) return bad("it has a user name");
  std::size_t after_host = 0;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return bad("a bracket is not closed");
    url.host = authority.substr(1, close - 1);
    after_host = close + 1;
  } else {
    after_host = std::min(authority.find(':'), authority.size());
    url.host = authority.substr(0, after_host);
  }
  if (url.host.empty()) return bad("it names no host");
  if (after_host < authority.size()) {
    const auto port = parse_number<std::uint16_t>(authority.substr(after_host + 1));
    const bool empty = after_host + 1 == authority.size();
    if (authority[after_host] != ':' || (!empty && (!port || *port == 0))) {
      return bad("the port is not a number from 1 to 65535");
    }
    if (!empty) url.port = *port;
  }
  return url;
}

}  // namespace cairn::net
