// SPDX-License-Identifier: Apache-2.0
// Pages of the documentation that replies link to, as they stand in docs/; CMake puts them in.
#pragma once

#include <string_view>

namespace cairn::api {

extern const std::string_view rate_limits_page;

}  // namespace cairn::api
