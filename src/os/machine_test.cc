// SPDX-License-Identifier: Apache-2.0
#include "os/machine.h"

#include <doctest/doctest.h>

#include "os/cpu.h"
#include "os/files/test_folder.h"

namespace cairn::os {

TEST_CASE("machine: the numbers fit each other") {
  CHECK(machine_memory_bytes() > resident_bytes());
  CHECK(process_virtual_bytes() >= resident_bytes());
  CHECK(most_open_files() > 3);
  for (const double load : load_averages()) CHECK(load >= 0);
}

TEST_CASE("machine: the process's time grows with its work") {
  const std::int64_t before = process_cpu_ms();
  volatile double sum = 0;
  while (process_cpu_ms() < before + 5)
    for (int i = 0; i < 100'000; ++i) sum = sum + 1.0 / (i + 1);
  CHECK(process_cpu_ms() >= before + 5);
}

TEST_CASE("machine: a disk has room for what is free of it, and none where there is no path") {
  const TestFolder folder;
  const DiskSpace space = disk_space(folder.path);
  CHECK(space.total_bytes > 0);
  CHECK(space.free_bytes <= space.total_bytes);
  CHECK(space.available_bytes <= space.free_bytes);
  CHECK(disk_space(folder.path + "/none").total_bytes == 0);
}

}  // namespace cairn::os
