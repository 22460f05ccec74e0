// SPDX-License-Identifier: Apache-2.0
#include "os/mirror/name_order.h"

#include <algorithm>
#include <functional>

namespace cairn::os {

NameOrder::Turn NameOrder::of(std::string_view from, std::string_view to) {
  const std::hash<std::string_view> hash;
  const auto [low, high] = std::minmax({hash(from) % mutex_count, hash(to) % mutex_count});
  Turn turn = keep_directories();
  turn.first = std::unique_lock(mutexes_[low]);
  if (high != low) turn.second = std::unique_lock(mutexes_[high]);
  return turn;
}

NameOrder::Turn NameOrder::keep_directories() {
  { const std::lock_guard turn(turnstile_); }
  return {.directories = std::shared_lock(directories_)};
}

std::unique_lock<std::shared_mutex> NameOrder::change_directories() {
  const std::lock_guard turn(turnstile_);
  return std::unique_lock(directories_);
}

}  // namespace cairn::os
