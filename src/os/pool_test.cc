// SPDX-License-Identifier: Apache-2.0
// The pool.
#include "os/pool.h"
#include <doctest/doctest.h>
#include <atomic>
#include "os/blocking.h"
#include "os/clock.h"
#include "os/cpu.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/random.h"
using namespace cairn::os;
TEST_CASE("pool: runs") {
  Pool pool({.name = "test", .threads = 3});
  std::atomic<int> sum = 0;
  pool.for_each(100, [&](std::size_t i) { sum += int(i); });
  CHECK(sum == 4950);
  CHECK(pool.run([&] { sum = 1; }, Deadline::never()).ok());
  CHECK(sum == 1);
  metrics().histogram("cairn_x_seconds", "Help.", {{"a", "b"}}).observe_ns(100'000);
  CHECK(metrics().expose().find("cairn_x_seconds_bucket{a=\"b\",le=\"0.0001\"} 1\n") !=
        std::string::npos);
  log(LogLevel::info, "os", "hello",
      {{"n", 1}, {"api_key", "x"}, {"cores", cpu_count()}, {"brand", cpu_features().brand}});
}
