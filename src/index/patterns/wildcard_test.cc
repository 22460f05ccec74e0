// SPDX-License-Identifier: Apache-2.0
#include "index/patterns/wildcard.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "text/words.h"

namespace cairn::index::wildcard_test {
namespace {

std::vector<char32_t> characters_of(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t at = 0; at < text.size();) out.push_back(text::next_code_point(text, at));
  return out;
}

// The slow, obvious way: a table of which beginnings of both agree.
bool agrees(std::string_view pattern, std::string_view text) {
  constexpr char32_t any = 0xFFFFFFFF, run = 0xFFFFFFFE;
  std::vector<char32_t> pieces;
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern[at] == '*' || pattern[at] == '?') {
      pieces.push_back(pattern[at++] == '*' ? run : any);
      continue;
    }
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    pieces.push_back(text::next_code_point(pattern, at));
  }
  const auto letters = characters_of(text);
  std::vector<std::vector<char>> table(pieces.size() + 1, std::vector<char>(letters.size() + 1, 0));
  table[0][0] = 1;
  for (std::size_t p = 1; p <= pieces.size(); ++p) {
    for (std::size_t t = 0; t <= letters.size(); ++t) {
      if (pieces[p - 1] == run)
        table[p][t] = table[p - 1][t] != 0 || (t > 0 && table[p][t - 1] != 0);
      else if (t > 0)
        table[p][t] =
            table[p - 1][t - 1] != 0 && (pieces[p - 1] == any || pieces[p - 1] == letters[t - 1]);
    }
  }
  return table[pieces.size()][letters.size()] != 0;
}

TEST_CASE("wildcard: what stands for what") {
  CHECK(Wildcard("").matches(""));
  CHECK_FALSE(Wildcard("").matches("a"));
  CHECK(Wildcard("*").matches(""));
  CHECK(Wildcard("a*c").matches("ac"));
  CHECK(Wildcard("a*c").matches("abbc"));
  CHECK_FALSE(Wildcard("a*ac").matches("ac"));
  CHECK(Wildcard("?*?").matches("ab"));
  CHECK_FALSE(Wildcard("?*?").matches("a"));
  CHECK(Wildcard("*ab?b*").matches("xabababx"));
  CHECK(Wildcard("\\*x").matches("*x"));
  CHECK_FALSE(Wildcard("\\*x").matches("yx"));
  CHECK(Wildcard("?\xC3\xA4*").matches("\xC3\xBC\xC3\xA4"));
  CHECK_FALSE(Wildcard("??").matches("\xC3\xBC"));
  CHECK(Wildcard("ab?c*").prefix() == "ab");
  CHECK(Wildcard("ab?c*").characters() == 5);
}

TEST_CASE("wildcard: any pattern and any text are as the slow way says") {
  std::mt19937 random(5);
  const std::vector<std::string> letters = {"a", "b", "\xC3\xA4", "\xF0\x9F\x98\x80"};
  for (int round = 0; round < 40'000; ++round) {
    std::string pattern, text;
    for (std::size_t i = random() % 8; i > 0; --i) {
      const std::size_t kind = random() % 8;
      pattern += kind == 0 ? "?" : kind == 1 || kind == 2 ? "*" : kind == 3 ? "\\" : "";
      if (kind >= 3) pattern += letters[random() % letters.size()];
    }
    for (std::size_t i = random() % 10; i > 0; --i) text += letters[random() % letters.size()];
    CAPTURE(pattern);
    CAPTURE(text);
    REQUIRE(Wildcard(pattern).matches(text) == agrees(pattern, text));
  }
}

}  // namespace
}  // namespace cairn::index::wildcard_test
