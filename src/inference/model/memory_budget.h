// SPDX-License-Identifier: Apache-2.0
// Loading a model only where there is memory for it: a refusal is better than a machine that swaps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace cairn::inference {

/// Safe from any thread.
class MemoryBudget {
 public:
  using Available = std::function<std::optional<std::uint64_t>()>;

  /// `available` tells what can still be used, or nothing where that is not known; then everything
  /// is let through.
  explicit MemoryBudget(Available available);

  /// While it lives, others that load count these bytes as taken.
  using Claim = std::shared_ptr<void>;
  /// For files of `file_bytes`, which are read and made into what runs: twice as much, while
  /// loading. Errors: rate_limited (429), as there is no other machine.
  Result<Claim> claim(const std::string& model_id, std::uint64_t file_bytes);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cairn::inference
