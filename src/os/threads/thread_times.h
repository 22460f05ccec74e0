// SPDX-License-Identifier: Apache-2.0
// What each thread of this process computes, as the system counts it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::os {

struct ThreadTime {
  std::int64_t id = 0;    // of the system
  std::string name = {};  // up to 15 bytes
  char state = '?';       // R: runs or waits for a processor, S: sleeps, D: waits for a disk
  std::int64_t cpu_ns = 0;
};

/// All threads, by id. One that ends meanwhile is left out. Empty where the system tells nothing.
std::vector<ThreadTime> thread_times();

/// One line of /proc/PID/task/TID/stat, without the time's finer figure. `tick_ns`: of a clock
/// tick. False where it is none.
bool read_thread_stat(std::string_view line, std::int64_t tick_ns, ThreadTime& out);

}  // namespace cairn::os
