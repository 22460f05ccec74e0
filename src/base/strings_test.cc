// SPDX-License-Identifier: Apache-2.0
// Tests of strings.h.
#include "base/strings.h"

#include <doctest/doctest.h>

#include <random>

using namespace cairn;

namespace {

// The definition, exponential and clear.
bool matches_slowly(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    return matches_slowly(pattern.substr(1), text) ||
           (!text.empty() && matches_slowly(pattern, text.substr(1)));
  }
  return !text.empty() && pattern[0] == text[0] &&
         matches_slowly(pattern.substr(1), text.substr(1));
}

}  // namespace

TEST_CASE("strings: case, trim, split, join") {
  CHECK(lower_ascii("AbZ[{\xC3\x84") == "abz[{\xC3\x84");
  CHECK(equals_ignore_case("Content-TYPE", "content-type"));
  CHECK(!equals_ignore_case("a", "ab"));
  CHECK(!equals_ignore_case("[", "{"));
  // Eight at a time: each byte beside each other one, in the first word, across it, and behind it.
  for (int x = 0; x < 256; ++x) {
    for (int y = 0; y < 256; ++y) {
      const auto small = [](int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; };
      std::string a = "Accept-Encoding-x", b = "aCCEPT-eNCODING-X";
      for (const std::size_t at : {std::size_t{0}, std::size_t{8}, std::size_t{16}}) {
        std::string left = a, right = b;
        left[at] = static_cast<char>(x);
        right[at] = static_cast<char>(y);
        const bool same = small(x) == small(y);
        REQUIRE(equals_ignore_case(left, right) == same);
        REQUIRE(equals_ignore_case(left.substr(at), right.substr(at)) == same);
      }
    }
  }
  CHECK(trim(" \t\r\na b\n ") == "a b");
  CHECK(trim(" \n").empty());
  CHECK(split("a,,b,", ',') == std::vector<std::string_view>{"a", "", "b", ""});
  CHECK(split("", ',') == std::vector<std::string_view>{""});
  CHECK(join({"a", "", "b"}, ", ") == "a, , b");
  CHECK(join({}, ",").empty());
}

TEST_CASE("strings: wildcard_match equals its definition") {
  CHECK(wildcard_match("logs-*-2026*", "logs-a-b-2026.01"));
  CHECK(!wildcard_match("a*b", "ab c"));
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 20000; ++i) {
    std::string pattern;
    std::string text;
    for (auto n = random() % 7; n > 0; --n) pattern += "ab*"[random() % 3];
    for (auto n = random() % 9; n > 0; --n) text += "ab"[random() % 2];
    INFO("pattern ", pattern, " text ", text);
    REQUIRE(wildcard_match(pattern, text) == matches_slowly(pattern, text));
  }
}

TEST_CASE("strings: wildcard_match stays fast on hostile patterns") {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "a*";
  CHECK(!wildcard_match(pattern + "b", std::string(5000, 'a')));
}

TEST_CASE("strings: units of UTF-16 in UTF-8") {
  CHECK(utf16_length("") == 0);
  CHECK(utf16_length("abc") == 3);
  CHECK(utf16_length("é€") == 2);
  CHECK(utf16_length("a\xF0\x9F\x90\x8B" "b") == 4);
}

TEST_CASE("strings: is_utf8 follows RFC 3629") {
  // All sequences of up to 4 bytes at the borders of every range, against the definition by
  // decoding: shortest form, no surrogates, at most U+10FFFF.
  for (const std::string good :
       {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    INFO(good);
    CHECK(is_utf8(good));
    CHECK(is_utf8("12345678" + std::string(good) + "123456789"));
  }
  for (const std::string bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x80\x80", "\xE0\x9F\xBF",
        "\xED\xA0\x80", "\xED\xBF\xBF", "\xE1\x80", "\xE1\x41\x80", "\xF0\x80\x80\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF1\x80\x80", "\xFE",
        "\xFF"}) {
    CHECK(!is_utf8(bad));
    CHECK(valid_utf8_prefix("12345678x" + std::string(bad)) == 9);
    CHECK(!is_utf8(std::string(bad) + "123456789"));
  }
  CHECK(is_utf8(std::string_view("\0", 1)));
}

TEST_CASE("strings: append_utf8 writes every code point so that is_utf8 accepts it") {
  for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x900 ? 1 : 61) {
    std::string text;
    append_utf8(text, c);
    REQUIRE(is_utf8(text));
  }
  std::string text;
  append_utf8(text, 0xD800);
  append_utf8(text, 0x110000);
  CHECK(text == "\xEF\xBF\xBD\xEF\xBF\xBD");
  text.clear();
  append_utf8(text, 0x20AC);
  CHECK(text == "\xE2\x82\xAC");
}

TEST_CASE("strings: nearest finds what was meant, and nothing far away") {
  const std::vector<std::string> names = {"num_allocations", "num_threads", "model_id"};
  CHECK(nearest("num_alocations", names) == "num_allocations");
  CHECK(nearest("modle_id", names) == "model_id");  // two neighbours swapped
  CHECK(nearest("MODEL_ID", names) == "model_id");
  CHECK(!nearest("zzz", names));
  CHECK(!nearest("", names));
  CHECK(nearest("a", {"b"}) == "b");
  CHECK(!nearest(std::string(100000, 'x'), names));
  CHECK(!nearest("x", {}));
}

TEST_CASE("strings: parse_number takes all of the text or nothing") {
  CHECK(parse_number<int>("-12") == -12);
  CHECK(parse_number<std::uint8_t>("255") == 255);
  CHECK(parse_number<double>("1e3") == 1000.0);
  for (const std::string bad : {"", "+1", " 1", "1 ", "1x", "0x10", "256", "-1"}) {
    INFO(bad);
    CHECK(!parse_number<std::uint8_t>(bad));
  }
}

TEST_CASE("strings: equals_constant_time compares") {
  CHECK(equals_constant_time("", ""));
  CHECK(equals_constant_time("secret", "secret"));
  CHECK(!equals_constant_time("secret", "secreT"));
  CHECK(!equals_constant_time("secret", ""));
  CHECK(!equals_constant_time("", "secret"));
  CHECK(!equals_constant_time("aa", "aaaa"));
  CHECK(!equals_constant_time("aaaa", "aa"));
  const std::string secret = "0123456789abcdefghij";
  for (std::size_t at = 0; at < secret.size(); ++at) {
    std::string other = secret;
    other[at] = static_cast<char>(other[at] ^ 0x80);
    CHECK(!equals_constant_time(secret, other));
    CHECK(!equals_constant_time(secret, std::string_view(secret).substr(0, at)));
  }
}
