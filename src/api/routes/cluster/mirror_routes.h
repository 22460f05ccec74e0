// SPDX-License-Identifier: Apache-2.0
// The two folders of the data: whether both are whole, and what is done about one that is not.
#pragma once

#include <functional>

#include "api/router.h"
#include "base/result.h"
#include "format/json.h"

namespace cairn::api {

/// What the routes call. Nothing here waits for a filling. Errors of all: not_found, where there is
/// no mirror.
struct MirrorControl {
  std::function<Result<Json>()> status = {};
  std::function<Status()> fill = {};      // conflict, where nothing lacks anything
  std::function<Status(int)> leave = {};  // conflict, where the other folder is not whole
};

/// GET /_cairn/mirror, POST /_cairn/mirror/_fill, POST /_cairn/mirror/_leave.
void add_mirror_routes(Router& router, ServiceRef<const MirrorControl> mirror);

}  // namespace cairn::api
