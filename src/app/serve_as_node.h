// SPDX-License-Identifier: Apache-2.0
// `cairn serve` with a store that other nodes share.
#pragma once

#include "app/serving.h"

namespace cairn::app {

/// Serves or stands by, as the nodes share it out, until SIGTERM or SIGINT. Returns the exit
/// status.
int serve_as_node(const Serving& serving);

}  // namespace cairn::app
