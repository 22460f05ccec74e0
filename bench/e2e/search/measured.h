// SPDX-License-Identifier: Apache-2.0
// Clocks of the programs that search, and what they do where a call fails: they end.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::bench {

using Clock = std::chrono::steady_clock;

inline os::Deadline soon() { return os::Deadline::in_ms(600'000); }

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What the process holds now, pages of files included.
inline double resident_mb() {
  double pages = 0, held = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%lf %lf", &pages, &held) != 2) held = 0;
  if (file != nullptr) std::fclose(file);
  return held * 4096 / 1e6;
}

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "failed: %s\n", what.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result.ok()) fail(result.error().message);
  return std::move(*result);
}
inline void must(const Status& status) {
  if (!status.ok()) fail(status.error().message);
}

}  // namespace cairn::bench
