// SPDX-License-Identifier: Apache-2.0
// The machine and this process in numbers, as monitoring asks for them. Each call asks the kernel
// and returns at once; 0 where the kernel does not say.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace cairn::os {

std::array<double, 3> load_averages();  // of 1, 5 and 15 minutes
std::uint64_t machine_memory_bytes();
std::int64_t process_cpu_ms();  // user and system, all threads
std::uint64_t process_virtual_bytes();
std::int64_t process_id();
std::uint64_t most_open_files();  // the limit of this process

/// Of the file system that a path lies on.
struct DiskSpace {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;       // for the administrator too
  std::uint64_t available_bytes = 0;  // for this process
};
DiskSpace disk_space(const std::string& path);

}  // namespace cairn::os
