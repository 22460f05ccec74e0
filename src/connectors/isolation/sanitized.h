// SPDX-License-Identifier: Apache-2.0
// Whether this build runs under a sanitizer, which maps terabytes and opens files by itself.
#pragma once

namespace cairn::connectors {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool runs_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool runs_sanitized = true;
#else
inline constexpr bool runs_sanitized = false;
#endif
#else
inline constexpr bool runs_sanitized = false;
#endif

}  // namespace cairn::connectors
