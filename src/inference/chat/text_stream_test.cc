// SPDX-License-Identifier: Apache-2.0
#include "inference/chat/text_stream.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/strings.h"
#include "format/json.h"
#include "inference/chat/prompt_tokens.h"
#include "inference/chat/sampler.h"

namespace cairn::inference::text_stream_test {
namespace {

/// A token for each byte, spelt as byte-level BPE or as <0x..>, some words, and special ones.
text::Tokenizer made_tokenizer(bool byte_level) {
  Json vocabulary = Json::object();
  std::int64_t next = 0;
  char32_t odd = 256;
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string name;
    if (byte_level) {
      const bool plain = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
      append_utf8(name, plain ? byte : odd++);
    } else {
      constexpr std::string_view digits = "0123456789ABCDEF";
      name = std::string("<0x") + digits[byte >> 4U] + digits[byte & 15U] + ">";
    }
    vocabulary.set(name, next++);
  }
  const std::string space = byte_level ? "\u0120" : "\u2581";
  for (const std::string& word : {std::string("STOP"), space + "one", space + "ST", space + space})
    vocabulary.set(word, next++);
  Json added = Json::array();
  for (const char* name : {"<|a|>", "<|b|>", "|b|"})
    added.push(Json::object({{"id", next++}, {"content", name}, {"special", true}}));
  Json decoder = Json::object({{"type", "ByteLevel"}});
  if (!byte_level) {
    decoder = Json::object(
        {{"type", "Sequence"},
         {"decoders",
          Json::array(
              {parse_json(R"({"type":"Replace","pattern":{"String":"▁"},"content":" "})").value(),
               Json::object({{"type", "ByteFallback"}}), Json::object({{"type", "Fuse"}}),
               parse_json(R"({"type":"Strip","content":" ","start":1,"stop":0})").value()})}});
  }
  Json file = Json::object({{"added_tokens", added}, {"decoder", decoder}});
  if (byte_level) {
    file.set(
        "pre_tokenizer",
        Json::object({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}));
  }
  file.set("model", Json::object({{"type", "BPE"},
                                  {"vocab", vocabulary},
                                  {"merges", Json::array()},
                                  {"byte_fallback", !byte_level}}));
  auto out = text::Tokenizer::parse(file.dump());
  REQUIRE(out.ok());
  return std::move(*out);
}

std::vector<std::uint32_t> bytes_as_ids(std::string_view text) {
  std::vector<std::uint32_t> out;
  for (const char c : text) out.push_back(static_cast<unsigned char>(c));
  return out;
}

}  // namespace

TEST_CASE("text stream: pieces are whole characters and together the decoded text") {
  for (const bool byte_level : {true, false}) {
    CAPTURE(byte_level);
    const text::Tokenizer tokenizer = made_tokenizer(byte_level);
    const std::string texts[] = {"aé字🌧🌧🌧x", "\U0001F468\u200D\U0001F469 zz",
                                 "plain words"};
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      std::vector<std::uint32_t> ids;
      for (std::uint64_t i = 0; i < 40; ++i) {
        const double chance = chance_of(seed, 0, i);
        if (chance < 0.3)
          ids.push_back(static_cast<std::uint32_t>(256 + 24 * chance));
        else
          for (const auto id : bytes_as_ids(texts[static_cast<std::size_t>(chance * 1000) % 3]))
            ids.push_back(id);
      }
      TextStream stream(tokenizer, StopFinder::make({}).value());
      std::string all;
      for (const auto id : ids) {
        const std::string piece = stream.push(id);
        CHECK(is_utf8(piece));
        all += piece;
      }
      all += stream.finish();
      REQUIRE(all == tokenizer.decode(ids, true));
    }
  }
}

TEST_CASE("text stream: a cut character shows at the end only, special tokens never") {
  const text::Tokenizer tokenizer = made_tokenizer(true);
  TextStream stream(tokenizer, StopFinder::make({}).value());
  CHECK(stream.push('a') == "a");
  CHECK(stream.push(*tokenizer.id_of("<|a|>")) == "");
  CHECK(stream.push(0xe5) == "");
  CHECK(stream.push(0xad) == "");
  CHECK(stream.finish() == "\ufffd");
}

TEST_CASE(
    "text stream: special tokens that are asked for are printed, between what is beside them") {
  const text::Tokenizer tokenizer = made_tokenizer(true);
  TextStream stream(tokenizer, StopFinder::make({"b|>x"}).value(), {*tokenizer.id_of("<|b|>")});
  CHECK(stream.push('y') == "y");
  CHECK(stream.push(0xe5) == "");
  CHECK(stream.push(*tokenizer.id_of("<|a|>")) == "");
  CHECK(stream.push(*tokenizer.id_of("<|b|>")) == "\ufffd<|");
  CHECK(stream.push('z') == "b|>z");
  CHECK(stream.push(*tokenizer.id_of("<|b|>")) == "<|");
  CHECK(stream.push('x') == "");
  CHECK(stream.stopped());
}

TEST_CASE("text stream: a character is whole however many tokens stand before its last byte") {
  for (const bool byte_level : {true, false}) {
    CAPTURE(byte_level);
    const text::Tokenizer tokenizer = made_tokenizer(byte_level);
    const std::uint32_t special = *tokenizer.id_of("<|a|>");
    for (std::size_t count = 0; count < 20; ++count) {
      TextStream stream(tokenizer, StopFinder::make({}).value());
      std::string all = stream.push('x');
      for (std::size_t i = 0; i < count; ++i) all += stream.push(special);
      for (const auto id : bytes_as_ids("字")) {
        all += stream.push(id);
        for (std::size_t i = 0; i < count; ++i) all += stream.push(special);
      }
      CHECK(all == "x字");
      CHECK(stream.finish() == "");
    }
  }
}

TEST_CASE("text stream: bytes that are no characters hide none of those behind them") {
  const text::Tokenizer tokenizer = made_tokenizer(true);
  for (std::size_t count = 1; count < 400; count += count < 30 ? 1 : 37) {
    CAPTURE(count);
    std::vector<std::uint32_t> ids(count, 0x80);
    for (const auto id : bytes_as_ids("🌧字a")) ids.push_back(id);
    TextStream stream(tokenizer, StopFinder::make({}).value());
    std::string all;
    std::size_t longest_wait = 0;
    std::size_t fed = 0;
    for (const auto id : ids) {
      all += stream.push(id);
      if (++fed <= count) longest_wait = std::max(longest_wait, 3 * fed - all.size());
    }
    all += stream.finish();
    CHECK(all == tokenizer.decode(ids, true));
    CHECK(longest_wait <= 24);  // eight of U+FFFD
  }
}

TEST_CASE("text stream: tokens that end inside characters give the whole ones") {
  // Each token ends one character and begins the next.
  Json vocabulary = Json::object();
  const auto spell = [](std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      const bool plain = (byte > 160 && byte != 173);
      append_utf8(out, plain ? byte : byte == 173 ? 323 : 256 + 33 + (byte - 127));
    }
    return out;
  };
  vocabulary.set(spell("\xe5"), 0);
  vocabulary.set(spell("\xad\x97\xe5"), 1);
  vocabulary.set(spell("\xad\x97"), 2);
  const Json file = Json::object(
      {{"decoder", Json::object({{"type", "ByteLevel"}})},
       {"pre_tokenizer",
        Json::object({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}})},
       {"model",
        Json::object({{"type", "BPE"}, {"vocab", vocabulary}, {"merges", Json::array()}})}});
  const auto tokenizer = text::Tokenizer::parse(file.dump());
  REQUIRE(tokenizer.ok());
  TextStream stream(*tokenizer, StopFinder::make({}).value());
  CHECK(stream.push(0) == "");
  for (int i = 0; i < 300; ++i) CHECK(stream.push(1) == "字");
  CHECK(stream.push(2) == "字");
  CHECK(stream.finish() == "");
}

TEST_CASE("text stream: stop strings end the text across tokens, and are dropped") {
  const text::Tokenizer tokenizer = made_tokenizer(true);
  TextStream stream(tokenizer, StopFinder::make({"STOP", "\n\n"}).value());
  std::string all;
  for (const auto id : bytes_as_ids("one ST")) all += stream.push(id);
  CHECK(all == "one ");
  CHECK(stream.push('x') == "STx");
  CHECK(stream.push('\n') == "");
  CHECK(stream.push('S') == "\n");
  CHECK_FALSE(stream.stopped());
  for (const auto id : bytes_as_ids("TOP and")) CHECK(stream.push(id) == "");
  CHECK(stream.stopped());
  CHECK(stream.finish() == "");
}

TEST_CASE("text stream: what was held back comes at the end; the first of two stops counts") {
  StopFinder finder = StopFinder::make({"abcd", "bc"}).value();
  CHECK(finder.push("xab") == "x");
  CHECK(finder.finish() == "ab");
  StopFinder other = StopFinder::make({"abcd", "bc"}).value();
  CHECK(other.push("abcd") == "a");
  CHECK(other.found());
  StopFinder overlap = StopFinder::make({"aab"}).value();
  CHECK(overlap.push("aaa") == "a");
  CHECK(overlap.push("b") == "");
  CHECK(overlap.found());
  CHECK_FALSE(StopFinder::make({""}).ok());
  CHECK_FALSE(StopFinder::make({std::string(257, 'a')}).ok());
  CHECK_FALSE(StopFinder::make(std::vector<std::string>(17, "a")).ok());
}

TEST_CASE("prompt tokens: only the template's special tokens count") {
  const text::Tokenizer tokenizer = made_tokenizer(true);
  const std::uint32_t a = *tokenizer.id_of("<|a|>");
  const std::uint32_t b = *tokenizer.id_of("<|b|>");
  const auto ids = [&](const std::vector<PromptSpan>& spans) {
    return prompt_tokens(tokenizer, spans, os::Deadline::never()).value();
  };
  std::vector<std::uint32_t> expected = {a};
  for (const auto id : bytes_as_ids("<|b|><|a|>x")) expected.push_back(id);
  expected.push_back(b);
  CHECK(ids({{"<|a|>", true}, {"<|b|><|a|>x", false}, {"<|b|>", true}}) == expected);
  // Spelt by both together: by neither.
  CHECK(ids({{"<|a", true}, {"|>", false}}) == bytes_as_ids("<|a|>"));
  CHECK(ids({{"<", false}, {"|a|>", true}}) == bytes_as_ids("<|a|>"));
  // A token that the user begins does not hide the template's own.
  CHECK(ids({{"<", false}, {"|b|", true}}) ==
        std::vector<std::uint32_t>{'<', *tokenizer.id_of("|b|")});
  CHECK(ids({{"<|b", false}, {"|><|a|>", true}}).back() == a);
  CHECK(ids({}).empty());
}

}  // namespace cairn::inference::text_stream_test
