// SPDX-License-Identifier: Apache-2.0
#include "os/coarse_clock.h"

#include <doctest/doctest.h>

#include "os/clock.h"

namespace coarse_clock_test {

using namespace cairn::os;

TEST_CASE("coarse clock: never ahead of the exact one, and in the same seconds") {
  const std::int64_t before_s = (system_clock().unix_ms() - 100) / 1000;
  const std::int64_t seconds = coarse_unix_s();
  CHECK(seconds >= before_s);
  CHECK(seconds <= system_clock().unix_ms() / 1000);
}

}  // namespace coarse_clock_test
