// SPDX-License-Identifier: Apache-2.0
#include "gate/cpu_meter.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "os/clock.h"
#include "os/random.h"
#include "os/threads/pool.h"

namespace cairn::gate::cpu_meter_test {

TEST_CASE("CPU meter: computing counts, in pools too, and waiting does not") {
  const auto burn = [](std::int64_t ns) {
    const std::int64_t until = os::thread_cpu_ns() + ns;
    while (os::thread_cpu_ns() < until) {
    }
  };
  const std::int64_t margin = 4 * CpuMeter::short_ns();
  CpuMeter meter;
  CHECK(meter.end() == 0);
  meter.begin();
  burn(20'000'000);
  const std::int64_t computed = meter.end();
  CHECK(computed >= 20'000'000 - margin);
  CHECK(meter.end() == 0);

  meter.begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const std::int64_t waited = meter.end();
  CHECK(waited < 20'000'000);

  os::Pool pool({.name = "test", .threads = 1, .queue = 4});
  meter.begin();
  REQUIRE(pool.run([&] { burn(10'000'000); }, os::Deadline::never()).ok());
  CHECK(meter.end() >= 10'000'000);
  CHECK(CpuMeter::short_ns() >= 20'000);
  CHECK(CpuMeter::short_ns() <= 1'000'000);
}

TEST_CASE("CPU meter: short requests never take more than they lasted, nor less than nothing") {
  const auto random = os::seeded_random(3);
  std::int64_t now = 1'000'000'000'000;
  for (int i = 0; i < 200; ++i) {
    CpuMeter meter;
    meter.begin(now);
    const auto lasted = static_cast<std::int64_t>(random->below(3'000'000));
    now += lasted;
    const std::int64_t used = meter.end(now);
    CHECK(used >= 0);
    CHECK(used <= lasted);
    now += static_cast<std::int64_t>(random->below(1'000'000));
  }
}

}  // namespace cairn::gate::cpu_meter_test
