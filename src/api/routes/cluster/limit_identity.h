// SPDX-License-Identifier: Apache-2.0
// Whom a request about limits means.
#pragma once

#include <string>

#include "base/result.h"
#include "ratelimit/identity.h"
#include "ratelimit/policy/policy.h"

namespace cairn::api {

/// "user:alice", "ip:192.0.2.1" as an identity of that kind, without facts. An address of IPv6 is
/// counted by its network, as it is where a request comes from it. Errors: invalid_argument.
Result<ratelimit::Identity> identity_of_account(const std::string& account,
                                                const ratelimit::Policy& policy);

}  // namespace cairn::api
