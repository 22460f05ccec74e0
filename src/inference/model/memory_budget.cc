// SPDX-License-Identifier: Apache-2.0
// What is available, less what others are loading.
#include "inference/model/memory_budget.h"

#include <algorithm>
#include <utility>

#include "base/threads.h"

namespace cairn::inference {

struct MemoryBudget::State {
  Available available;
  Mutex mutex;
  std::uint64_t claimed CAIRN_GUARDED_BY(mutex) = 0;
};

MemoryBudget::MemoryBudget(Available available) : state_(std::make_shared<State>()) {
  state_->available = std::move(available);
}

Result<MemoryBudget::Claim> MemoryBudget::claim(const std::string& model_id,
                                                std::uint64_t file_bytes) {
  const std::uint64_t needed = file_bytes * 2;
  const MutexLock lock(state_->mutex);
  const std::optional<std::uint64_t> available = state_->available();
  if (available) {
    const std::uint64_t left = *available - std::min(*available, state_->claimed);
    if (needed > left) {
      return Error{.kind = ErrorKind::rate_limited,
                   .message = "there is not enough memory for model [" + model_id + "]: [" +
                              std::to_string(needed) + "] bytes are needed and [" +
                              std::to_string(left) + "] are available; stop other deployments"};
    }
  }
  state_->claimed += needed;
  return Claim(nullptr, [state = state_, needed](void*) {
    const MutexLock release(state->mutex);
    state->claimed -= needed;
  });
}

}  // namespace cairn::inference
