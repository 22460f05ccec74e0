// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/told_waits.h"

#include <algorithm>
#include <string>

#include "format/time.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t told_each_ms = 1000;  // between two beats

/// "2026-01-02T03:04:05.000Z": the hour and the minute.
std::string clock_time(std::int64_t unix_ms) {
  return format_iso8601(unix_ms).substr(11, 5) + " UTC";
}

}  // namespace

bool ToldWaits::sleep_ms(std::int64_t ms, const os::Deadline& deadline) {
  const std::string doing = "resumes " + clock_time(clock_.unix_ms() + ms);
  while (ms > 0) {
    if (beat_ && !fault_) {
      if (auto beaten = beat_(doing); !beaten.ok()) fault_ = std::move(beaten).error();
    }
    if (fault_) {
      stop_.request_stop();
      return false;
    }
    const std::int64_t slice = std::min(ms, told_each_ms);
    if (!inner_.sleep_ms(slice, deadline)) return false;
    ms -= slice;
  }
  return true;
}

}  // namespace cairn::connectors
