// SPDX-License-Identifier: Apache-2.0
// Mutexes that live as long as somebody holds them.
#include "inference/model/model_turns.h"

namespace cairn::inference {

std::shared_ptr<Mutex> ModelTurns::of(const std::string& model_id) {
  const MutexLock lock(mutex_);
  std::erase_if(turns_, [](const auto& one) { return one.second.expired(); });
  auto turn = turns_[model_id].lock();
  if (turn == nullptr) turns_[model_id] = turn = std::make_shared<Mutex>();
  return turn;
}

}  // namespace cairn::inference
