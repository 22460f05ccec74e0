// SPDX-License-Identifier: Apache-2.0
#include "os/steps.h"

#include <doctest/doctest.h>

namespace cairn::os::steps_test {

TEST_CASE("steps: a loop ends soon after its caller went away, and stays ended") {
  std::stop_source caller;
  const Deadline deadline = Deadline::never(caller.get_token());
  Steps steps(deadline, "counting");
  for (int i = 0; i < 10'000; ++i) REQUIRE(steps.go_on());
  caller.request_stop();
  int more = 0;
  while (steps.go_on()) ++more;
  CHECK(more < 4096);
  CHECK(steps.status().error().kind == ErrorKind::cancelled);
  CHECK(steps.status().error().message == "stopped while counting");
  CHECK_FALSE(steps.go_on());
  CHECK_FALSE(steps.take().ok());
}

TEST_CASE("steps: what is counted shows once the work is done") {
  const Deadline deadline = Deadline::never();
  const std::uint64_t before = Steps::total();
  {
    Steps steps(deadline);
    CHECK(steps.go_on(7));
    CHECK(steps.take(5).ok());
  }
  CHECK(Steps::total() - before == 12);
}

}  // namespace cairn::os::steps_test
