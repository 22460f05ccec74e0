// SPDX-License-Identifier: Apache-2.0
// Accounts of the object storage, their users, and access keys.
#pragma once

#include "api/router.h"
#include "auth/accounts.h"
#include "auth/object_keys.h"

namespace cairn::api {

/// `accounts` and `keys` outlive the router's dispatcher.
void add_object_key_routes(Router& router, ServiceRef<auth::Accounts> accounts,
                           ServiceRef<auth::ObjectKeys> keys);

}  // namespace cairn::api
