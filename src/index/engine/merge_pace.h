// SPDX-License-Identifier: Apache-2.0
// How fast the merges of the background write, so that they leave the disk to those who wait for
// it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"

namespace cairn::index {

/// Of one merge; one thread. It goes as fast as it can while somebody is in haste: waits for the
/// lock that it holds.
class MergePace {
 public:
  /// `bytes_per_second`: 0 is as fast as it can. `in_haste` counts those who are.
  MergePace(const os::Clock& clock, std::uint64_t bytes_per_second,
            const std::atomic<int>& in_haste)
      : clock_(clock),
        bytes_per_second_(bytes_per_second),
        in_haste_(in_haste),
        begun_ns_(clock.steady_ns()) {}

  /// After so many more bytes: waits until it is time for others. Errors: timeout, cancelled.
  Status wrote(std::uint64_t bytes, const os::Deadline& deadline);
  /// How long it would wait now.
  std::int64_t ahead_ns() const;

 private:
  const os::Clock& clock_;
  std::uint64_t bytes_per_second_;
  const std::atomic<int>& in_haste_;
  std::int64_t begun_ns_;
  std::uint64_t bytes_ = 0;
};

/// One who waits for what a merge holds, until the end of the scope.
class Haste {
 public:
  explicit Haste(std::atomic<int>& in_haste) : in_haste_(in_haste) { ++in_haste_; }
  ~Haste() { --in_haste_; }
  Haste(const Haste&) = delete;
  Haste& operator=(const Haste&) = delete;

 private:
  std::atomic<int>& in_haste_;
};

}  // namespace cairn::index
