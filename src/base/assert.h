// SPDX-License-Identifier: Apache-2.0
// CAIRN_ASSERT: a fault of Cairn ends the process, in release too. Never reachable by input.
#pragma once

namespace cairn {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);
}  // namespace cairn

#define CAIRN_ASSERT(condition) \
  ((condition) ? void() : ::cairn::assertion_failed(#condition, __FILE__, __LINE__))
