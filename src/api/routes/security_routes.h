// SPDX-License-Identifier: Apache-2.0
// API keys and questions about privileges.
#pragma once

#include "api/router.h"
#include "auth/keys.h"

namespace cairn::api {

/// `keys` outlives the router's dispatcher.
void add_security_routes(Router& router, ServiceRef<auth::Keys> keys);

}  // namespace cairn::api
