// SPDX-License-Identifier: Apache-2.0
#include "os/threads/thread_times.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "os/threads/thread.h"

namespace cairn::os::thread_times_test {
namespace {

TEST_CASE("times of threads: lines of the system") {
  ThreadTime one;
  CHECK(read_thread_stat("77 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 30 12 0 0", 10'000'000, one));
  CHECK(one.id == 77);
  CHECK(one.name == "a) b (c");
  CHECK(one.state == 'R');
  CHECK(one.cpu_ns == 420'000'000);
  for (const char* bad : {"", "77", "77 (a)", "x (a) R 1 2 3 4 5 6 7 8 9 10 30 12", ")77 (",
                          "77 (a) R 1 2 3 4 5 6 7 8 9 10 30"})
    CHECK(!read_thread_stat(bad, 1, one));
}

TEST_CASE("times of threads: one that computes has taken time") {
  auto thread = Thread::start_stoppable({.name = "cairn-busy"}, [](std::stop_token stop) {
    volatile std::uint64_t n = 0;
    while (!stop.stop_requested()) n = n + 1;
  });
  REQUIRE(thread.ok());
  std::int64_t took = 0;
  for (int i = 0; i < 1'000'000 && took == 0; ++i)
    for (const ThreadTime& one : thread_times())
      if (one.name == "cairn-busy") took = one.cpu_ns;
  CHECK(took > 0);
  thread->request_stop();
}

}  // namespace
}  // namespace cairn::os::thread_times_test
