// SPDX-License-Identifier: Apache-2.0
// What a browser may show of a file that a stranger made.
#pragma once

#include <string_view>

namespace cairn::app {

/// The type of a file by its first bytes, where it is one that browsers show and that runs nothing:
/// images, sound, video, PDF, plain text in UTF-8. Empty for all else, HTML and SVG too: its name
/// and what it says of itself are not asked.
std::string_view preview_type(std::string_view first_bytes);

}  // namespace cairn::app
