// SPDX-License-Identifier: Apache-2.0
// Tokenizers: WordPiece by example, each normalizer and pre-tokenizer, and files that are none.
#include "text/tokenizer.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "format/json.h"

namespace cairn::text::tokenizer_test {
namespace {

using Strings = std::vector<std::string>;

constexpr std::string_view small = R"j({
  "version": "1.0",
  "added_tokens": [{"id": 0, "content": "[UNK]", "special": true}],
  "normalizer": {"type": "Sequence", "normalizers": [
    {"type": "NFKC"},
    {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
     "strip_accents": null, "lowercase": true}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex": "[\u30a0-\u30ff]+"}, "behavior": "Isolated"},
    {"type": "BertPreTokenizer"}]},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 12,
    "vocab": {"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3, "file": 4, "##s": 5, "cafe": 6,
      "日": 7, "本": 8, "コヒー": 9, "!": 10, ",": 11, "i": 12, "gross": 13, "##e": 14, "##ß": 15,
      "unk": 16, "[": 17, "]": 18}}
})j";

Tokenizer small_tokenizer() {
  auto parsed = Tokenizer::parse(small);
  REQUIRE_MESSAGE(parsed.ok(), (parsed.ok() ? "" : parsed.error().message));
  return std::move(parsed).value();
}

Strings tokens(const Tokenizer& tokenizer, std::string_view text) {
  Strings out;
  for (const auto id : tokenizer.encode(text).ids) out.emplace_back(tokenizer.token(id));
  return out;
}

TEST_CASE("tokenizer: words become the longest pieces of the vocabulary") {
  const Tokenizer tokenizer = small_tokenizer();
  CHECK(tokens(tokenizer, "Files, unaffable!") ==
        Strings{"file", "##s", ",", "un", "##aff", "##able", "!"});
  CHECK(tokens(tokenizer, "Café FILE") == Strings{"cafe", "file"});
  CHECK(tokens(tokenizer, "große") == Strings{"[UNK]"});  // ß is not ss: one unknown for the word
  CHECK(tokens(tokenizer, "日本 コヒーfile") == Strings{"日", "本", "コヒー", "file"});
  CHECK(tokens(tokenizer, "ﬁle") == Strings{"file"});  // a ligature, by NFKC
  CHECK(tokens(tokenizer, "İ") == Strings{"i"});
  CHECK(tokens(tokenizer, "").empty());
  CHECK(tokens(tokenizer, " \t\n").empty());
}

TEST_CASE("tokenizer: a word over the limit of characters is unknown") {
  const Tokenizer tokenizer = small_tokenizer();
  CHECK(tokens(tokenizer, "filessssssss") ==
        Strings{"file", "##s", "##s", "##s", "##s", "##s", "##s", "##s", "##s"});
  CHECK(tokens(tokenizer, "filesssssssss") == Strings{"[UNK]"});
}

TEST_CASE("tokenizer: text never makes a special token") {
  CHECK(tokens(small_tokenizer(), "[UNK]") == Strings{"[", "unk", "]"});
}

TEST_CASE("tokenizer: a limit cuts and says so") {
  const Tokenizer tokenizer = small_tokenizer();
  const TokenIds all = tokenizer.encode("file file file", 3);
  CHECK(all.ids.size() == 3);
  CHECK_FALSE(all.is_truncated);
  const TokenIds cut = tokenizer.encode("file files", 2);
  CHECK(cut.ids == std::vector<std::uint32_t>{4, 4});
  CHECK(cut.is_truncated);
}

TEST_CASE("tokenizer: ids and tokens are found both ways") {
  const Tokenizer tokenizer = small_tokenizer();
  CHECK(tokenizer.vocabulary_size() == 19);
  CHECK(tokenizer.id_of("##aff") == 2);
  CHECK_FALSE(tokenizer.id_of("none").has_value());
  CHECK(tokenizer.token(99).empty());
  CHECK(tokenizer.unknown_id() == 0);
  CHECK(tokenizer.size_bytes() > 0);
}

TEST_CASE("tokenizer: components that are not offered are refused by name") {
  const std::string model = R"("model":{"vocab":{"[UNK]":0}})";
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"model":{"type":"WordLevel","vocab":{}}})", "WordLevel"},
      {R"({"normalizer":{"type":"Nmt"},)" + model + "}", "Nmt"},
      {R"({"pre_tokenizer":{"type":"UnicodeScripts"},)" + model + "}", "UnicodeScripts"},
      {R"({"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"CharDelimiterSplit"}]},)" +
           model + "}",
       "pre_tokenizer.pretokenizers[0]"},
      {R"({"post_processor":{"type":"Other"},)" + model + "}", "Other"},
      {R"({"decoder":{"type":"CTC"},)" + model + "}", "CTC"},
  };
  for (const auto& [text, name] : cases) {
    CAPTURE(text);
    const auto parsed = Tokenizer::parse(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().kind == ErrorKind::unsupported);
    CHECK(parsed.error().message.find(name) != std::string::npos);
  }
}

TEST_CASE("tokenizer: files that are none are refused") {
  for (
      const auto* text :
      {"", "[]", "{}", "{\"model\":[]}", R"({"model":{"vocab":{}}})",
       R"({"model":{"vocab":{"a":0}}})", R"({"model":{"vocab":{"[UNK]":-1}}})",
       R"({"model":{"vocab":{"[UNK]":"0"}}})", R"({"model":{"vocab":{"[UNK]":0,"a":0}}})",
       R"({"model":{"vocab":{"[UNK]":0,"a":4000000}}})",
       R"({"model":{"vocab":{"[UNK]":0}},"normalizer":{"type":"Replace"}})",
       R"({"model":{"vocab":{"[UNK]":0}},"normalizer":{"type":"Sequence"}})",
       R"j({"model":{"vocab":{"[UNK]":0}},"pre_tokenizer":{"type":"Split","pattern":{"Regex":"("}}})j"}) {
    CAPTURE(text);
    const auto parsed = Tokenizer::parse(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().kind == ErrorKind::invalid_argument);
  }
}

TEST_CASE("M03: hostile tokenizer files are refused, or do no more than a good one") {
  const auto vocabulary = [](const std::string& more) {
    return R"({"model":{"type":"WordPiece","vocab":{"[UNK]":0)" + more + "}}}";
  };
  std::string merges = R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a a")";
  for (int i = 0; i < 100'000; ++i) merges += R"(,"a a")";
  merges += "]}}";
  std::string nested = R"({"model":{"vocab":{"[UNK]":0}},"normalizer":)";
  std::string inner = R"({"type":"NFC"})";
  for (int i = 0; i < 10'000; ++i) inner = R"({"type":"Sequence","normalizers":[)" + inner + "]}";
  nested += inner + "}";
  for (const std::string& file :
       {merges,                                                    // another model
        nested,                                                    // depth
        vocabulary(R"(,"a":2147483647)"),                          // id far beyond the rest
        vocabulary(R"(,"a":4294967296)"),                          // id over 32 bits
        vocabulary(R"(,"a":-1)"), vocabulary(R"(,"a":1e9)"),       //
        vocabulary(R"(,"a":0)"),                                   // two tokens, one id
        vocabulary(",\"" + std::string(1'000'000, 'a') + "\":1"),  // an endless token
        vocabulary(",\"\xff\xfe\":1"),                             // no UTF-8
        std::string(R"({"model":{"vocab":{"[UNK]":0},"max_input_chars_per_word":1000000000}})"),
        std::string(R"j({"model":{"vocab":{"[UNK]":0}},"pre_tokenizer":{"type":"Split",)j"
                    R"j("pattern":{"Regex":"(a+)+(?<=b*)$"},"behavior":"Isolated"}})j")}) {
    CAPTURE(file.substr(0, 200));
    CHECK_FALSE(Tokenizer::parse(file).ok());
  }
  // Gaps are allowed: ids without a token are never given.
  const auto gaps = Tokenizer::parse(vocabulary(R"(,"a":7,"b":900)"));
  REQUIRE(gaps.ok());
  CHECK(gaps->encode("a b c").ids == std::vector<std::uint32_t>{0});
  CHECK(gaps->token(5).empty());
  CHECK(gaps->token(901).empty());
  // Nested repetition in a pattern is linear in the text.
  const auto regex =
      Tokenizer::parse(R"j({"model":{"vocab":{"[UNK]":0}},"pre_tokenizer":{"type":"Split",)j"
                       R"j("pattern":{"Regex":"(a+)+$"},"behavior":"Isolated"}})j");
  if (regex.ok()) CHECK(regex->encode(std::string(2'000, 'a') + "b", 8).ids.size() <= 8);
}

TEST_CASE("tokenizer: random bytes and cut files neither crash nor make ids out of range") {
  constexpr unsigned seed = 5;
  CAPTURE(seed);
  std::mt19937 random(seed);
  const Tokenizer tokenizer = small_tokenizer();
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 60, '\0');
    for (char& c : text) c = static_cast<char>(random() & 0xffU);
    for (const auto id : tokenizer.encode(text).ids) CHECK(id < tokenizer.vocabulary_size());
  }
  for (std::size_t length = 0; length < small.size(); length += 7) {
    CHECK_FALSE(Tokenizer::parse(small.substr(0, length)).ok());
  }
  for (int round = 0; round < 500; ++round) {
    std::string file(small);
    for (int i = 0; i < 3; ++i) file[random() % file.size()] = static_cast<char>(random() & 0xffU);
    const auto parsed = Tokenizer::parse(file);
    if (parsed.ok()) CHECK(parsed->encode("Files unaffable 日本").ids.size() < 100);
  }
}

}  // namespace
}  // namespace cairn::text::tokenizer_test
