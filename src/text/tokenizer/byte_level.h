// SPDX-License-Identifier: Apache-2.0
// The alphabet of byte-level tokenizers: a printable character for each byte.
#pragma once

#include <unicode/umachine.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::text::tokenizer {

/// The character of each byte: itself where Latin-1 prints it, else U+0100 and up in order.
const std::array<UChar32, 256>& byte_characters();

/// The byte of a character, or -1.
int byte_of(UChar32 character);

/// The bytes that a token of such an alphabet spells, or nothing where a character is none of it.
std::optional<std::string> spelled_bytes(std::string_view token);

}  // namespace cairn::text::tokenizer
