// SPDX-License-Identifier: Apache-2.0
// The sections oidc and console: what single values cannot show.
#pragma once

#include "app/settings/settings.h"
#include "base/result.h"

namespace cairn::app {

/// Errors: invalid_argument that names the setting.
Status check_sign_in_settings(const Settings& settings);

/// How people sign in at the issuer, with what follows from other settings filled in.
auth::CodeFlowOptions code_flow_of(const Settings& settings);

}  // namespace cairn::app
