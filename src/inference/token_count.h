// SPDX-License-Identifier: Apache-2.0
// How many tokens completions and chats took and gave.
#pragma once

#include "os/metrics.h"

namespace cairn::inference {

/// Of all endpoints together, since the start of the process.
os::Counter& tokens_in_all();

}  // namespace cairn::inference
