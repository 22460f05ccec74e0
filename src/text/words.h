// SPDX-License-Identifier: Apache-2.0
// Splitting text into words: Unicode word boundaries (UAX #29) as search engines use them, and the
// plainer splittings (white space, letters).
#pragma once

#include <string_view>

#include "text/analyzer.h"

namespace cairn::text {

struct WordOptions {
  bool lowercase = false;          // the terms; offsets stay those of the text
  std::uint32_t max_length = 255;  // longer words are cut into pieces, in characters
};

/// Words by UAX #29 without white space and punctuation: letters and digits with what joins them
/// (can't, 3.14, a_b), each ideograph and each hiragana character alone, runs of katakana, of
/// hangul and of the scripts of south-east Asia, emoji. Appends as Analyzer::analyze does.
void split_words(std::string_view text, const WordOptions& options, Tokens& out);

/// Runs of characters that are not white space.
void split_whitespace(std::string_view text, const WordOptions& options, Tokens& out);

/// Runs of letters.
void split_letters(std::string_view text, const WordOptions& options, Tokens& out);

/// One character at a time. `at` moves past it; malformed bytes give U+FFFD and move by one.
char32_t next_code_point(std::string_view text, std::size_t& at);

}  // namespace cairn::text
