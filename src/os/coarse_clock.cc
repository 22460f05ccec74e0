// SPDX-License-Identifier: Apache-2.0
#include "os/coarse_clock.h"

#include <time.h>

namespace cairn::os {

std::int64_t coarse_unix_s() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec;
}

}  // namespace cairn::os
