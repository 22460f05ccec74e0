// SPDX-License-Identifier: Apache-2.0
// The settings of the program: shown, and read again.
#pragma once

#include <functional>

#include "api/router.h"
#include "base/result.h"
#include "format/json.h"

namespace cairn::api {

/// Of whoever has read them. Safe from any thread. Errors: unavailable while the program starts.
struct SettingsControl {
  std::function<Result<Json>()> shown = {};   // without secrets
  std::function<Result<Json>()> reload = {};  // as a SIGHUP does; reads files
};

/// Routes of operations cairn.get_settings and cairn.reload_settings. `control` outlives the
/// router's dispatcher.
void add_settings_routes(Router& router, ServiceRef<const SettingsControl> control);

}  // namespace cairn::api
