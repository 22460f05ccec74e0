// SPDX-License-Identifier: Apache-2.0
// Randomness from the operating system, or from a seed in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cairn::os {

/// Safe from any thread.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::string bytes(std::size_t count) = 0;
  std::uint64_t number();                    // uniform over 64 bits
  std::uint64_t below(std::uint64_t bound);  // uniform over [0, bound); bound > 0
};

/// getrandom(2). One for the process.
Random& system_random();

/// The same sequence for the same seed. For tests only.
std::unique_ptr<Random> seeded_random(std::uint64_t seed);

}  // namespace cairn::os
