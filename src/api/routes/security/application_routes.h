// SPDX-License-Identifier: Apache-2.0
// Applications that act for users, installations and workflows: who lets them, and their tokens.
#pragma once

#include "api/router.h"
#include "auth/applications/application_grants.h"

namespace cairn::api {

/// Routes of operations security.grant_application, security.get_application_grants,
/// security.revoke_application, security.create_token and security.end_token. `grants` outlives the
/// router's dispatcher.
void add_application_routes(Router& router, ServiceRef<auth::ApplicationGrants> grants);

}  // namespace cairn::api
