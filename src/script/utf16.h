// SPDX-License-Identifier: Apache-2.0
// Lengths and places in a text as scripts count them: in units of UTF-16.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::script {

/// Of UTF-8. A character beyond the first plane has two units.
std::size_t utf16_length(std::string_view text);
bool is_ascii(std::string_view text);
std::u16string to_utf16(std::string_view text);
/// Half of a character becomes U+FFFD.
std::string to_utf8(std::u16string_view text);

}  // namespace cairn::script
