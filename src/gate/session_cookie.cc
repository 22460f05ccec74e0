// SPDX-License-Identifier: Apache-2.0
#include "gate/session_cookie.h"

#include "base/strings.h"

namespace cairn::gate {

std::string Cookie::set(std::string_view value, std::optional<std::int64_t> max_age_s) const {
  std::string out = name() + "=" + std::string(value) + "; HttpOnly; SameSite=";
  out += strict ? "Strict" : "Lax";
  out += "; Path=/";
  if (secure) out += "; Secure";
  if (max_age_s) out += "; Max-Age=" + std::to_string(*max_age_s);
  return out;
}

Cookie::Shown Cookie::in(const net::Headers& headers) const {
  Shown out;
  const std::string wanted = name();
  for (const auto& [field, text] : headers.fields()) {
    if (!equals_ignore_case(field, "cookie")) continue;
    for (const std::string_view pair : split(text, ';')) {
      const auto equals = pair.find('=');
      if (equals == std::string_view::npos || trim(pair.substr(0, equals)) != wanted) continue;
      if (++out.count == 1) out.value = trim(pair.substr(equals + 1));
    }
  }
  return out;
}

}  // namespace cairn::gate
