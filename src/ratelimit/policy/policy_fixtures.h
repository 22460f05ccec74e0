// SPDX-License-Identifier: Apache-2.0
// Made-up tokens and OAuth apps of a test's configuration.
#pragma once

#include "ratelimit/policy/config_reader.h"
#include "ratelimit/policy/policy.h"

namespace cairn::ratelimit {

/// Reads `tokens` {NAME: {kind, user | id | repo, facts}} and `oauth_apps` {CLIENT_ID: {secret,
/// enterprise}}; refuses both where fixtures are not admitted. Beside the facts' own names,
/// `enterprise` sets those that make the kind an enterprise's, and `repos` is `repositories`.
void read_fixtures(ConfigReader& in, bool admitted, Policy& into);

}  // namespace cairn::ratelimit
