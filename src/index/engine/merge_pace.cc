// SPDX-License-Identifier: Apache-2.0
#include "index/engine/merge_pace.h"

#include <algorithm>

namespace cairn::index {
namespace {

// Who comes in haste is seen so soon.
constexpr std::int64_t nap_ms = 10;

}  // namespace

std::int64_t MergePace::ahead_ns() const {
  if (bytes_per_second_ == 0 || in_haste_.load() > 0) return 0;
  const double due = static_cast<double>(bytes_) / static_cast<double>(bytes_per_second_) * 1e9;
  const double passed = static_cast<double>(clock_.steady_ns() - begun_ns_);
  return static_cast<std::int64_t>(std::clamp(due - passed, 0.0, 1e18));
}

Status MergePace::wrote(std::uint64_t bytes, const os::Deadline& deadline) {
  bytes_ += bytes;
  for (std::int64_t ahead = ahead_ns(); ahead >= 1'000'000; ahead = ahead_ns())
    if (!os::sleep_ms(std::min(nap_ms, ahead / 1'000'000), deadline))
      return deadline.check("merging");
  return ok_status();
}

}  // namespace cairn::index
