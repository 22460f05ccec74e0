// SPDX-License-Identifier: Apache-2.0
// Whether a sanitizer that keeps memory of its own is compiled in: what a test reads of the
// process's memory, or takes from it, says nothing then, and a test of hundreds of places that each
// take long tries some of them: the other builds try all.
#pragma once

namespace cairn {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace cairn
