// SPDX-License-Identifier: Apache-2.0
// Refuses work before the process takes more memory than it may.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "base/threads.h"
#include "os/clock.h"

namespace cairn::os {

/// What the kernel says of memory, in bytes. Nothing where it does not tell.
struct MemoryReadings {
  std::function<std::optional<std::uint64_t>()> own;        // of this process, but for files
  std::function<std::optional<std::uint64_t>()> available;  // that the machine can still give
  std::function<void()> give_back;                          // what was freed and is still kept
};
MemoryReadings system_memory();

/// Counts nothing itself: whatever the process holds, in whichever structure, is in the kernel's
/// number, which is asked again after `fresh_ms`. Safe from any thread; whoever finds the number
/// old asks for a tenth of a millisecond, while the others go by the old one.
class MemoryBreaker {
 public:
  static constexpr std::int64_t fresh_ms = 50;
  /// What must stay available to the machine, whoever takes the rest.
  static constexpr std::uint64_t spare_bytes = 64u << 20;

  /// `limit_bytes` 0: nine tenths of what is available now and taken already.
  MemoryBreaker(std::uint64_t limit_bytes, const Clock& clock,
                MemoryReadings readings = system_memory());

  /// Whether work may begin that brings `bytes` with it. Errors: rate_limited,
  /// circuit_breaking_exception.
  Status admit(std::uint64_t bytes);

  std::uint64_t limit_bytes() const { return limit_; }
  std::uint64_t used_bytes();                         // by this process
  std::uint64_t tripped() const { return tripped_; }  // how often work was refused

 private:
  static constexpr std::int64_t never = INT64_MIN;
  struct Numbers {
    std::uint64_t own = 0;
    std::uint64_t available = UINT64_MAX;
  };
  Numbers known() const { return {own_.load(), available_.load()}; }
  Numbers numbers();
  Numbers read() CAIRN_REQUIRES(reading_);
  bool fits(const Numbers& now, std::uint64_t bytes) const;

  const Clock& clock_;
  const MemoryReadings readings_;
  std::uint64_t limit_ = UINT64_MAX;
  std::atomic<std::uint64_t> tripped_{0};
  std::atomic<std::uint64_t> own_{0}, available_{UINT64_MAX};
  std::atomic<std::int64_t> read_ms_{never};
  Mutex reading_;
  std::int64_t gave_back_ms_ CAIRN_GUARDED_BY(reading_) = never;
};

}  // namespace cairn::os
