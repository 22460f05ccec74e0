// SPDX-License-Identifier: Apache-2.0
#include "text/letters.h"

#include <doctest/doctest.h>

namespace cairn::text::letters_test {
namespace {

std::string in_case(char32_t character, LetterCase to) {
  std::string out;
  append_in_case(out, character, to);
  return out;
}

}  // namespace

TEST_CASE("letters: one character can become several") {
  CHECK(in_case(U'a', LetterCase::upper) == "A");
  CHECK(in_case(U'Z', LetterCase::lower) == "z");
  CHECK(in_case(U'ß', LetterCase::upper) == "SS");
  CHECK(in_case(U'ß', LetterCase::title) == "Ss");
  CHECK(in_case(U'\u0130', LetterCase::lower) == "i\u0307");
  CHECK(in_case(U'\u01c6', LetterCase::title) == "\u01c5");
  CHECK(in_case(U'\u0149', LetterCase::title) == "\u02bcN");
  CHECK(in_case(U'字', LetterCase::upper) == "字");
  CHECK(in_case(U'\U00010428', LetterCase::upper) == "\U00010400");
}

TEST_CASE("letters: what can be seen") {
  CHECK(is_printable(U' '));
  CHECK(is_printable(U'é'));
  CHECK_FALSE(is_printable(U'\u00a0'));
  CHECK_FALSE(is_printable(U'\n'));
  CHECK_FALSE(is_printable(U'\u200b'));
  CHECK_FALSE(is_printable(U'\U0010ffff'));
  CHECK(is_cased(U'a'));
  CHECK_FALSE(is_cased(U'1'));
  CHECK(is_case_ignorable(U'\''));
  CHECK(is_decimal(U'\u0663'));
  CHECK(is_alphabetic(U'字'));
}

}  // namespace cairn::text::letters_test
