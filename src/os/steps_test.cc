// SPDX-License-Identifier: Apache-2.0
#include "os/steps.h"

#include <doctest/doctest.h>

#include "os/step_clock.h"

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

TEST_CASE("step clock: it goes by work, and its deadline passes in the middle of a loop") {
  const StepClock clock(10'000);
  Steps steps(clock.deadline(), "counting");
  int done = 0;
  while (done < 100'000 && steps.go_on()) ++done;
  CHECK(done >= 10'000);
  CHECK(done < 10'000 + 4096);
  CHECK(steps.status().error().kind == ErrorKind::cancelled);
  {
    Steps other(clock.deadline());
    static_cast<void>(other.go_on(3));
  }
  CHECK(clock.now_us() == done + 1 + 3);
  CHECK(clock.late_us() == done + 1 + 3 - 10'000);
}

TEST_CASE("step clock: without a deadline it only counts; another one begins anew") {
  for (int i = 0; i < 2; ++i) {
    const StepClock clock;
    {
      Steps steps(clock.deadline());
      CHECK(steps.go_on(5'000));
      CHECK(clock.now_us() == 5'000);
      CHECK(steps.go_on(7));
    }
    CHECK(clock.now_us() == 5'007);
    CHECK(clock.late_us() == 0);
    CHECK_FALSE(clock.deadline().passed());
  }
}

}  // namespace cairn::os::steps_test
