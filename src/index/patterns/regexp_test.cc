// SPDX-License-Identifier: Apache-2.0
// Regular expressions: the syntax and the texts of its errors, random patterns against their slow
// meaning, and how much work they take.
#include "index/patterns/regexp.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "index/oracle_regexp.h"
#include "os/deadline.h"

namespace cairn::index::regexp_test {
namespace {

const os::Deadline forever = os::Deadline::never();

bool matches(std::string_view pattern, std::string_view text,
             std::uint32_t flags = regexp_flags::all, bool fold = false) {
  os::Steps steps(forever);
  std::size_t taken = 0;
  const auto program = RegexpProgram::compile(pattern, flags, fold, {}, taken, steps);
  INFO(pattern);
  INFO((program.ok() ? std::string() : program.error().message));
  REQUIRE(program.ok());
  return RegexpMatcher(**program, steps).matches(text);
}

std::string fault(std::string_view pattern, std::uint32_t flags = regexp_flags::all) {
  os::Steps steps(forever);
  std::size_t taken = 0;
  const auto program = RegexpProgram::compile(pattern, flags, false, {}, taken, steps);
  return program.ok() ? "no error" : program.error().message;
}

std::string random_pattern(std::mt19937& random, int depth) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto part = [&] { return random_pattern(random, depth - 1); };
  switch (below(depth > 0 ? 12 : 5)) {
    case 0:
    case 1:
      return std::string(1, static_cast<char>('a' + below(3)));
    case 2:
      return ".";
    case 3:
      return below(2) == 0 ? "[ab]" : "[^a-b]";
    case 4:
      return below(2) == 0 ? "()" : "@";
    case 5:
      return "(" + part() + "|" + part() + ")";
    case 6:
      return "(" + part() + "&" + part() + ")";
    case 7:
      return "~(" + part() + ")";
    case 8:
      return "(" + part() + ")" + std::string(1, "*+?"[below(3)]);
    case 9:
      return "(" + part() + "){" + std::to_string(below(2)) + "," + std::to_string(1 + below(2)) +
             "}";
    default:
      return part() + part();
  }
}

TEST_CASE("regexp: random patterns mean what they say") {
  std::mt19937 random(7);
  std::size_t hits = 0;
  for (int i = 0; i < 3'000; ++i) {
    const std::string pattern = random_pattern(random, 3);
    CAPTURE(pattern);
    os::Steps steps(forever);
    std::size_t taken = 0;
    const auto program =
        RegexpProgram::compile(pattern, regexp_flags::all, false, {}, taken, steps);
    REQUIRE(program.ok());
    RegexpMatcher matcher(**program, steps);
    for (int t = 0; t < 12; ++t) {
      std::string text;
      for (std::size_t n = random() % 6; n > 0; --n) text += static_cast<char>('a' + random() % 4);
      CAPTURE(text);
      const bool wanted = oracle::RegexpMeaning(text).matches(pattern);
      hits += wanted ? 1 : 0;
      CHECK(matcher.matches(text) == wanted);
      if (wanted) CHECK(text.starts_with((*program)->prefix()));
    }
  }
  CHECK(hits > 5'000);
}

TEST_CASE("regexp: the syntax of the field's engine") {
  CHECK(matches("", ""));
  CHECK(!matches("", "a"));
  CHECK(matches("k.*y", "kitty"));
  CHECK(!matches("k.*y", "kitt"));
  CHECK(matches("a{2}", "aa"));
  CHECK(matches("a{2,}", "aaaa"));
  CHECK(!matches("a{2,3}", "aaaa"));
  CHECK(matches("\"a.b\"", "a.b"));
  CHECK(!matches("\"a.b\"", "axb"));
  CHECK(matches("a\\.b", "a.b"));
  CHECK(matches("\\d+\\s\\w\\D", "12 _x"));
  CHECK(matches("[\\d-]", "7"));
  CHECK(matches("#|a", "a"));
  CHECK(matches("@b", "aab"));
  CHECK(matches("gr(a|e)y&~(grey)", "gray"));
  CHECK(!matches("gr(a|e)y&~(grey)", "grey"));
  CHECK(matches("f.r", "f\u00fcr"));
  CHECK(matches("[\u0430-\u044f]+", "\u0436\u0443\u043a"));
  // Without their flags the signs stand for themselves.
  CHECK(matches("a&b", "a&b", 0));
  CHECK(matches("~#@<1-2>", "~#@<1-2>", 0));
  CHECK(matches("ab[c]", "aBc", regexp_flags::all, true));
  CHECK(!matches("ab[c-d]", "abC", regexp_flags::all, true));
}

TEST_CASE("regexp: intervals hold the numbers between") {
  for (const auto& [low, high] : {std::pair(0, 7), {3, 3}, {7, 12}, {98, 1024}, {1024, 98}})
    for (int n = 0; n < 1'200; n += 1 + n / 90) {
      const std::string pattern = "<" + std::to_string(low) + "-" + std::to_string(high) + ">";
      const bool wanted = n >= std::min(low, high) && n <= std::max(low, high);
      const bool padded = std::to_string(low).size() != std::to_string(high).size();
      CAPTURE(n);
      CHECK(matches(pattern, std::to_string(n)) == wanted);
      CHECK(matches(pattern, "00" + std::to_string(n)) == (wanted && padded));
    }
  CHECK(matches("v<01-20>", "v07"));
  CHECK(!matches("v<01-20>", "v7"));
  CHECK(matches("<0-2147483647>", "1999999999"));
}

TEST_CASE("regexp: errors say what and where") {
  CHECK(fault("(a") == "')' expected at position 2");
  CHECK(fault("a)") == "end-of-string expected at position 1");
  CHECK(fault("[a") == "']' expected at position 2");
  CHECK(fault("a{x}") == "integer expected at position 2");
  CHECK(fault("a{2") == "'}' expected at position 3");
  CHECK(fault("a{3,2}") == "invalid repetition range(out of order): 3..2");
  CHECK(fault("[z-a]") == "invalid range: from (122) cannot be > to (97)");
  CHECK(fault("<a-b>") == "interval syntax error at position 5");
  CHECK(fault("<name>") == "'name' not found");
  CHECK(fault("a|") == "unexpected end-of-string at position 2");
  CHECK(fault("\"a") == "'\"' expected at position 2");
  CHECK(fault(std::string(300, '(')).find("200 deep") != std::string::npos);
  CHECK(fault(std::string(300, '~') + "a").find("200 deep") != std::string::npos);
  CHECK(fault("((a{100}){100}){100}").find("more than [10000] states") != std::string::npos);
  CHECK(fault("~((a|b)*a(a|b){20})").find("more than [10000] states") != std::string::npos);
}

TEST_CASE("regexp: what patterns keep is counted together, states and moves") {
  os::Steps steps(forever);
  std::size_t taken = 0;
  const auto keep = [&](std::string_view pattern) {
    const auto program = RegexpProgram::compile(pattern, regexp_flags::all, false,
                                                {.all_states = 1'000}, taken, steps);
    return program.ok() ? std::string() : program.error().message;
  };
  CHECK(keep("a{100}") == "");
  const std::size_t once = taken;
  CHECK(once == 2 + 100 + 100 / 5);
  CHECK(keep("a{100}") == "");
  CHECK(taken == 2 * once);
  CHECK(keep("~(a{30})&~(b{30})") == "");  // what ~ takes on the way is given back
  CHECK(taken < 3 * once);
  const std::size_t before = taken;
  CHECK(keep("[acegikmoqsuwy]{9}") == "");
  CHECK(taken - before == 2 + 9 + 9 * 13 / 5);
  CHECK(keep("a{700}").find("more than [1000] states together") != std::string::npos);
}

TEST_CASE("regexp: what others take for ever takes time of the text's length") {
  os::Steps steps(forever);
  std::size_t taken = 0;
  const auto program = RegexpProgram::compile("(a+)+b|(a|aa)*c|(.*a){12}", regexp_flags::all, false,
                                              {}, taken, steps);
  REQUIRE(program.ok());
  const auto work = [&](std::size_t length) {
    const std::uint64_t before = os::Steps::total();
    {
      os::Steps own(forever);
      RegexpMatcher matcher(**program, own);
      for (int i = 0; i < 50; ++i) CHECK(!matcher.matches(std::string(length, 'a') + "d"));
    }
    return os::Steps::total() - before;
  };
  const std::uint64_t once = work(2'000), twice = work(4'000);
  CHECK(twice < 2 * once + once / 4);
}

}  // namespace
}  // namespace cairn::index::regexp_test
