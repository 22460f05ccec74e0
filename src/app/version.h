// SPDX-License-Identifier: Apache-2.0
// The version of this program.
#pragma once

namespace cairn::app {
inline constexpr const char* version = "0.1.0";
}  // namespace cairn::app
