// SPDX-License-Identifier: Apache-2.0
// From the Authorization header to the caller.
#pragma once

#include <string_view>

#include "auth/keys/keys.h"
#include "auth/sign_in/sign_in.h"
#include "base/result.h"
#include "gate/route.h"
#include "gate/test_credentials.h"
#include "net/http/message.h"
#include "ratelimit/limiter.h"

namespace cairn::gate {

/// The header fields of a 401, in order.
inline constexpr std::string_view challenge_basic = "Basic realm=\"security\", charset=\"UTF-8\"";
inline constexpr std::string_view challenge_api_key = "ApiKey";

/// The 401 of a request without credentials.
Error missing_credentials(std::string_view path);

/// The 401 of credentials that do not verify, and why.
Error unable_to_authenticate(std::string why);

struct IdentifyParams {
  const TestCredentials* tests = nullptr;  // null: there are none
  const IndexFacts* facts = nullptr;       // for callers without rights of their own, and streams
  const ObjectRights* objects = nullptr;   // of who holds the key
  const auth::SignIn* sign_in = nullptr;   // null: no issuer's tokens are taken
  ratelimit::Limiter* limiter = nullptr;   // is told of a key's account before the key is verified
};

/// Who presents these headers. Accepts a key as `ApiKey encoded`, where encoded is
/// base64(id:api_key), and for tools that know nothing else as `Bearer encoded`, `token encoded`,
/// `Basic base64(id:api_key)` and `Basic base64(any name:encoded)`. The names of the test's tokens
/// go wherever `encoded` does, a token of an issuer is `Bearer token`, and its OAuth apps are Basic
/// base64(client id:secret). Takes no lock. Errors: unauthenticated, security_exception, worded as
/// the platform does (no credentials; or credentials that do not verify, with the detail
/// additional_unsuccessful_credentials); invalid_argument for two Authorization fields.
Result<Caller> identify(const net::Headers& headers, std::string_view path, const auth::Keys& keys,
                        const IdentifyParams& params = {});

}  // namespace cairn::gate
