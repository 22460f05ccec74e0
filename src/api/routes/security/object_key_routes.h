// SPDX-License-Identifier: Apache-2.0
// Accounts of the object storage, their users, and access keys.
#pragma once

#include "api/router.h"
#include "api/routes/security/principal_request.h"

namespace cairn::api {

void add_object_key_routes(Router& router, const KeyBooks& books);

}  // namespace cairn::api
