// SPDX-License-Identifier: Apache-2.0
// The time to the second, for text that is made for every reply.
#pragma once

#include <cstdint>

namespace cairn::os {

/// Seconds since 1970, UTC, as of the kernel's last tick: up to 10 ms late, but without a look at
/// the hardware's counter. Safe from any thread; does not block.
std::int64_t coarse_unix_s();

}  // namespace cairn::os
