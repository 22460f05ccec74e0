// SPDX-License-Identifier: Apache-2.0
// Chunking: settings with their messages, each strategy by example, and properties on random text.
#include "text/chunker.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "text/regex.h"

namespace cairn::text::chunker_test {
namespace {

Json json(std::string_view text) {
  auto parsed = parse_json(text);
  REQUIRE(parsed.ok());
  return std::move(parsed).value();
}

std::string fault_of(std::string_view settings) {
  const auto parsed = parse_chunking_settings(json(settings));
  if (parsed.ok()) return "(accepted)";
  CHECK(parsed.error().kind == ErrorKind::invalid_argument);
  return parsed.error().code + "|" + parsed.error().message;
}

std::vector<std::string> pieces(std::string_view input, const ChunkingSettings& settings) {
  const auto chunks = chunk(input, settings);
  REQUIRE(chunks.ok());
  std::vector<std::string> out;
  for (const Chunk c : *chunks) out.emplace_back(input.substr(c.begin, c.end - c.begin));
  return out;
}

/// "w0 w1 … w(n-1)"
std::string numbered_words(int from, int to) {
  std::string out;
  for (int i = from; i < to; ++i) out += (i == from ? "w" : " w") + std::to_string(i);
  return out;
}

using Strings = std::vector<std::string>;

TEST_CASE("chunking settings: absent and empty give the default") {
  for (const auto* text : {"null", "{}"}) {
    const auto parsed = parse_chunking_settings(json(text));
    REQUIRE(parsed.ok());
    CHECK(to_json(*parsed).dump() ==
          R"({"strategy":"sentence","max_chunk_size":250,"sentence_overlap":1})");
  }
}

TEST_CASE("chunking settings: what is accepted reads back as it is shown") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"strategy":"none"})", R"({"strategy":"none"})"},
      {R"({"strategy":"SENTENCE","max_chunk_size":20})",
       R"({"strategy":"sentence","max_chunk_size":20,"sentence_overlap":1})"},
      {R"({"strategy":"sentence","max_chunk_size":5000,"sentence_overlap":0})",
       R"({"strategy":"sentence","max_chunk_size":5000,"sentence_overlap":0})"},
      {R"({"strategy":"word","max_chunk_size":250,"overlap":125})",
       R"({"strategy":"word","max_chunk_size":250,"overlap":125})"},
      {R"({"strategy":"recursive","max_chunk_size":10})",
       R"j({"strategy":"recursive","max_chunk_size":10,"separators":["(?<!\\n)\\n\\n(?!\\n)","(?<!\\n)\\n(?!\\n)"]})j"},
      {R"({"strategy":"recursive","max_chunk_size":300,"separators":["--"]})",
       R"({"strategy":"recursive","max_chunk_size":300,"separators":["--"]})"},
  };
  for (const auto& [given, shown] : cases) {
    CAPTURE(given);
    const auto parsed = parse_chunking_settings(json(given));
    REQUIRE(parsed.ok());
    CHECK(to_json(*parsed).dump() == shown);
    const auto again = parse_chunking_settings(to_json(*parsed));
    REQUIRE(again.ok());
    CHECK(*again == *parsed);
  }
  const auto markdown = parse_chunking_settings(
      json(R"({"strategy":"recursive","max_chunk_size":30,"separator_group":"markdown"})"));
  REQUIRE(markdown.ok());
  CHECK(markdown->separators.size() == 8);
}

TEST_CASE("chunking settings: every fault has its message") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"max_chunk_size":20})",
       "illegal_argument_exception|Can't generate Chunker without ChunkingStrategy provided"},
      {R"({"strategy":"pages"})", "illegal_argument_exception|Invalid chunkingStrategy pages"},
      {R"("word")",
       "validation_exception|Validation Failed: 1: field [chunking_settings] is not of the "
       "expected "
       "type. The value [word] cannot be converted to a [Map];"},
      {R"({"strategy":"none","max_chunk_size":5})",
       "validation_exception|Validation Failed: 1: When chunking is disabled (none), settings can "
       "not have the following: [max_chunk_size];"},
      {R"({"strategy":"sentence"})",
       "validation_exception|Validation Failed: 1: [chunking_settings] does not contain the "
       "required setting [max_chunk_size];"},
      {R"({"strategy":"sentence","max_chunk_size":19})",
       "validation_exception|Validation Failed: 1: [chunking_settings] Invalid value [19.0]. "
       "[max_chunk_size] must be greater than or equal to [20.0];"},
      {R"({"strategy":"sentence","max_chunk_size":-4})",
       "validation_exception|Validation Failed: 1: [chunking_settings] Invalid value [-4]. "
       "[max_chunk_size] must be a positive integer;"},
      {R"({"strategy":"sentence","max_chunk_size":20.5})",
       "validation_exception|Validation Failed: 1: field [max_chunk_size] is not of the expected "
       "type. The value [20.5] cannot be converted to a [Integer];"},
      {R"({"strategy":"sentence","max_chunk_size":30,"sentence_overlap":2})",
       "validation_exception|Validation Failed: 1: sentence_overlap[2] must be either 0 or 1;"},
      {R"({"strategy":"sentence","overlap":3,"sentence_overlap":-1})",
       "validation_exception|Validation Failed: 1: Sentence based chunking settings can not have "
       "the following settings: [overlap];2: [chunking_settings] does not contain the required "
       "setting [max_chunk_size];3: sentence_overlap[-1] must be either 0 or 1;"},
      {R"({"strategy":"word","max_chunk_size":9,"overlap":1})",
       "validation_exception|Validation Failed: 1: [chunking_settings] Invalid value [9.0]. "
       "[max_chunk_size] must be greater than or equal to [10.0];"},
      {R"({"strategy":"word","max_chunk_size":10,"overlap":6,"sentence_overlap":1})",
       "validation_exception|Validation Failed: 1: Word based chunking settings can not have the "
       "following settings: [sentence_overlap];2: [chunking_settings] Invalid value [6.0]. "
       "[overlap] must be less than or equal to [5.0];"},
      {R"({"strategy":"word","max_chunk_size":10,"overlap":0})",
       "validation_exception|Validation Failed: 1: [chunking_settings] Invalid value [0]. "
       "[overlap] must be a positive integer;"},
      {R"({"strategy":"word","max_chunk_size":10})",
       "validation_exception|Validation Failed: 1: [chunking_settings] does not contain the "
       "required setting [overlap];"},
      {R"({"strategy":"recursive","max_chunk_size":301})",
       "validation_exception|Validation Failed: 1: [chunking_settings] Invalid value [301.0]. "
       "[max_chunk_size] must be less than or equal to [300.0];"},
      {R"({"strategy":"recursive","max_chunk_size":30,"separators":[]})",
       "validation_exception|Validation Failed: 1: Recursive chunking settings can not have an "
       "empty list of separators;"},
      {R"({"strategy":"recursive","max_chunk_size":30,"separators":["a"],"separator_group":"plaintext"})",
       "validation_exception|Validation Failed: 1: Recursive chunking settings can not have both "
       "separators and separator_set;"},
      {R"({"strategy":"recursive","max_chunk_size":30,"separator_group":"html"})",
       "validation_exception|Validation Failed: 1: [chunking_settings] Invalid value [html] "
       "received. [separator_group] must be one of [markdown, plaintext];"},
      {R"({"strategy":"recursive","max_chunk_size":30,"separators":["a",7]})",
       "validation_exception|Validation Failed: 1: field [separators] is not of the expected type. "
       "The value [7] cannot be converted to a [String];"},
  };
  for (const auto& [given, fault] : cases) {
    CAPTURE(given);
    CHECK(fault_of(given) == fault);
  }
  CHECK(fault_of(R"({"strategy":"recursive","max_chunk_size":30,"separators":["(a"]})")
            .find("Regular expression [(a] is not valid") != std::string::npos);
}

TEST_CASE("chunker: none keeps the input whole") {
  CHECK(pieces("a b. c", {.strategy = ChunkingStrategy::none}) == Strings{"a b. c"});
}

TEST_CASE("chunker: words, windows share their overlap, spaces begin the next window") {
  const ChunkingSettings settings{
      .strategy = ChunkingStrategy::word, .max_chunk_size = 4, .overlap = 2};
  CHECK(pieces("a, b c d e f g!", settings) == Strings{"a, b c d", " c d e f", " e f g!"});
  const ChunkingSettings apart{
      .strategy = ChunkingStrategy::word, .max_chunk_size = 3, .overlap = 0};
  CHECK(pieces("a b c d e f", apart) == Strings{"a b c", " d e f"});
  CHECK(pieces("a b c d", apart) == Strings{"a b c", " d"});
  CHECK(pieces("", apart).empty());
  CHECK(pieces(" ... ", apart) == Strings{" ... "});
}

TEST_CASE("chunker: sentences are gathered up to the size") {
  const ChunkingSettings apart{.max_chunk_size = 5, .sentence_overlap = 0};
  CHECK(pieces("One two. Three four. Five six.", apart) ==
        Strings{"One two. Three four. ", "Five six."});
  const ChunkingSettings overlapping{.max_chunk_size = 5, .sentence_overlap = 1};
  CHECK(pieces("One two. Three four. Five six.", overlapping) ==
        Strings{"One two. Three four. ", "Three four. Five six."});
  CHECK(pieces("", apart) == Strings{""});
  CHECK(pieces("?! ...", apart) == Strings{"?! ..."});
}

TEST_CASE("chunker: of a long sentence before, only the last words are repeated") {
  const ChunkingSettings settings{.max_chunk_size = 10, .sentence_overlap = 1};
  const std::string text = "A" + numbered_words(0, 8) + ". B" + numbered_words(8, 16) + ".";
  CHECK(pieces(text, settings) == Strings{"A" + numbered_words(0, 8) + ". ",
                                          " w3 w4 w5 w6 w7. B" + numbered_words(8, 13),
                                          " w9 w10 w11 w12 w13 w14 w15."});
}

TEST_CASE("chunker: a sentence over the size is cut by words, its rest stays open") {
  const ChunkingSettings settings{.max_chunk_size = 20, .sentence_overlap = 0};
  const std::string text = "Z" + numbered_words(0, 33) + ". Short one.";
  CHECK(pieces(text, settings) == Strings{"Z" + numbered_words(0, 20), " " + numbered_words(11, 31),
                                          " " + numbered_words(22, 33) + ". Short one."});
}

TEST_CASE("chunker: recursive cuts at the coarsest separator that makes pieces small enough") {
  ChunkingSettings settings{.strategy = ChunkingStrategy::recursive, .max_chunk_size = 10};
  settings.separators =
      parse_chunking_settings(json(R"({"strategy":"recursive","max_chunk_size":10})"))
          .value()
          .separators;
  const std::string first = numbered_words(0, 6);
  const std::string second = numbered_words(6, 9);
  const std::string third = numbered_words(9, 18) + "\n" + numbered_words(18, 22);
  CHECK(pieces(first + "\n\n" + second + "\n\n" + third, settings) ==
        Strings{first + "\n\n" + second, "\n\n" + numbered_words(9, 18),
                "\n" + numbered_words(18, 22)});
  // Nothing to cut at: by sentences.
  CHECK(pieces("One two three four five six. Seven eight nine ten eleven.", settings) ==
        Strings{"One two three four five six. ", "Seven eight nine ten eleven."});
}

TEST_CASE("chunker: markdown is cut at headings") {
  const auto settings = parse_chunking_settings(
      json(R"({"strategy":"recursive","max_chunk_size":10,"separator_group":"markdown"})"));
  REQUIRE(settings.ok());
  const std::string text = "intro words right here\n# One\na b c d e f\n# Two\ng h i j k l\n";
  CHECK(pieces(text, *settings) ==
        Strings{"intro words right here", "\n# One\na b c d e f", "\n# Two\ng h i j k l\n"});
  const std::string setext = numbered_words(0, 8) + "\nTitle\n-----\n" + numbered_words(8, 16);
  CHECK(pieces(setext, *settings) ==
        Strings{numbered_words(0, 8), "\nTitle\n-----\n" + numbered_words(8, 16)});
}

TEST_CASE("chunker: words are those of any script") {
  CHECK(count_words("3 Äpfel kosten 1.50 €, nicht?") == 5);
  CHECK(count_words("") == 0);
  CHECK(count_words(" \t…!") == 0);
  CHECK(count_words("日本語") >= 1);
  CHECK(count_words("\xff\xfe b\xc3") >= 1);  // faulty bytes are no reason to stop
}

TEST_CASE("sentences: together they are the text") {
  const std::string text = "He said: wait! 1.5 m are enough. 終わり。Next\nline";
  std::size_t end = 0;
  std::vector<std::string> all;
  SentenceFinder finder;
  CHECK(finder.find("Another. Text.").size() == 2);  // finds in one after the other
  for (const Chunk& one : finder.find(text)) {
    CHECK(one.begin == end);
    end = one.end;
    all.push_back(text.substr(one.begin, one.end - one.begin));
  }
  CHECK(end == text.size());
  CHECK(all == std::vector<std::string>{"He said: wait! ", "1.5 m are enough. ", "終わり。",
                                        "Next\n", "line"});
  CHECK(finder.find("").empty());
}

TEST_CASE("chunker: a separator that would run for ever is an error") {
  ChunkingSettings settings{.strategy = ChunkingStrategy::recursive, .max_chunk_size = 10};
  settings.separators = {"(a|a)*(a|a)*(a|a)*b"};
  std::string text = numbered_words(0, 20);
  text += std::string(5000, 'a');
  const auto chunks = chunk(text, settings);
  REQUIRE_FALSE(chunks.ok());
  CHECK(chunks.error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("regex: ranges are bytes, lines have a beginning and an end") {
  const auto regex = Regex::compile("^ö.$");
  REQUIRE(regex.ok());
  const auto found = regex->find_all("äöx\nöx\nö\nöü");
  REQUIRE(found.ok());
  CHECK(*found == std::vector<std::pair<std::size_t, std::size_t>>{{6, 9}, {13, 17}});
}

std::string random_prose(std::mt19937& random) {
  static const Strings parts{"word", "Wort", "longer", "x1", "É",    "日", " ", " ", " ",    " ",
                             " ",    ". ",   "! ",     "\n", "\n\n", ", ", "-", "…", "\xff", "# "};
  std::string out;
  const std::size_t count = random() % 300;
  for (std::size_t i = 0; i < count; ++i) out += parts[random() % parts.size()];
  return out;
}

TEST_CASE("chunker: on random text, pieces cover the input in order and keep to the size") {
  constexpr unsigned seed = 77;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 400; ++round) {
    const std::string text = random_prose(random);
    ChunkingSettings settings;
    settings.strategy = static_cast<ChunkingStrategy>(random() % 4);
    settings.max_chunk_size = 10 + static_cast<int>(random() % 30);
    settings.sentence_overlap = static_cast<int>(random() % 2);
    settings.overlap = 1 + static_cast<int>(random() % 5);
    settings.separators = {"\\n\\n", "\\n"};
    CAPTURE(round);
    CAPTURE(text);
    const auto chunks = chunk(text, settings);
    REQUIRE(chunks.ok());
    if (chunks->empty()) {
      CHECK(text.empty());
      continue;
    }
    CHECK(chunks->front().begin == 0);
    for (std::size_t i = 0; i < chunks->size(); ++i) {
      const Chunk piece = (*chunks)[i];
      CHECK(piece.begin <= piece.end);
      if (i > 0) {
        CHECK(piece.begin <= (*chunks)[i - 1].end);
        CHECK(piece.end >= (*chunks)[i - 1].end);
      }
    }
    // What no piece holds is at most an end without words.
    CHECK(count_words(std::string_view(text).substr(chunks->back().end)) == 0);
  }
}

}  // namespace
}  // namespace cairn::text::chunker_test
