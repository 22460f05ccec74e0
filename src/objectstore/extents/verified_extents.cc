// SPDX-License-Identifier: Apache-2.0
#include "objectstore/extents/verified_extents.h"

#include <algorithm>

namespace cairn::objectstore {
namespace {

constexpr std::size_t verified_max = 1 << 16;

}  // namespace

void VerifiedExtents::mark(std::uint64_t id, std::int64_t since_ns) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = times_ns_.try_emplace(id, since_ns);
  entry->second = std::max(entry->second, since_ns);
  if (is_new) ages_.push_back(id);
  if (ages_.size() <= verified_max) return;
  times_ns_.erase(ages_.front());
  ages_.pop_front();
}

bool VerifiedExtents::is_fresh(std::uint64_t id, std::int64_t within_ms) const {
  const std::lock_guard lock(mutex_);
  const auto found = times_ns_.find(id);
  return found != times_ns_.end() && clock_.steady_ns() - found->second < within_ms * 1'000'000;
}

}  // namespace cairn::objectstore
