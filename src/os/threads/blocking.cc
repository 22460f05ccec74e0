// SPDX-License-Identifier: Apache-2.0
// The place of each thread.
#include "os/threads/blocking.h"

#include <utility>

namespace cairn::os {
namespace {
thread_local BlockingPlace* current = nullptr;
}  // namespace

BlockingPlace* set_blocking_place(BlockingPlace* place) { return std::exchange(current, place); }

// While the place is lent the thread has none, so that an inner guard does nothing.
Blocking::Blocking() : place_(std::exchange(current, nullptr)) {
  if (place_ != nullptr) place_->leave();
}

Blocking::~Blocking() {
  if (place_ == nullptr) return;
  place_->resume();
  current = place_;
}

}  // namespace cairn::os
