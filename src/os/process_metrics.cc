// SPDX-License-Identifier: Apache-2.0
#include "os/process_metrics.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "os/cpu.h"
#include "os/machine.h"

namespace cairn::os {
namespace {

/// The n-th field of /proc/self/stat behind the name of the program, which may hold anything; the
/// state is the third of all.
double stat_field(int n) {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos) return 0;
  std::string_view rest = std::string_view(text).substr(close + 1);
  for (int field = 2; !rest.empty(); ++field) {
    const std::size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string_view::npos) return 0;
    rest.remove_prefix(begin);
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (field + 1 == n) {
      double value = 0;
      std::from_chars(rest.data(), rest.data() + end, value);
      return value;
    }
    rest.remove_prefix(end);
  }
  return 0;
}

/// Of the machine's start, in Unix time.
double boot_seconds() {
  timespec wall{}, since_boot{};
  clock_gettime(CLOCK_REALTIME, &wall);
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  const auto seconds = [](const timespec& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
  };
  return seconds(wall) - seconds(since_boot);
}

double start_seconds() {
  constexpr int start_field = 22;
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return std::round((boot_seconds() + stat_field(start_field) / ticks) * 100) / 100;
}

double open_descriptors() {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error))
    ++count;
  return count > 0 ? count - 1 : 0;  // without the one that looks
}

double limit_of(int which) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(which), &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? -1 : static_cast<double>(limit.rlim_cur);
}

double cpu_seconds() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

}  // namespace

void add_process_metrics(Metrics& metrics) {
  metrics.counters_from("process_cpu_seconds_total", "User and system CPU time, of all threads",
                        [] {
                          return std::vector<Metrics::Sample>{{{}, cpu_seconds()}};
                        });
  metrics.gauge_from("process_resident_memory_bytes", "Memory that is in RAM",
                     [] { return static_cast<double>(resident_bytes()); });
  metrics.gauge_from("process_virtual_memory_bytes", "Address space that is taken",
                     [] { return static_cast<double>(process_virtual_bytes()); });
  metrics.gauge_from("process_virtual_memory_max_bytes",
                     "Address space that may be taken; -1: no limit",
                     [] { return limit_of(RLIMIT_AS); });
  metrics.gauge_from("process_heap_bytes", "Memory that malloc has given out", heap_bytes);
  metrics.gauge_from("process_open_fds", "File descriptors that are open", open_descriptors);
  metrics.gauge_from("process_max_fds", "File descriptors that may be open",
                     [] { return limit_of(RLIMIT_NOFILE); });
  constexpr int threads_field = 20;
  metrics.gauge_from("process_threads", "Threads", [] { return stat_field(threads_field); });
  metrics.gauge_from("process_start_time_seconds", "When the process began, in Unix time",
                     [start = start_seconds()] { return start; });
}

}  // namespace cairn::os
