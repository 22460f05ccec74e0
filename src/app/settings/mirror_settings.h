// SPDX-License-Identifier: Apache-2.0
// What `data.mirror` may be.
#pragma once

#include "app/settings/settings.h"
#include "base/result.h"

namespace cairn::app {

/// `data.mirror` beside `data.dir`. Errors: invalid_argument.
Status check_mirror_settings(const Settings& settings);

}  // namespace cairn::app
