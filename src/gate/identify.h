// SPDX-License-Identifier: Apache-2.0
// From the Authorization header to the caller.
#pragma once

#include "auth/keys.h"
#include "base/result.h"
#include "gate/route.h"
#include "net/message.h"

namespace cairn::gate {

/// The header fields of a 401, in order.
inline constexpr std::string_view challenge_basic = "Basic realm=\"security\", charset=\"UTF-8\"";
inline constexpr std::string_view challenge_api_key = "ApiKey";

/// Who presents these headers. Accepts `ApiKey base64(id:key)`, and for tools that know nothing
/// else `Basic base64(id:key)` or `Basic base64(any name:encoded key)`. Takes no lock. Errors:
/// unauthenticated, security_exception, worded as the platform does (no credentials; or credentials
/// that do not verify, with the detail additional_unsuccessful_credentials); invalid_argument for
/// two Authorization fields.
Result<Caller> identify(const net::Headers& headers, std::string_view path, const auth::Keys& keys);

}  // namespace cairn::gate
