// SPDX-License-Identifier: Apache-2.0
#include "os/memory_breaker.h"

#include <doctest/doctest.h>

namespace cairn::os::memory_breaker_test {
namespace {

constexpr std::uint64_t mib = 1u << 20;

struct Machine {
  std::uint64_t own = 100 * mib;
  std::uint64_t available = 1000 * mib;
  std::uint64_t kept = 0;  // freed, and not given back
  int read = 0;
  FakeClock clock;

  MemoryReadings readings() {
    return {.own =
                [this] {
                  ++read;
                  return std::optional(own + kept);
                },
            .available = [this] { return std::optional(available); },
            .give_back = [this] { kept = 0; }};
  }
  void later() { clock.advance_ms(MemoryBreaker::fresh_ms); }
};

TEST_CASE("memory breaker: work is taken up to the limit, and told what is too much") {
  Machine machine;
  MemoryBreaker breaker(200 * mib, machine.clock, machine.readings());
  CHECK(breaker.limit_bytes() == 200 * mib);
  CHECK(breaker.admit(0).ok());
  CHECK(breaker.admit(100 * mib).ok());
  const Status refused = breaker.admit(100 * mib + 1);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::rate_limited);
  CHECK(refused.error().code == "circuit_breaking_exception");
  CHECK(refused.error().message.starts_with(
      "[parent] Data too large, data for [<http_request>] would be [209715201/200mb], which is "
      "larger than the limit of [209715200/200mb], real usage: [104857600/100mb]"));
  CHECK(breaker.tripped() == 1);
  machine.own = 201 * mib;
  machine.later();
  CHECK_FALSE(breaker.admit(0).ok());
  CHECK_FALSE(breaker.admit(UINT64_MAX).ok());
  machine.own = 150 * mib;
  machine.later();
  CHECK(breaker.admit(0).ok());
  CHECK(breaker.used_bytes() == 150 * mib);
}

TEST_CASE("memory breaker: what others take counts where the machine has little left") {
  Machine machine;
  MemoryBreaker breaker(UINT64_MAX, machine.clock, machine.readings());
  CHECK(breaker.admit(900 * mib).ok());
  CHECK_FALSE(breaker.admit(950 * mib).ok());
  machine.available = MemoryBreaker::spare_bytes - 1;
  machine.later();
  const Status refused = breaker.admit(0);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("the machine has only [67108863/63mb] of memory left") !=
        std::string::npos);
}

TEST_CASE("memory breaker: what was freed is given back before work is refused, once a second") {
  Machine machine;
  machine.kept = 500 * mib;
  MemoryBreaker breaker(200 * mib, machine.clock, machine.readings());
  CHECK(breaker.admit(0).ok());
  machine.kept = 500 * mib;
  machine.later();
  CHECK_FALSE(breaker.admit(0).ok());
  machine.clock.advance_ms(1000);
  CHECK(breaker.admit(0).ok());
}

TEST_CASE("memory breaker: the kernel is not asked for each piece of work") {
  Machine machine;
  MemoryBreaker breaker(200 * mib, machine.clock, machine.readings());
  for (int i = 0; i < 100; ++i) CHECK(breaker.admit(0).ok());
  CHECK(machine.read == 1);
  machine.later();
  CHECK(breaker.admit(0).ok());
  CHECK(machine.read == 2);
}

TEST_CASE("memory breaker: without a limit it is made of what the machine has") {
  Machine machine;
  const MemoryBreaker breaker(0, machine.clock, machine.readings());
  CHECK(breaker.limit_bytes() == 1100 * mib / 10 * 9);
  // A system that does not tell has none.
  const MemoryBreaker blind(0, machine.clock,
                            {.own = [] { return std::optional<std::uint64_t>(); },
                             .available = [] { return std::optional<std::uint64_t>(); },
                             .give_back = [] {}});
  CHECK(blind.limit_bytes() == UINT64_MAX);
}

TEST_CASE("memory breaker: this system tells, and allocated memory is seen") {
  const MemoryReadings system = system_memory();
  const auto before = system.own();
  REQUIRE(before);
  const std::string held(64 * mib, 'x');
  CHECK(*system.own() >= *before + 60 * mib);
  CHECK(held.back() == 'x');
  CHECK(system.available());
  system.give_back();
}

}  // namespace
}  // namespace cairn::os::memory_breaker_test
