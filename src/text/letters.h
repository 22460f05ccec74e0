// SPDX-License-Identifier: Apache-2.0
// What Unicode says of single characters: their case, and whether they can be seen.
#pragma once

#include <string>

namespace cairn::text {

enum class LetterCase { lower, upper, title };

/// Appends the character in that case, as UTF-8; some become several. Without regard to neighbours
/// or languages (SpecialCasing.txt, unconditional mappings).
void append_in_case(std::string& out, char32_t character, LetterCase to);

bool is_cased(char32_t character);
bool is_case_ignorable(char32_t character);
bool is_upper(char32_t character);
bool is_lower(char32_t character);
bool is_alphabetic(char32_t character);  // the letters: Lm, Lt, Lu, Ll, Lo
bool is_decimal(char32_t character);     // Nd
/// Neither a control, nor a separator other than U+0020, nor unassigned.
bool is_printable(char32_t character);

}  // namespace cairn::text
