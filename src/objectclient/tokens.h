// SPDX-License-Identifier: Apache-2.0
// Bearer tokens: who gives them, and where one is looked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "objectclient/profiles.h"
#include "objectclient/environment.h"
#include "os/deadline.h"

namespace cairn::objectclient {

struct Token {
  std::string text = {};
  std::optional<std::int64_t> expiration_ms = {};  // since 1970; nothing: it does not expire
};

/// Safe from any thread.
class TokenProvider {
 public:
  virtual ~TokenProvider() = default;
  /// A token that is good now. May wait for a service.
  virtual Result<Token> get(const os::Deadline& deadline) = 0;
};

/// Always the same.
std::shared_ptr<TokenProvider> static_token(std::string text);

/// The token of a sign-in (`sso_session` of the profile): read from its cache file, renewed with
/// its refresh token when less than five minutes are left, at most once in thirty seconds. Null
/// where the profile names no session. `environment.clock` outlives it.
/// Errors of get(): unauthenticated, with the command that signs in.
std::shared_ptr<TokenProvider> profile_token(const std::string& profile, const Profiles& profiles,
                                             const Environment& environment);

}  // namespace cairn::objectclient
