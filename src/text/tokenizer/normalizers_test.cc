// SPDX-License-Identifier: Apache-2.0
// Each normalizer by a table of texts, and what ranges become of them.
#include "text/tokenizer/normalizers.h"

#include <doctest/doctest.h>

#include <random>

#include "base/encode.h"
#include "text/tokenizer/tokenizer_fixture.h"

namespace cairn::text::tokenizer::normalizers_test {
namespace {

using namespace fixture;

std::string normalized(std::string_view normalizer, std::string_view text) {
  const Strings all = words(normalizer, "null", text);
  return all.empty() ? "" : all.front();
}

TEST_CASE("tokenizer: normalizers") {
  CHECK(normalized("null", "Ä b") == "Ä b");
  CHECK(normalized(R"({"type":"NFD"})", "é") == "e\xcc\x81");
  CHECK(normalized(R"({"type":"NFC"})", "e\xcc\x81") == "é");
  CHECK(normalized(R"({"type":"NFKC"})", "ＡＢ①") == "AB1");
  CHECK(normalized(R"({"type":"NFKD"})", "ﬁé") == "fie\xcc\x81");
  CHECK(normalized(R"({"type":"Lowercase"})", "ÀΣİX") == "àσi\xcc\x87x");
  CHECK(normalized(R"({"type":"StripAccents"})", "e\xcc\x81") == "e");
  CHECK(normalized(R"({"type":"Strip","strip_left":true,"strip_right":true})", " \u00a0a b ") ==
        "a b");
  CHECK(normalized(R"({"type":"Strip","strip_left":false,"strip_right":true})", " a ") == " a");
  CHECK(normalized(R"({"type":"Strip","strip_left":true,"strip_right":false})", "  ").empty());
  CHECK(normalized(R"({"type":"Prepend","prepend":"_"})", "a") == "_a");
  CHECK(normalized(R"({"type":"Prepend","prepend":"_"})", "").empty());
  CHECK(normalized(R"({"type":"Replace","pattern":{"String":"ab"},"content":"-"})", "xababy") ==
        "x--y");
  CHECK(normalized(R"({"type":"Replace","pattern":{"Regex":" +"},"content":" "})", "a   b c") ==
        "a b c");
}

TEST_CASE("tokenizer: BertNormalizer cleans, parts ideographs, strips accents, lowers") {
  const auto* bert = R"({"type":"BertNormalizer","lowercase":true})";
  CHECK(normalized(bert,
                   "a\tB\u00a0\u200b\x01"
                   "C") == "a b c");
  CHECK(normalized(bert, "x東y") == "x 東 y");
  CHECK(normalized(bert, "Straße Ébène") == "straße ebene");
  CHECK(normalized(bert, "a\u0085b\ufffdc\x7f") == "abc");
  CHECK(normalized(bert, "\u00e1\u302e") == "a\u302e");  // a mark that is reordered, no accent
  CHECK(normalized(R"({"type":"BertNormalizer","lowercase":false})", "É") == "É");
  CHECK(normalized(R"({"type":"BertNormalizer","lowercase":false,"strip_accents":true})", "É") ==
        "E");
  CHECK(normalized(R"({"type":"BertNormalizer","clean_text":false,"lowercase":false})",
                   "a\tb\x01") == "a\tb\x01");
  CHECK(normalized(R"({"type":"BertNormalizer","handle_chinese_chars":false})", "x東y") == "x東y");
}

/// A table of one entry: "a" becomes `to`.
std::string charsmap(std::string_view to) {
  // The root goes to 'a' at 0x61 ^ 0x100 = 0x161, whose value stands at 0x161 ^ 0x200 = 0x361.
  std::vector<std::uint32_t> units(0x400, 0);
  units[0] = 0x100U << 10;
  units[0x161] = 0x200U << 10 | 1U << 8 | 'a';
  units[0x361] = 1U << 31;
  std::string bytes;
  const auto add = [&](std::uint32_t unit) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(unit >> (8 * i)));
  };
  add(static_cast<std::uint32_t>(units.size() * 4));
  for (const std::uint32_t unit : units) add(unit);
  return to_base64(bytes.append(to).append(1, '\0'));
}

TEST_CASE("tokenizer: Precompiled replaces what its table names, clusters before characters") {
  const auto with = [](std::string_view to) {
    return R"({"type":"Precompiled","precompiled_charsmap":")" + charsmap(to) + "\"}";
  };
  CHECK(normalized(with("xy"), "banana") == "bxynxynxy");
  CHECK(normalized(with(""), "banana") == "bnn");
  // The cluster begins with an entry, which decides for all of it.
  CHECK(normalized(with("x"), "a\u0301b") == "xb");
  CHECK(normalized(R"({"type":"Precompiled","precompiled_charsmap":null})", "a") == "a");
  const auto wrong = [](std::string_view map) {
    return Tokenizer::parse(R"({"normalizer":{"type":"Precompiled","precompiled_charsmap":")" +
                            std::string(map) + R"("},"model":)" + std::string(any_model) + "}");
  };
  CHECK_FALSE(wrong("!").ok());
  CHECK_FALSE(wrong("AAA=").ok());
  CHECK_FALSE(wrong(to_base64(std::string("\xff\xff\xff\x7f", 4))).ok());
  CHECK_FALSE(wrong(to_base64(std::string("\x04\x00\x00\x00", 4))).ok());
}

TEST_CASE("tokenizer: ranges are those of the text before it was normalized") {
  const std::string model =
      R"("model":{"type":"WordPiece","unk_token":"?","vocab":{"?":0,"a":1,"##b":2,"e":3,"fi":4,"##x":5}})";
  const auto with = [&](std::string_view normalizer) {
    return parsed("{\"normalizer\":" + std::string(normalizer) +
                  R"(,"pre_tokenizer":{"type":"BertPreTokenizer"},)" + model + "}");
  };
  CHECK(shown(with(R"({"type":"BertNormalizer"})"), "Ab É") == "a(0-1) ##b(1-2) e(3-5)");
  CHECK(shown(with(R"({"type":"NFKC"})"), "a \ufb01x") == "a(0-1) fi(2-5) ##x(5-6)");
  CHECK(shown(with(R"({"type":"Strip"})"), "  ab ") == "a(2-3) ##b(3-4)");
  CHECK(shown(with(R"({"type":"Replace","pattern":{"String":"zz"},"content":"a"})"), "e zz") ==
        "e(0-1) a(3-4)");
  // Bytes that are no UTF-8 are one character.
  CHECK(shown(with("null"), "a \xe2\x82 e") == "a(0-1) ?(2-4) e(5-6)");
}

TEST_CASE("tokenizer: text that normalizers let grow without end is refused") {
  std::string steps;
  for (int i = 0; i < 20; ++i) {
    steps += std::string(i == 0 ? "" : ",") +
             R"({"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaaa"})";
  }
  const Tokenizer made = parsed(R"({"normalizer":{"type":"Sequence","normalizers":[)" + steps +
                                "]},\"model\":" + std::string(any_model) + "}");
  const auto all = made.words("a");
  REQUIRE_FALSE(all.ok());
  CHECK(all.error().kind == ErrorKind::too_large);
  CHECK(made.words("b").ok());
}

TEST_CASE("tokenizer: forms with ranges are the forms without") {
  constexpr unsigned seed = 3;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (const char* type : {"NFC", "NFD", "NFKC", "NFKD"}) {
    const Tokenizer made =
        parsed(std::string(R"({"normalizer":{"type":")") + type +
               R"("},"pre_tokenizer":{"type":"Whitespace"},"model":{"type":"Unigram","unk_id":0,)"
               R"("vocab":[["?",0]]}})");
    for (int round = 0; round < 200; ++round) {
      std::string text;
      for (int i = 0; i < 12; ++i) {
        constexpr UChar32 often[] = {'a', 'e', 0x301, 0x323, 0x344, 0x1100, 0x1161, 0x11a8, 0xfdfa};
        append_character(text, (random() & 1U) != 0 ? often[random() % 9]
                                                    : static_cast<UChar32>(random() % 0xd800));
      }
      Encoding plain;
      Encoding ranged;
      REQUIRE(made.encode(text, {}, os::Deadline::never(), plain).ok());
      REQUIRE(made.encode(text, {.with_ranges = true}, os::Deadline::never(), ranged).ok());
      CHECK(plain.ids == ranged.ids);
      for (const TokenRange range : ranged.ranges) CHECK(range.end <= text.size());
    }
  }
}

}  // namespace
}  // namespace cairn::text::tokenizer::normalizers_test
