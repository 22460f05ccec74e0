// SPDX-License-Identifier: Apache-2.0
// How many requests the limits refused.
#pragma once

#include "os/metrics.h"

namespace cairn::gate {

/// On all surfaces, for whatever limit, since the start of the process.
os::Counter& refused_in_all();

}  // namespace cairn::gate
