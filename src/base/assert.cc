// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace cairn {
void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "cairn: assertion failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}
}  // namespace cairn
