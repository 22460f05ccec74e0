// SPDX-License-Identifier: Apache-2.0
// Text in any encoding to UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::text {

/// Text in the named encoding (IANA and common names, of any case) as UTF-8; bytes that are none in
/// it become U+FFFD. Nothing where no such encoding is known, and for UTF-7, which hides text.
std::optional<std::string> from_encoding(std::string_view bytes, std::string_view name);

/// Text as UTF-8, by the first that tells: a byte order mark (8, 16 and 32 bits), `likely` where it
/// names an encoding in seven bits and the bytes shift as those do, valid UTF-8,
/// zeros where UTF-16 has them, `likely` where one is given and known, and statistics of letters.
/// Nothing where the bytes are no text: with a NUL beyond those encodings, or with many control
/// characters.
std::optional<std::string> any_encoding(std::string_view bytes, std::string_view likely = {});

/// From here on the process opens no file to convert text. Called before the first conversion.
void encodings_without_files();

}  // namespace cairn::text
