// SPDX-License-Identifier: Apache-2.0
// Places in a text as scripts count them: in units of UTF-16.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::script {

bool is_ascii(std::string_view text);
std::u16string to_utf16(std::string_view text);
/// Half of a character becomes U+FFFD.
std::string to_utf8(std::u16string_view text);

}  // namespace cairn::script
