// SPDX-License-Identifier: Apache-2.0
// Which languages scripts are written in, and what they are for.
#pragma once

#include "api/router.h"

namespace cairn::api {

void add_language_routes(Router& router);

}  // namespace cairn::api
