// SPDX-License-Identifier: Apache-2.0
// API keys and questions about privileges.
#pragma once

#include "api/router.h"
#include "api/routes/security/principal_request.h"

namespace cairn::api {

void add_security_routes(Router& router, const KeyBooks& books);

}  // namespace cairn::api
