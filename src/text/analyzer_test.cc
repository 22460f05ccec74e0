// SPDX-License-Identifier: Apache-2.0
#include "text/analyzer.h"

#include <doctest/doctest.h>
#include <unicode/ubrk.h>
#include <unicode/ustring.h>

#include <random>
#include <string>

#include "format/json.h"
#include "text/words.h"

namespace cairn::text {
namespace {

using namespace std::string_literals;
using Words = std::vector<std::string>;

Words words(std::string_view analyzer, std::string_view text) {
  const auto found = named_analyzer(analyzer);
  REQUIRE(found != nullptr);
  return terms_of(*found, text);
}

TEST_CASE("standard: words, numbers and what joins them") {
  CHECK(words("standard", "The 2 QUICK Brown-Foxes jumped over the lazy dog's bone.") ==
        Words{"the", "2", "quick", "brown", "foxes", "jumped", "over", "the", "lazy", "dog's",
              "bone"});
  CHECK(words("standard", "3.14 1,000 a.b a_b __x __ can't 'quoted' x: y. 10:30 foo:bar") ==
        Words{"3.14", "1,000", "a.b", "a_b", "__x", "can't", "quoted", "x", "y", "10", "30",
              "foo:bar"});
  CHECK(words("standard", "").empty());
  CHECK(words("standard", " .,;!? ").empty());
}

TEST_CASE("standard: other scripts") {
  CHECK(words("standard", "ÜBER Straße naïve été") == Words{"über", "straße", "naïve", "été"});
  CHECK(words("standard", "Ελλάδα Москва") == Words{"ελλάδα", "москва"});
  CHECK(words("standard", "我们 test") == Words{"我", "们", "test"});
  CHECK(words("standard", "ひらカタカナ") == Words{"ひ", "ら", "カタカナ"});
  CHECK(words("standard", "안녕하세요 세계") == Words{"안녕하세요", "세계"});
  CHECK(words("standard", "e\u0301te\u0301 abc") == Words{"e\u0301te\u0301", "abc"});
  CHECK(words("standard", "a\u00ADb") == Words{"a\u00ADb"});
  CHECK(words("standard", "it\u2019s") == Words{"it\u2019s"});
  CHECK(words("standard", "ไทยแลนด์ x") == Words{"ไทยแลนด์", "x"});
  CHECK(words("standard", "I \U0001F600 you \u2764\uFE0F \U0001F1E9\U0001F1EA") ==
        Words{"i", "\U0001F600", "you", "\u2764\uFE0F", "\U0001F1E9\U0001F1EA"});
  CHECK(words("standard", "צה\"ל") == Words{"צה\"ל"});
}

TEST_CASE("standard: offsets, positions and types") {
  Tokens tokens;
  named_analyzer("standard")->analyze("Ab é 42", tokens);
  REQUIRE(tokens.list.size() == 3);
  CHECK(tokens.list[0].start == 0);
  CHECK(tokens.list[0].end == 2);
  CHECK(tokens.list[1].start == 3);
  CHECK(tokens.list[1].end == 5);
  CHECK(tokens.list[2].position == 2);
  CHECK(name_of(tokens.list[2].type) == "<NUM>");
  CHECK(name_of(tokens.list[1].type) == "<ALPHANUM>");
  CHECK(tokens.positions == 3);
}

TEST_CASE("standard: words of more than 255 characters are cut") {
  const auto out = words("standard", std::string(600, 'x') + " " + std::string(255, 'y'));
  REQUIRE(out.size() == 4);
  CHECK(out[0].size() == 255);
  CHECK(out[2].size() == 90);
  CHECK(out[3].size() == 255);
}

// Oracle: ICU's own word breaks, on alphabets where its tailoring and ours agree (ICU's rules for
// the colon differ).
TEST_CASE("standard: equals ICU's word boundaries on random text") {
  const std::u16string alphabet = u"ab1_ .,;'-\u00e9\u0301\u03b1\u05d0\"\u2019\u00ad\n";
  UErrorCode fault = U_ZERO_ERROR;
  UBreakIterator* icu = ubrk_open(UBRK_WORD, "en", nullptr, 0, &fault);
  REQUIRE(U_SUCCESS(fault));
  const unsigned seed = 7;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20'000; ++round) {
    std::u16string text;
    for (std::size_t n = random() % 12; n > 0; --n) text += alphabet[random() % alphabet.size()];
    std::string utf8(text.size() * 3 + 1, '\0');
    std::int32_t size = 0;
    fault = U_ZERO_ERROR;
    u_strToUTF8(utf8.data(), static_cast<std::int32_t>(utf8.size()), &size, text.data(),
                static_cast<std::int32_t>(text.size()), &fault);
    REQUIRE(U_SUCCESS(fault));
    utf8.resize(static_cast<std::size_t>(size));
    ubrk_setText(icu, text.data(), static_cast<std::int32_t>(text.size()), &fault);
    Words expected;
    std::int32_t start = ubrk_first(icu);
    for (std::int32_t end = ubrk_next(icu); end != UBRK_DONE; start = end, end = ubrk_next(icu)) {
      bool wordlike = false;
      for (std::int32_t i = start; i < end; ++i)
        wordlike |= u"ab1\u00e9\u03b1\u05d0"s.find(text[static_cast<std::size_t>(i)]) !=
                    std::u16string::npos;
      if (!wordlike) continue;
      std::string word(static_cast<std::size_t>(end - start) * 3 + 1, '\0');
      u_strToUTF8(word.data(), static_cast<std::int32_t>(word.size()), &size, text.data() + start,
                  end - start, &fault);
      word.resize(static_cast<std::size_t>(size));
      expected.push_back(word);
    }
    CAPTURE(utf8);
    REQUIRE(words("standard", utf8) == expected);
  }
  ubrk_close(icu);
}

TEST_CASE("other analyzers: split and filter as their names say") {
  CHECK(words("simple", "Dog's 2 EARS") == Words{"dog", "s", "ears"});
  CHECK(words("whitespace", "Dog's  2\tEARS\n") == Words{"Dog's", "2", "EARS"});
  CHECK(words("keyword", "New York") == Words{"New York"});
  CHECK(words("stop", "The fox and the dog") == Words{"fox", "dog"});
  CHECK(words("english", "The Foxes' running dogs weren't the dog's") ==
        Words{"fox", "run", "dog", "weren't", "dog"});
  CHECK(words("german", "Die Häuser und die Katzen") == Words{"haus", "katz"});
  CHECK(words("french", "l'avion et les maisons") == Words{"avion", "maison"});
  CHECK(words("spanish", "las casas de los perros") == Words{"cas", "perr"});
  CHECK(words("cjk", "我们好 test") == Words{"我们", "们好", "test"});
  CHECK(named_analyzer("nosuch") == nullptr);
}

TEST_CASE("english: stop words leave gaps in the positions") {
  Tokens tokens;
  named_analyzer("english")->analyze("fox of the wood", tokens);
  REQUIRE(tokens.list.size() == 2);
  CHECK(tokens.list[1].position == 3);
  CHECK(tokens.positions == 4);
}

TEST_CASE("every named analyzer: survives any bytes") {
  std::mt19937 random(3);
  for (const auto& name : analyzer_names()) {
    const auto analyzer = named_analyzer(name);
    for (int round = 0; round < 50; ++round) {
      std::string text;
      for (std::size_t n = random() % 64; n > 0; --n) text += static_cast<char>(random() % 256);
      Tokens tokens;
      analyzer->analyze(text, tokens);
      for (const Token& token : tokens.list) {
        CHECK(token.end <= text.size());
        CHECK(token.start <= token.end);
        CHECK(token.position < tokens.positions);
      }
    }
  }
}

TEST_CASE("settings: a custom analyzer is put together from its pieces") {
  const auto json = parse_json(R"({
    "analyzer": {"a": {"type": "custom", "tokenizer": "standard", "char_filter": ["html_strip"],
                       "filter": ["lowercase", "asciifolding", "my_stop"]},
                 "e": {"tokenizer": "keyword", "filter": ["front"]}},
    "filter": {"my_stop": {"type": "stop", "stopwords": ["foo"]},
               "front": {"type": "edge_ngram", "min_gram": 1, "max_gram": 3}},
    "normalizer": {"n": {"type": "custom", "filter": ["lowercase", "asciifolding"]}}})");
  REQUIRE(json.ok());
  const auto analyzers = Analyzers::parse(*json);
  REQUIRE(analyzers.ok());
  CHECK(terms_of(*analyzers->find("a"), "<b>Été</b> foo &amp; B&#228;r") == Words{"ete", "bar"});
  CHECK(terms_of(*analyzers->find("e"), "quick") == Words{"q", "qu", "qui"});
  CHECK(terms_of(*analyzers->normalizer("n"), "ÀB c") == Words{"ab c"});
  CHECK(terms_of(*analyzers->normalizer("lowercase"), "ÀB c") == Words{"àb c"});
  CHECK(analyzers->find("standard") != nullptr);
  CHECK(analyzers->find("b") == nullptr);

  Tokens tokens;
  analyzers->find("a")->analyze("<p>one</p> two", tokens);
  REQUIRE(tokens.list.size() == 2);
  CHECK(tokens.list[0].start == 3);
  CHECK(tokens.list[0].end == 6);
  CHECK(tokens.list[1].start == 11);
}

TEST_CASE("settings: ends behind what was filtered out stand where the field's engine has them") {
  const auto offsets = [](const char* filter, const char* text) {
    const auto parsed = Analyzers::parse(*parse_json(
        R"({"char_filter":{"m":{"type":"mapping","mappings":["ph => f"]}},
            "analyzer":{"a":{"type":"custom","tokenizer":"standard","char_filter":[")" +
        std::string(filter) + R"("]}}})"));
    REQUIRE(parsed.ok());
    Tokens tokens;
    parsed->find("a")->analyze(text, tokens);
    std::string out;
    for (const Token& token : tokens.list)
      out += std::to_string(token.start) + "-" + std::to_string(token.end) + " ";
    return out;
  };
  CHECK(offsets("html_strip", "<b>foo</b> bar") == "3-10 11-14 ");
  CHECK(offsets("html_strip", "foo &amp; bar") == "0-3 10-13 ");
  CHECK(offsets("m", "graph graph phone") == "0-5 6-11 12-17 ");
}

TEST_CASE("settings: html_strip takes what opens and never closes as it stands, in linear time") {
  const auto parsed =
      Analyzers::parse(*parse_json(R"({"analyzer":{"a":{"type":"custom","tokenizer":"keyword",
                      "char_filter":["html_strip"]}}})"));
  REQUIRE(parsed.ok());
  const auto a = parsed->find("a");
  CHECK(terms_of(*a, "a <b>c</b> d") == Words{"a c d"});
  CHECK(terms_of(*a, "a < b, c <\" <b>d") == Words{"a < b, c <\" d"});
  CHECK(terms_of(*a, "1 &lt; 2 &amp 3 &nosuch; &#233;") == Words{"1 < 2 &amp 3 &nosuch; \u00e9"});
  CHECK(terms_of(*a, "a <!-- b <!-- c") == Words{"a <!-- b <!-- c"});
  CHECK(terms_of(*a, "a <!-- b --> c") == Words{"a \n c"});
  for (const char* piece : {"<", "<'", "<'<\"", "<!--", "&"}) {
    std::string text;
    while (text.size() < 20'000) text += piece;
    const os::Deadline forever = os::Deadline::never();
    const std::uint64_t before = os::Steps::total();
    {
      os::Steps steps(forever);
      Tokens tokens;
      tokens.steps = &steps;
      a->analyze(text, tokens);
      CHECK_MESSAGE(tokens.term(tokens.list.at(0)) == text, piece);
    }
    CHECK(os::Steps::total() - before < 10 * text.size());
  }
}

TEST_CASE("settings: the longest rule of a mapping wins, and none is longer than it may be") {
  const auto with = [](const std::string& rules) {
    return Analyzers::parse(*parse_json(
        R"({"analyzer":{"a":{"type":"custom","tokenizer":"keyword","char_filter":["m"]}},
            "char_filter":{"m":{"type":"mapping","mappings":[)" +
        rules + "]}}}"));
  };
  const auto parsed = with(R"("a => 1","aa => 2","aa => 3","aaaa => 4")");
  REQUIRE(parsed.ok());
  CHECK(terms_of(*parsed->find("a"), "aaaaaaab") == Words{"421b"});
  CHECK_FALSE(with("\"" + std::string(257, 'a') + " => b\"").ok());
}

TEST_CASE("settings: shingles of sizes far apart are refused") {
  const auto with = [](const std::string& sizes) {
    return Analyzers::parse(*parse_json(R"({"filter":{"f":{"type":"shingle",)" + sizes + R"(}},
        "analyzer":{"a":{"type":"custom","tokenizer":"standard","filter":["f"]}}})"))
        .ok();
  };
  CHECK(with(R"("min_shingle_size":2,"max_shingle_size":4)"));
  CHECK_FALSE(with(R"("min_shingle_size":2,"max_shingle_size":5)"));
  CHECK(with(R"("min_shingle_size":2,"max_shingle_size":5,"output_unigrams":false)"));
  CHECK_FALSE(with(R"("min_shingle_size":1,"max_shingle_size":2)"));
  CHECK_FALSE(with(R"("min_shingle_size":100000,"max_shingle_size":100000)"));
}

TEST_CASE("tokens: an analysis ends where its caller says") {
  Tokens tokens;
  tokens.most = 3;
  named_analyzer("english")->analyze("one two three four five six seven eight", tokens);
  CHECK(tokens.cut);
  std::stop_source caller;
  caller.request_stop();
  const os::Deadline gone = os::Deadline::never(caller.get_token());
  for (const std::string& name : analyzer_names()) {
    if (name == "keyword") continue;  // one token, one step
    os::Steps steps(gone);
    Tokens cut;
    cut.steps = &steps;
    std::string words;
    for (int i = 0; i < 20'000; ++i) words += "word ";
    named_analyzer(name)->analyze(words, cut);
    CHECK_MESSAGE(cut.cut, name);
    CHECK_MESSAGE(cut.list.size() <= 4096, name);
  }
}

TEST_CASE("settings: what is unknown is an error that names it") {
  for (const char* text :
       {R"({"analyzer": {"a": {"tokenizer": "nosuch"}}})", R"({"analyzer": {"a": {"type": "x"}}})",
        R"({"analyzer": {"a": {"tokenizer": "standard", "filter": ["nosuch"]}}})",
        R"({"analyser": {}})", R"({"analyzer": {"a": {}}})"}) {
    const auto json = parse_json(text);
    REQUIRE(json.ok());
    const auto analyzers = Analyzers::parse(*json);
    REQUIRE(!analyzers.ok());
    CHECK(analyzers.error().code == "illegal_argument_exception");
  }
}

}  // namespace
}  // namespace cairn::text
