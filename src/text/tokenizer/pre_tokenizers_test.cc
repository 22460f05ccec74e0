// SPDX-License-Identifier: Apache-2.0
// Each pre-tokenizer by a table of texts; the patterns matched by hand beside ICU's.
#include "text/tokenizer/pre_tokenizers.h"

#include <doctest/doctest.h>

#include <random>

#include "text/regex.h"
#include "text/tokenizer/patterns.h"
#include "text/tokenizer/tokenizer_fixture.h"

namespace cairn::text::tokenizer::pre_tokenizers_test {
namespace {

using namespace fixture;

Strings cut(std::string_view pre_tokenizer, std::string_view text) {
  return words("null", pre_tokenizer, text);
}

std::string split(std::string_view behavior, bool invert = false) {
  return R"({"type":"Split","pattern":{"String":"-"},"behavior":")" + std::string(behavior) +
         R"(","invert":)" + (invert ? "true}" : "false}");
}

TEST_CASE("tokenizer: pre-tokenizers") {
  CHECK(cut("null", "a b") == Strings{"a b"});
  CHECK(cut(R"({"type":"BertPreTokenizer"})", "don't  stop—now…") ==
        Strings{"don", "'", "t", "stop", "—", "now", "…"});
  CHECK(cut(R"({"type":"WhitespaceSplit"})", " a,b\u3000c ") == Strings{"a,b", "c"});
  CHECK(cut(R"({"type":"Whitespace"})", "a_1, b!?") == Strings{"a_1", ",", "b", "!?"});
  CHECK(cut(R"({"type":"Punctuation"})", "a-b") == Strings{"a", "-", "b"});
  CHECK(cut(R"({"type":"Punctuation","behavior":"Contiguous"})", "a--b") ==
        Strings{"a", "--", "b"});
  CHECK(cut(R"({"type":"Digits","individual_digits":true})", "ab12") == Strings{"ab", "1", "2"});
  CHECK(cut(R"({"type":"Digits","individual_digits":false})", "ab12c") == Strings{"ab", "12", "c"});
  CHECK(cut(R"({"type":"Split","pattern":{"Regex":"\\d+"},"behavior":"Isolated"})", "a12b") ==
        Strings{"a", "12", "b"});
  CHECK(cut(R"({"type":"Split","pattern":{"Regex":"[ァ-ヺー]+"},"behavior":"Isolated"})",
            "アーaカ") == Strings{"アー", "a", "カ"});
}

TEST_CASE("tokenizer: what Split does with matches") {
  CHECK(cut(split("Removed"), "a-b--c") == Strings{"a", "b", "c"});
  CHECK(cut(split("Isolated"), "a-b--c") == Strings{"a", "-", "b", "-", "-", "c"});
  CHECK(cut(split("Contiguous"), "a-b--c") == Strings{"a", "-", "b", "--", "c"});
  CHECK(cut(split("MergedWithPrevious"), "a-b--c") == Strings{"a-", "b-", "-", "c"});
  CHECK(cut(split("MergedWithNext"), "a-b--c-") == Strings{"a", "-b", "-", "-c", "-"});
  CHECK(cut(split("Removed", true), "a-b--c") == Strings{"-", "-", "-"});
}

TEST_CASE("tokenizer: Metaspace marks words") {
  CHECK(cut(R"({"type":"Metaspace"})", "a  b") == Strings{"▁a", "▁", "▁b"});
  CHECK(cut(R"({"type":"Metaspace"})", " a") == Strings{"▁a"});
  CHECK(cut(R"({"type":"Metaspace","split":false})", "a b") == Strings{"▁a▁b"});
  CHECK(cut(R"({"type":"Metaspace","prepend_scheme":"never"})", "a b") == Strings{"a", "▁b"});
  CHECK(cut(R"({"type":"Metaspace","add_prefix_space":false})", "a b") == Strings{"a", "▁b"});
  CHECK(cut(R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},)"
            R"({"type":"Metaspace","prepend_scheme":"first"}]})",
            "a b") == Strings{"▁a", "b"});
}

TEST_CASE("tokenizer: ByteLevel spells bytes by characters that print") {
  CHECK(cut(R"({"type":"ByteLevel","add_prefix_space":true})", "a é'll") ==
        Strings{"Ġa", "ĠÃ©", "'ll"});
  CHECK(cut(R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})", "a\n b") ==
        Strings{"aĊĠb"});
}

TEST_CASE("tokenizer: patterns matched by hand are those of the expressions") {
  const std::string modern_one =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  const std::string modern_three =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  const std::string gpt2 =
      R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
  constexpr unsigned seed = 11;
  CAPTURE(seed);
  std::mt19937 random(seed);
  const Strings pieces{" ",   "  ", "\n", "\r\n", "\t",     "\u00a0", "a",   "Bc",
                       "é",   "東", "1",  "23",   "٣",      "'",      "'s",  "'LL",
                       "'re", ".",  "!!", "_",    "\u0301", "😀",      "'Ve", "²"};
  for (const std::string& expression : {gpt2, modern_one, modern_three}) {
    const auto by_hand = read_pattern(expression);
    REQUIRE(by_hand.ok());
    const auto oracle = Regex::compile(expression);
    REQUIRE(oracle.ok());
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      for (std::size_t i = random() % 10; i-- > 0;) text += pieces[random() % pieces.size()];
      CAPTURE(text);
      std::vector<Span> found;
      Cutter cutter(Behavior::isolated, found);
      REQUIRE((*by_hand)->cut(text, span_of(0, text.size()), false, cutter).ok());
      const auto wanted = oracle->find_all(text);
      REQUIRE(wanted.ok());
      REQUIRE(found.size() == wanted->size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].begin == (*wanted)[i].first);
        CHECK(found[i].end == (*wanted)[i].second);
      }
    }
  }
}

TEST_CASE("tokenizer: an expression that never ends is ended") {
  const Tokenizer made =
      parsed(R"j({"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a|aa)+$"},)j"
             R"j("behavior":"Isolated"},"model":)j" +
             std::string(any_model) + "}");
  const auto all = made.words(std::string(5'000, 'a') + "b");
  if (!all.ok()) CHECK(all.error().kind == ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace cairn::text::tokenizer::pre_tokenizers_test
