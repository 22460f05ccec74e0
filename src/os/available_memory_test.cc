// SPDX-License-Identifier: Apache-2.0
#include "os/available_memory.h"

#include <doctest/doctest.h>

#include "os/cpu.h"

TEST_CASE("available memory: lines of the kernel's texts") {
  using cairn::os::memory_line;
  const char* const text =
      "MemTotal:       16 kB\nMemAvailable:    5 kB\ninactive_file 77\nbad: x\n";
  CHECK(memory_line(text, "MemAvailable") == 5 * 1024);
  CHECK(memory_line(text, "inactive_file") == 77);
  CHECK_FALSE(memory_line(text, "inactive").has_value());
  CHECK_FALSE(memory_line(text, "bad").has_value());
}

TEST_CASE("available memory: this machine has some") {
  const auto bytes = cairn::os::available_memory_bytes();
  REQUIRE(bytes.has_value());
  CHECK(*bytes > cairn::os::resident_bytes() / 1000);
  CHECK(*bytes < std::uint64_t{1} << 50U);
}
