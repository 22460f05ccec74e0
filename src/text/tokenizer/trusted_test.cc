// SPDX-License-Identifier: Apache-2.0
// What text of users cannot become: control tokens, by any way through the components.
#include <doctest/doctest.h>

#include "text/tokenizer/tokenizer_fixture.h"

namespace cairn::text::tokenizer::trusted_test {
namespace {

using namespace fixture;

/// The tokens of parts that are a template's, `[..]`, and others.
std::string prompt(const Tokenizer& made, std::string_view marked) {
  std::string text;
  std::vector<TokenRange> trusted;
  for (const char c : marked) {
    const auto at = static_cast<std::uint32_t>(text.size());
    if (c == '[') {
      trusted.push_back({at, at});
    } else if (c == ']') {
      trusted.back().end = at;
    } else {
      text += c;
    }
  }
  return shown(made, text, {.trusted = trusted});
}

/// BPE of characters with these added tokens; `more` is put before the model.
Tokenizer with_added(const std::string& added, const std::string& more = "") {
  return parsed(
      R"({"added_tokens":[)" + added + "]," + more +
      R"("model":{"type":"BPE","unk_token":"?","vocab":{"?":0,"<":1,">":2,"u":3,"x":4,)"
      R"("é":5,"<u":6,"<u>":7," ":8,"  ":9},"merges":[["<","u"],["<u",">"],[" "," "]]}})");
}

}  // namespace

TEST_CASE("trusted text: added tokens that are not special are found in trusted parts alone") {
  for (const std::string normalized : {"false", "true"}) {
    for (const std::string special : {"false", "true"}) {
      CAPTURE(normalized);
      CAPTURE(special);
      const Tokenizer made = with_added(std::string(R"({"id":20,"content":"<x>","special":)") +
                                        special + R"(,"normalized":)" + normalized + "}");
      CHECK(prompt(made, "[<x>]u<x>[<x>]") == "<x>(0-3) u(3-4) <(4-5) x(5-6) >(6-7) <x>(7-10)");
      CHECK(prompt(made, "<x>") == "<(0-1) x(1-2) >(2-3)");
      // Spelt by both together, in any way.
      CHECK(prompt(made, "[<]x>") == "<(0-1) x(1-2) >(2-3)");
      CHECK(prompt(made, "[<]x[>]") == "<(0-1) x(1-2) >(2-3)");
      CHECK(prompt(made, "<[x>]") == "<(0-1) x(1-2) >(2-3)");
      CHECK(prompt(made, "[<x][>]") == "<(0-1) x(1-2) >(2-3)");
      CHECK(prompt(made, "é[<x>]é") == "é(0-2) <x>(2-5) é(5-7)");
    }
  }
}

TEST_CASE("trusted text: the longest token that ends within counts, whatever follows") {
  for (const std::string normalized : {"false", "true"}) {
    CAPTURE(normalized);
    const std::string rest = std::string(R"(,"special":true,"normalized":)") + normalized + "}";
    const Tokenizer made =
        with_added(R"({"id":20,"content":"<x>")" + rest + R"(,{"id":21,"content":"<x>u")" + rest +
                   R"(,{"id":22,"content":"x>")" + rest);
    CHECK(prompt(made, "[<x>u]") == "<x>u(0-4)");
    CHECK(prompt(made, "[<x>]u") == "<x>(0-3) u(3-4)");
    CHECK(prompt(made, "<[x>]u") == "<(0-1) x>(1-3) u(3-4)");
  }
}

TEST_CASE("trusted text: what a normalizer joins or takes away makes no token") {
  const std::string added = R"({"id":20,"content":"<é>","special":false,"normalized":true})";
  const Tokenizer composed = with_added(added, R"("normalizer":{"type":"NFC"},)");
  CHECK(prompt(composed, "[<é>]") == "<é>(0-4)");
  CHECK(prompt(composed, "[<e\u0301>]") == "<é>(0-5)");
  CHECK(prompt(composed, "[<e]\u0301[>]") == "<(0-1) é(1-2) >(4-5)");
  const Tokenizer removing =
      with_added(R"({"id":20,"content":"<x>","special":false,"normalized":true})",
                 R"("normalizer":{"type":"Replace","pattern":{"String":"-"},"content":""},)");
  CHECK(prompt(removing, "[<-x>]") == "<x>(0-4)");
  CHECK(prompt(removing, "[<]-[x>]") == "<(0-1) x(2-3) >(3-4)");
}

TEST_CASE("trusted text: ranges count in the input, also where that is no UTF-8") {
  const Tokenizer made = with_added(R"({"id":20,"content":"<x>","special":true})");
  CHECK(prompt(made, "\xff\xff[<x>]<x>") == "?(0-1) ?(1-2) <x>(2-5) <(5-6) x(6-7) >(7-8)");
}

TEST_CASE("trusted text: merges make no control token, but spaces") {
  const std::string control = R"({"id":7,"content":"<u>","special":)";
  CHECK(prompt(with_added(control + "false}"), "<u>[<u>]") == "<u(0-2) >(2-3) <u>(3-6)");
  CHECK(prompt(with_added(control + "true}"), "<u>[<u>]") == "<u(0-2) >(2-3) <u>(3-6)");
  const Tokenizer spaces = with_added(R"({"id":9,"content":"  ","special":false})");
  CHECK(prompt(spaces, "x  x") == "x(0-1)   (1-3) x(3-4)");
  // Beside prompts, special tokens only.
  CHECK(shown(with_added(control + "true}"), "<u>", {}) == "<u(0-2) >(2-3)");
  CHECK(shown(with_added(control + "false}"), "<u>", {}) == "<u>(0-3)");
  const Tokenizer whole =
      parsed(R"({"added_tokens":[{"id":3,"content":"<u>","special":true}],"model":{"type":"BPE",)"
             R"("ignore_merges":true,"vocab":{"<":0,">":1,"u":2,"<u>":3},"merges":[]}})");
  CHECK(shown(whole, "<u>", {}) == "<(0-1) u(1-2) >(2-3)");
  std::string long_word;
  for (int i = 0; i < 20; ++i) long_word += "<u>";
  CHECK(shown(with_added(control + "true}"), long_word, {}).find("<u>(") == std::string::npos);
}

TEST_CASE("trusted text: control pieces of Unigram and WordPiece are no pieces of words") {
  const Tokenizer unigram =
      parsed(R"({"added_tokens":[{"id":0,"content":"?","special":true},{"id":1,"content":"</s>",)"
             R"("special":true}],"model":{"type":"Unigram","unk_id":0,"vocab":[["?",0],["</s>",0],)"
             R"(["<",-3],["/",-3],["s",-3],[">",-3],["x",-1]]}})");
  CHECK(shown(unigram, "x</s>x", {}) == "x(0-1) <(1-2) /(2-3) s(3-4) >(4-5) x(5-6)");
  CHECK(prompt(unigram, "x</s>[</s>]") == "x(0-1) <(1-2) /(2-3) s(3-4) >(4-5) </s>(5-9)");
  CHECK(shown(unigram, "x</s>") == "x(0-1) </s>(1-5)");
  // Unknown characters that spell one when they are joined.
  const Tokenizer joined = parsed(
      R"({"added_tokens":[{"id":1,"content":"yz","special":true}],"model":{"type":"Unigram",)"
      R"("unk_id":0,"vocab":[["?",0],["yz",0],["x",-1]]}})");
  CHECK(shown(joined, "xyz", {}) == "x(0-1) ?(1-3)");
  const Tokenizer pieces = parsed(
      R"({"added_tokens":[{"id":1,"content":"[X]","special":true}],"model":{"type":"WordPiece",)"
      R"("unk_token":"?","vocab":{"?":0,"[X]":1,"[":2,"##X":3,"##]":4}}})");
  CHECK(shown(pieces, "[X]", {}) == "[(0-1) ##X(1-2) ##](2-3)");
}

}  // namespace cairn::text::tokenizer::trusted_test
