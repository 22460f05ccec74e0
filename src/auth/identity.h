// SPDX-License-Identifier: Apache-2.0
// The identity that a key carries for the limiter: metadata._cairn.identity.
#pragma once

#include "base/result.h"
#include "format/json.h"

namespace cairn::auth {

/// Kinds and their facts:
///   user, oauth_user, app_user: user (required), enterprise
///   installation:               id (required), enterprise, repos, users, organization
///   oauth_app:                  id (required), enterprise
///   workflow:                   repo (required), enterprise
/// Ids are strings or integers that are not negative; repos and users are counts.
/// Errors: invalid_argument, illegal_argument_exception, naming the member.
Status validate_identity(const Json& identity);

/// What one account is known by: "user:alice", "inst:17", "app:x", "wf:9"; empty for null.
std::string account_of(const Json& identity);

}  // namespace cairn::auth
