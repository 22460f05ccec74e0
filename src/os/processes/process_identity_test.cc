// SPDX-License-Identifier: Apache-2.0
#include "os/processes/process_identity.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/deadline.h"

namespace cairn::os::process_identity_test {
namespace {

TEST_CASE("process identity: one that has ended is gone, for whoever is on its machine") {
  const ProcessIdentity self = this_process();
  REQUIRE_FALSE(self.machine.empty());
  CHECK(self.pid == ::getpid());
  CHECK_FALSE(is_surely_gone(self));
  ProcessIdentity other = self;
  other.started = "1";  // another process had the id before
  CHECK(is_surely_gone(other));
  other.machine = "another one";
  CHECK_FALSE(is_surely_gone(other));
  CHECK_FALSE(is_surely_gone({}));
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte;
    ::close(ends[1]);  // or its own end would keep it waiting
    ::_exit(static_cast<int>(::read(ends[0], &byte, 1)));
  }
  ProcessIdentity running = self;
  running.pid = child;
  CHECK(is_surely_gone(running));  // its start is another one's
  ::close(ends[1]);
  ::close(ends[0]);
  // It has ended, and nobody has waited for it yet.
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  CHECK(is_surely_gone(running));
  ::waitpid(child, nullptr, 0);
  CHECK(is_surely_gone(running));
}

}  // namespace
}  // namespace cairn::os::process_identity_test
