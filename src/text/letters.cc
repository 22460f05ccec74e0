// SPDX-License-Identifier: Apache-2.0
#include "text/letters.h"

#include <unicode/uchar.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include "base/strings.h"

namespace cairn::text {
namespace {

constexpr std::int32_t most_units = 8;  // no character becomes more than three

struct MappedUnits {
  UChar units[most_units];
  std::int32_t length = 0;
};

MappedUnits mapped(char32_t character, bool upper) {
  UChar from[2];
  std::int32_t length = 0;
  U16_APPEND_UNSAFE(from, length, static_cast<UChar32>(character));
  MappedUnits out;
  UErrorCode fault = U_ZERO_ERROR;
  out.length = upper ? u_strToUpper(out.units, most_units, from, length, "", &fault)
                     : u_strToLower(out.units, most_units, from, length, "", &fault);
  if (U_FAILURE(fault) || out.length > most_units) {
    for (std::int32_t i = 0; i < length; ++i) out.units[i] = from[i];
    out.length = length;
  }
  return out;
}

void append_units(std::string& out, const MappedUnits& all) {
  for (std::int32_t at = 0; at < all.length;) {
    UChar32 c = 0;
    U16_NEXT(all.units, at, all.length, c);
    append_utf8(out, static_cast<char32_t>(c));
  }
}

/// What has no title case of its own is its upper case, of which only the first letter is large.
void append_title(std::string& out, char32_t character) {
  const auto c = static_cast<UChar32>(character);
  if (u_totitle(c) != c) return append_utf8(out, static_cast<char32_t>(u_totitle(c)));
  const MappedUnits all = mapped(character, true);
  bool first = true;
  for (std::int32_t at = 0; at < all.length;) {
    UChar32 one = 0;
    U16_NEXT(all.units, at, all.length, one);
    append_utf8(out, static_cast<char32_t>(first ? one : u_tolower(one)));
    first = first && !is_cased(static_cast<char32_t>(one));
  }
}

}  // namespace

void append_in_case(std::string& out, char32_t character, LetterCase to) {
  if (character < 0x80) {
    const auto c = static_cast<char>(character);
    if (to == LetterCase::lower) {
      out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
    } else {
      out.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
    }
    return;
  }
  if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
    return append_utf8(out, character);
  if (to == LetterCase::title) return append_title(out, character);
  append_units(out, mapped(character, to == LetterCase::upper));
}

bool is_cased(char32_t character) {
  return u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_CASED) != 0;
}
bool is_case_ignorable(char32_t character) {
  return u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_CASE_IGNORABLE) != 0;
}
bool is_upper(char32_t character) { return u_isUUppercase(static_cast<UChar32>(character)) != 0; }
bool is_lower(char32_t character) { return u_isULowercase(static_cast<UChar32>(character)) != 0; }
bool is_alphabetic(char32_t character) {
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & U_GC_L_MASK) != 0;
}
bool is_decimal(char32_t character) {
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & U_GC_ND_MASK) != 0;
}
bool is_printable(char32_t character) {
  if (character == ' ') return true;
  const auto mask = U_GET_GC_MASK(static_cast<UChar32>(character));
  return (mask & (U_GC_C_MASK | U_GC_Z_MASK)) == 0;
}

}  // namespace cairn::text
