// SPDX-License-Identifier: Apache-2.0
// Whom a request about limits means.
#pragma once

#include <string>

#include "auth/keys/keys.h"
#include "base/result.h"
#include "ratelimit/identity.h"
#include "ratelimit/policy/policy.h"

namespace cairn::api {

/// "user:alice", "ip:192.0.2.1" as an identity of that kind, without facts. An address of IPv6 is
/// counted by its network, as it is where a request comes from it. Errors: invalid_argument.
Result<ratelimit::Identity> identity_of_account(const std::string& account,
                                                const ratelimit::Policy& policy);

/// The same with the facts of its newest valid key, and with what the policy exempts.
Result<ratelimit::Identity> known_identity(const std::string& account, const auth::Keys& keys,
                                           const ratelimit::Policy& policy);

}  // namespace cairn::api
