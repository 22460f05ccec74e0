// SPDX-License-Identifier: Apache-2.0
// Keys of the local key service: made, named, shown without their bytes, disabled.
#pragma once

#include "api/router.h"
#include "auth/accounts/accounts.h"
#include "auth/secrets/encryption_keys.h"

namespace cairn::api {

/// `accounts` and `keys` outlive the router.
void add_encryption_key_routes(Router& router, ServiceRef<const auth::Accounts> accounts,
                               ServiceRef<auth::EncryptionKeys> keys);

}  // namespace cairn::api
