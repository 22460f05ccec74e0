// SPDX-License-Identifier: Apache-2.0
#include "os/memory_breaker.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "os/available_memory.h"

namespace cairn::os {
namespace {

constexpr std::int64_t give_back_every_ms = 1000;

// Pages of mapped files go when others need the memory; the rest has to be kept or swapped.
std::optional<std::uint64_t> anonymous_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return std::nullopt;
  unsigned long total = 0, resident = 0, of_files = 0;
  const int read = std::fscanf(file, "%lu %lu %lu", &total, &resident, &of_files);
  std::fclose(file);
  if (read != 3) return std::nullopt;
  return std::uint64_t{resident - std::min(resident, of_files)} *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::int64_t now_ms(const Clock& clock) { return clock.steady_ns() / 1'000'000; }

std::string megabytes(std::uint64_t bytes) {
  return std::to_string(bytes) + "/" + std::to_string(bytes >> 20) + "mb";
}

}  // namespace

MemoryReadings system_memory() {
  return {.own = anonymous_bytes, .available = available_memory_bytes, .give_back = [] {
            static_cast<void>(::malloc_trim(0));
          }};
}

MemoryBreaker::MemoryBreaker(std::uint64_t limit_bytes, const Clock& clock, MemoryReadings readings)
    : clock_(clock), readings_(std::move(readings)), limit_(limit_bytes) {
  if (limit_ != 0) return;
  const Numbers now = numbers();
  const bool is_told = now.available != UINT64_MAX;
  limit_ = is_told ? (now.own + now.available) / 10 * 9 : UINT64_MAX;
}

MemoryBreaker::Numbers MemoryBreaker::numbers() {
  const std::int64_t read_ms = read_ms_.load();
  if (read_ms != never && now_ms(clock_) - read_ms < fresh_ms) return known();
  if (!reading_.try_lock()) {
    if (read_ms != never) return known();
    reading_.lock();
  }
  const Numbers out = read();
  reading_.unlock();
  return out;
}

MemoryBreaker::Numbers MemoryBreaker::read() {
  own_ = readings_.own().value_or(0);
  available_ = readings_.available().value_or(UINT64_MAX);
  read_ms_ = now_ms(clock_);
  return known();
}

bool MemoryBreaker::fits(const Numbers& now, std::uint64_t bytes) const {
  return bytes <= limit_ && now.own <= limit_ - bytes && now.available >= spare_bytes &&
         bytes <= now.available - spare_bytes;
}

Status MemoryBreaker::admit(std::uint64_t bytes) {
  Numbers now = numbers();
  if (fits(now, bytes)) return ok_status();
  {
    // What was freed a moment ago counts as taken until the allocator gives it back.
    const MutexLock lock(reading_);
    if (gave_back_ms_ == never || now_ms(clock_) - gave_back_ms_ >= give_back_every_ms) {
      gave_back_ms_ = now_ms(clock_);
      readings_.give_back();
      now = read();
    }
  }
  if (fits(now, bytes)) return ok_status();
  ++tripped_;
  std::string message = "[parent] Data too large, data for [<http_request>] would be [" +
                        megabytes(now.own + bytes) + "], which is larger than the limit of [" +
                        megabytes(limit_) + "], real usage: [" + megabytes(now.own) +
                        "], new bytes reserved: [" + megabytes(bytes) + "]";
  if (now.own + bytes <= limit_)
    message = "[parent] Data too large, the machine has only [" + megabytes(now.available) +
              "] of memory left, new bytes reserved: [" + megabytes(bytes) + "]";
  return Error{.kind = ErrorKind::rate_limited,
               .code = "circuit_breaking_exception",
               .message = std::move(message) +
                          "; try again later, send less at once, or raise [limits.memory]"};
}

std::uint64_t MemoryBreaker::used_bytes() { return numbers().own; }

}  // namespace cairn::os
