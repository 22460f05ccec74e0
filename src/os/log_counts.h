// SPDX-License-Identifier: Apache-2.0
// How much there was to tell.
#pragma once

#include <cstdint>

#include "os/log.h"

namespace cairn::os {

/// How many events of that level there were since the process began, also those that are not
/// written.
std::uint64_t log_events(LogLevel level);

}  // namespace cairn::os
