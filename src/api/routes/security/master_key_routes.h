// SPDX-License-Identifier: Apache-2.0
// A new master key.
#pragma once

#include <functional>

#include "api/router.h"
#include "base/result.h"
#include "os/deadline.h"

namespace cairn::api {

/// What the route calls. Blocks until all is sealed again.
struct MasterKeyChange {
  std::function<Status(const os::Deadline&)> rotate = {};
};

/// POST /_cairn/master_key/_rotate.
void add_master_key_routes(Router& router, ServiceRef<const MasterKeyChange> change);

}  // namespace cairn::api
