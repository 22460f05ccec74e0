// SPDX-License-Identifier: Apache-2.0
// Special tokens around texts, added tokens in them, truncation, pairs, decoding, other files.
#include "text/tokenizer/post_processor.h"

#include <doctest/doctest.h>

#include "text/tokenizer/tokenizer_fixture.h"

namespace cairn::text::tokenizer::post_processor_test {
namespace {

using namespace fixture;

constexpr std::string_view words_model =
    R"("pre_tokenizer":{"type":"WhitespaceSplit"},"model":{"type":"WordPiece","unk_token":"?",)"
    R"("vocab":{"?":0,"[CLS]":1,"[SEP]":2,"a":3,"b":4,"c":5,"d":6,"e":7}})";

std::string file(const std::string& more) { return "{" + more + std::string(words_model) + "}"; }

constexpr std::string_view templates =
    R"("post_processor":{"type":"TemplateProcessing",
      "single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},
                {"SpecialToken":{"id":"[SEP]","type_id":0}}],
      "pair":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},
              {"SpecialToken":{"id":"[SEP]","type_id":0}},{"Sequence":{"id":"B","type_id":1}},
              {"SpecialToken":{"id":"[SEP]","type_id":1}}],
      "special_tokens":{"[CLS]":{"id":"[CLS]","ids":[1],"tokens":["[CLS]"]},
                        "[SEP]":{"id":"[SEP]","ids":[2],"tokens":["[SEP]"]}}},)";

Encoding pair(const Tokenizer& made, std::string_view first, std::string_view second,
              EncodeOptions options = {}) {
  Encoding out;
  options.with_ranges = true;
  REQUIRE(made.encode_pair(first, second, options, os::Deadline::never(), out).ok());
  return out;
}

using Ids = std::vector<std::uint32_t>;

TEST_CASE("tokenizer: templates put special tokens around one text or two") {
  const Tokenizer made = parsed(file(std::string(templates)));
  CHECK(shown(made, "a b") == "[CLS](0-0) a(0-1) b(2-3) [SEP](0-0)");
  CHECK(shown(made, "a", {.add_special_tokens = false}) == "a(0-1)");
  const Encoding both = pair(made, "a b", "c");
  CHECK(both.ids == Ids{1, 3, 4, 2, 5, 2});
  CHECK(both.type_ids == Ids{0, 0, 0, 0, 1, 1});
  CHECK(both.text_of == std::vector<std::uint8_t>{2, 0, 0, 2, 1, 2});
  CHECK(both.ranges[4] == TokenRange{0, 1});
  const Tokenizer roberta = parsed(
      file(R"("post_processor":{"type":"RobertaProcessing","cls":["<s>",1],"sep":["</s>",2]},)"));
  CHECK(pair(roberta, "a", "b").ids == Ids{1, 3, 2, 2, 4, 2});
  CHECK(pair(roberta, "a", "b").type_ids == Ids{0, 0, 0, 0, 0, 0});
  const Tokenizer bert = parsed(
      file(R"("post_processor":{"type":"BertProcessing","cls":["[CLS]",1],"sep":["[SEP]",2]},)"));
  CHECK(pair(bert, "a", "b").ids == Ids{1, 3, 2, 4, 2});
  CHECK(pair(bert, "a", "b").type_ids == Ids{0, 0, 0, 1, 1});
  CHECK(pair(parsed(file("")), "a", "b").type_ids == Ids{0, 1});
}

TEST_CASE("tokenizer: truncation leaves room for special tokens") {
  const Tokenizer made = parsed(file(std::string(templates)));
  using Strategy = Truncation::Strategy;
  const auto ids = [&](Truncation how) {
    return pair(made, "a b c d e", "e d c", {.truncation = how}).ids;
  };
  CHECK(ids({.max_tokens = 20}) == Ids{1, 3, 4, 5, 6, 7, 2, 7, 6, 5, 2});
  CHECK(ids({.max_tokens = 9}) == Ids{1, 3, 4, 5, 2, 7, 6, 5, 2});
  CHECK(ids({.max_tokens = 7}) == Ids{1, 3, 4, 2, 7, 6, 2});
  CHECK(ids({.max_tokens = 9, .from_left = true}) == Ids{1, 5, 6, 7, 2, 7, 6, 5, 2});
  CHECK(ids({.max_tokens = 9, .strategy = Strategy::only_second}) ==
        Ids{1, 3, 4, 5, 6, 7, 2, 7, 2});
  CHECK(ids({.max_tokens = 7, .strategy = Strategy::only_first}) == Ids{1, 3, 2, 7, 6, 5, 2});
  CHECK(ids({.max_tokens = 2}) == Ids{1, 2, 2});
  Encoding out;
  CHECK_FALSE(made.encode_pair("a b c d e", "e",
                               {.truncation =
                                    Truncation{.max_tokens = 6, .strategy = Strategy::only_second}},
                               os::Deadline::never(), out)
                  .ok());
  REQUIRE(
      made.encode("a b c", {.truncation = Truncation{.max_tokens = 4}}, os::Deadline::never(), out)
          .ok());
  CHECK(out.ids == Ids{1, 3, 4, 2});
  CHECK(out.is_truncated);
  REQUIRE(
      made.encode("a b", {.truncation = Truncation{.max_tokens = 4}}, os::Deadline::never(), out)
          .ok());
  CHECK_FALSE(out.is_truncated);
  const Tokenizer by_file =
      parsed(file(std::string(templates) + R"("truncation":{"max_length":3},)"));
  CHECK(shown(by_file, "a b c") == "[CLS](0-0) a(0-1) [SEP](0-0)");
}

TEST_CASE("tokenizer: added tokens are found before words are") {
  const auto with = [](const std::string& flags) {
    return parsed(
        file(R"("normalizer":{"type":"Lowercase"},"added_tokens":[{"id":8,"content":"X Y")" +
             flags + "}],"));
  };
  CHECK(shown(with(R"(,"normalized":false)"), "aX Y b") == "a(0-1) X Y(1-4) b(5-6)");
  CHECK(shown(with(R"(,"normalized":false)"), "ax y b") == "?(0-2) ?(3-4) b(5-6)");
  CHECK(shown(with(R"(,"normalized":true)"), "ax y b") == "a(0-1) X Y(1-4) b(5-6)");
  CHECK(shown(with(R"(,"normalized":false,"single_word":true)"), "aX Y X Y.") ==
        "?(0-2) ?(3-4) X Y(5-8) ?(8-9)");
  CHECK(shown(with(R"(,"normalized":false,"lstrip":true,"rstrip":true)"), "a  X Y  b") ==
        "a(0-1) X Y(1-8) b(8-9)");
  const Tokenizer special = with(R"(,"normalized":false,"special":true)");
  CHECK(shown(special, "X Y", {.match_special_tokens = false}) == "?(0-1) ?(2-3)");
  CHECK(special.vocabulary_size() == 9);
  CHECK(special.id_of("X Y") == 8);
  CHECK(special.is_special(8));
  CHECK(special.decode(Ids{3, 8, 4}, true) == "a b");
  CHECK(special.decode(Ids{3, 8, 4}, false) == "a X Y b");
}

TEST_CASE("tokenizer: decoders") {
  const auto decoded = [](std::string_view decoder, const Strings& tokens) {
    std::string vocab = R"("?":0)";
    Ids ids;
    for (const std::string& token : tokens) {
      ids.push_back(static_cast<std::uint32_t>(ids.size() + 1));
      vocab += ",\"" + token + "\":" + std::to_string(ids.back());
    }
    return parsed(R"({"decoder":)" + std::string(decoder) +
                  R"(,"model":{"type":"WordPiece","unk_token":"?","vocab":{)" + vocab + "}}}")
        .decode(ids, false);
  };
  CHECK(decoded("null", {"a", "b"}) == "a b");
  CHECK(decoded(R"({"type":"WordPiece"})", {"do", "##g", "n't", "!"}) == "dogn't!");
  CHECK(decoded(R"({"type":"WordPiece","cleanup":false})", {"do", "!"}) == "do !");
  CHECK(decoded(R"({"type":"Metaspace"})", {"▁a", "b", "▁c"}) == "ab c");
  CHECK(decoded(R"({"type":"Metaspace","prepend_scheme":"never"})", {"▁a", "▁c"}) == " a c");
  CHECK(decoded(R"({"type":"ByteLevel"})", {"Ġa", "Ã", "©"}) == " aé");
  CHECK(decoded(R"({"type":"ByteLevel"})", {"Ã", "a"}) == "\ufffda");
  CHECK(decoded(R"({"type":"ByteFallback"})", {"<0xC3>", "<0xA9>", "x", "<0xFF>"}) == "éx\ufffd");
  CHECK(decoded(
            R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},)"
            R"("content":" "},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]})",
            {"▁a", "▁b"}) == "a b");
  CHECK(decoded(R"({"type":"Replace","pattern":{"Regex":"[ab]+"},"content":"-"})", {"xab", "b"}) ==
        "x--");
  CHECK(decoded(R"({"type":"Strip","content":"_","start":1,"stop":2})", {"__a___", "b"}) == "_a_b");
}

TEST_CASE("tokenizer: vocab.txt alone is a BERT tokenizer, and the files beside it count") {
  const std::string vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhe\n##llo\n\xc3\x84\n";
  const auto plain = Tokenizer::load({.vocab_txt = vocab});
  REQUIRE(plain.ok());
  CHECK(shown(*plain, "HEllo") == "[CLS](0-0) he(0-2) ##llo(2-5) [SEP](0-0)");
  CHECK(plain->decode(Ids{2, 4, 5, 3}, true) == "hello");
  const auto cased = Tokenizer::load(
      {.tokenizer_config = R"({"do_lower_case":false,"model_max_length":512,"pad_token":"[PAD]"})",
       .special_tokens_map = R"({"cls_token":{"content":"[CLS]"},"sep_token":"[SEP]"})",
       .vocab_txt = vocab});
  REQUIRE(cased.ok());
  CHECK(shown(*cased, "Ä HE") == "[CLS](0-0) Ä(0-2) [UNK](3-5) [SEP](0-0)");
  CHECK(cased->facts().max_length == 512);
  CHECK(cased->facts().pad == 0);
  CHECK(cased->facts().cls == 2);
  CHECK(cased->facts().sep == 3);
  CHECK(cased->facts().unknown == 1);
  CHECK_FALSE(cased->facts().mask.has_value());
  CHECK_FALSE(Tokenizer::load({}).ok());
  CHECK_FALSE(Tokenizer::load({.vocab_txt = "a\n"}).ok());
  CHECK_FALSE(Tokenizer::load({.tokenizer_config = "[]", .vocab_txt = vocab}).ok());
  CHECK_FALSE(
      Tokenizer::load({.tokenizer_config = R"({"model_max_length":-1})", .vocab_txt = vocab}).ok());
  const auto huge =
      Tokenizer::load({.tokenizer_config = R"({"model_max_length":1e30})", .vocab_txt = vocab});
  REQUIRE(huge.ok());
  CHECK_FALSE(huge->facts().max_length.has_value());
}

TEST_CASE("tokenizer: byte-level ranges leave out spaces") {
  const std::string model =
      R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true},"model":{"type":"BPE",)"
      R"("vocab":{"Ġ":0,"a":1,"Ġa":2,"ĠĠ":3},"merges":["Ġ a","Ġ Ġ"]}})";
  const Tokenizer trimmed = parsed(
      R"({"post_processor":{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true},)" +
      model);
  CHECK(shown(trimmed, "a a") == "Ġa(0-1) Ġa(2-3)");
  CHECK(shown(trimmed, "   a") == "ĠĠ(2-2) Ġa(3-4)");
  CHECK(shown(parsed("{" + model), "a a") == "Ġa(0-1) Ġa(1-3)");
}

}  // namespace
}  // namespace cairn::text::tokenizer::post_processor_test
