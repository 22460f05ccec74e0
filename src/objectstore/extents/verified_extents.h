// SPDX-License-Identifier: Apache-2.0
// Which extents were read lately and found whole.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "os/clock.h"

namespace cairn::objectstore {

/// When extents were last read and verified from end to end: the moment at which that began.
/// Bounded; forgets the oldest first. Safe from any thread.
class VerifiedExtents {
 public:
  explicit VerifiedExtents(const os::Clock& clock) : clock_(clock) {}
  void mark(std::uint64_t id, std::int64_t since_ns);
  std::int64_t now_ns() const { return clock_.steady_ns(); }
  bool is_fresh(std::uint64_t id, std::int64_t within_ms) const;

 private:
  const os::Clock& clock_;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::int64_t> times_ns_;
  std::deque<std::uint64_t> ages_;  // the ids as they came
};

}  // namespace cairn::objectstore
