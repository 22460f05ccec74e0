// SPDX-License-Identifier: Apache-2.0
#include "os/threads/once_event.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace cairn::os::once_event_test {

TEST_CASE("once event: all who wait come back, with what was written before") {
  for (int round = 0; round < 200; ++round) {
    OnceEvent event;
    int value = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        event.wait();
        CHECK(value == 7);
      });
    if (round % 2 == 0) std::this_thread::yield();
    value = 7;
    event.set();
  }
}

TEST_CASE("once event: after it, nobody waits") {
  OnceEvent event;
  event.set();
  event.wait();
  event.set();
  event.wait();
}

}  // namespace cairn::os::once_event_test
