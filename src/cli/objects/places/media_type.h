// SPDX-License-Identifier: Apache-2.0
// What a file holds, guessed by the ending of its name.
#pragma once

#include <string_view>

namespace cairn::cli {

/// "image/png" of "a/b.PNG"; empty where the ending is not known.
std::string_view media_type_of(std::string_view name);

}  // namespace cairn::cli
