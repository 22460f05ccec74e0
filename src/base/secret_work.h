// SPDX-License-Identifier: Apache-2.0
// What checking secrets has cost, counted, so that a test can see that a wrong one costs what a
// right one does.
#pragma once

#include <cstdint>

namespace cairn {

struct SecretWork {
  std::uint64_t digested_bytes = 0;  // by digest() and what is made of it
  std::uint64_t compared_bytes = 0;  // by equals_constant_time()
  bool operator==(const SecretWork&) const = default;
};

/// Of this thread, since it began.
SecretWork& secret_work();

}  // namespace cairn
