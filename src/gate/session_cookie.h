// SPDX-License-Identifier: Apache-2.0
// Cookies that the server gives to browsers. Sources: RFC 6265, and its revision for the prefix
// __Host-.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/message.h"

namespace cairn::gate {

/// All ports of a host share their cookies, so no two kinds have one name.
struct Cookie {
  std::string_view plain_name = {};
  bool secure = false;  // for TLS alone; then the name says that nobody else can have set it
  bool strict = true;   // not sent with what another site links to

  std::string name() const { return (secure ? "__Host-" : "") + std::string(plain_name); }
  /// The value of Set-Cookie. `max_age_s`: 0 ends the cookie; nothing: it ends with the browser.
  std::string set(std::string_view value, std::optional<std::int64_t> max_age_s = {}) const;
  std::string clear() const { return set("", 0); }

  struct Shown {
    std::string_view value = {};
    std::size_t count = 0;  // of cookies of that name: another port, or path, may have set one too
  };
  /// What a request shows of it. Lives as long as the headers.
  Shown in(const net::Headers& headers) const;
};

inline constexpr std::string_view session_cookie = "cairn_session";
inline constexpr std::string_view sign_in_cookie = "cairn_sign_in";  // of a sign-in under way

}  // namespace cairn::gate
