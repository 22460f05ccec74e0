// SPDX-License-Identifier: Apache-2.0
#include "os/machine.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace cairn::os {

std::array<double, 3> load_averages() {
  std::array<double, 3> out{};
  if (::getloadavg(out.data(), 3) != 3) out = {};
  return out;
}

std::uint64_t machine_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages < 0 || page < 0
             ? 0
             : static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

std::int64_t process_cpu_ms() {
  ::rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto ms = [](const ::timeval& time) {
    return std::int64_t{time.tv_sec} * 1000 + time.tv_usec / 1000;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

std::uint64_t process_virtual_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long pages = 0;
  const int read = std::fscanf(file, "%lu", &pages);
  std::fclose(file);
  return read == 1 ? std::uint64_t{pages} * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

std::int64_t process_id() { return ::getpid(); }

std::uint64_t most_open_files() {
  ::rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::uint64_t{limit.rlim_cur} : 0;
}

DiskSpace disk_space(const std::string& path) {
  struct ::statvfs found {};
  if (::statvfs(path.c_str(), &found) != 0) return {};
  const auto bytes = [&](std::uint64_t blocks) { return blocks * std::uint64_t{found.f_frsize}; };
  return {.total_bytes = bytes(found.f_blocks),
          .free_bytes = bytes(found.f_bfree),
          .available_bytes = bytes(found.f_bavail)};
}

}  // namespace cairn::os
