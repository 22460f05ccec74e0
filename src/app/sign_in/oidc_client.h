// SPDX-License-Identifier: Apache-2.0
// Asking an issuer for the token that belongs to a code.
#pragma once

#include "app/settings/settings.h"
#include "auth/sign_in/code_flow.h"

namespace cairn::app {

/// Asks the token endpoint of the settings, and nobody else. The secret's file is read each time,
/// so that a new one holds at once.
auth::AskForToken token_asker(const Settings& settings);

}  // namespace cairn::app
