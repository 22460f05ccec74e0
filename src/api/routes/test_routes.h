// SPDX-License-Identifier: Apache-2.0
// Routes in the manner of a code-hosting service, for tests of limits and of clients.
#pragma once

#include "api/router.h"

namespace cairn::api {

/// Adds the routes below /_test. Each is counted as its name says: resource, points, content. They
/// do nothing, and need no credentials.
void add_test_routes(Router& router);

}  // namespace cairn::api
