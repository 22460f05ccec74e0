// SPDX-License-Identifier: Apache-2.0
// The files of the section oidc: an issuer's public keys, and what its groups may do.
#pragma once

#include "app/settings/settings.h"
#include "auth/sign_in/sign_in.h"
#include "base/result.h"

namespace cairn::app {

/// Reads both files and hands them over; does nothing without an issuer. Errors: invalid_argument,
/// not_found and permission_denied, with the setting and the file; what was handed over before
/// stays.
Status read_sign_in(const Settings& settings, auth::SignIn& sign_in);

}  // namespace cairn::app
