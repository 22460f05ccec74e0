// SPDX-License-Identifier: Apache-2.0
// The built-in analyzers.
#include "text/analyzer.h"

#include <algorithm>
#include <array>

#include "text/chain.h"
#include "text/filters.h"
#include "text/stop_words.h"
#include "text/words.h"

namespace cairn::text {
namespace {

constexpr std::string_view french_articles = "l m t qu n s j d c jusqu quoiqu lorsqu puisqu";
constexpr std::string_view italian_articles =
    "c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d";
constexpr std::string_view catalan_articles = "d l m n s t";
constexpr std::string_view irish_articles = "d m b";

struct Language {
  std::string_view name;
  std::string_view stemmer;
  std::string_view articles = {};
};

constexpr std::array languages = {
    Language{"arabic", "arabic"},
    Language{"armenian", "armenian"},
    Language{"basque", "basque"},
    Language{"brazilian", "portuguese"},
    Language{"catalan", "catalan", catalan_articles},
    Language{"danish", "danish"},
    Language{"dutch", "dutch"},
    Language{"finnish", "finnish"},
    Language{"french", "french", french_articles},
    Language{"german", "german"},
    Language{"greek", "greek"},
    Language{"hindi", "hindi"},
    Language{"hungarian", "hungarian"},
    Language{"indonesian", "indonesian"},
    Language{"irish", "irish", irish_articles},
    Language{"italian", "italian", italian_articles},
    Language{"lithuanian", "lithuanian"},
    Language{"norwegian", "norwegian"},
    Language{"portuguese", "portuguese"},
    Language{"romanian", "romanian"},
    Language{"russian", "russian"},
    Language{"serbian", "serbian"},
    Language{"spanish", "spanish"},
    Language{"swedish", "swedish"},
    Language{"turkish", "turkish"},
};

constexpr std::array plain_names = {"standard", "simple",  "whitespace", "keyword",
                                    "stop",     "english", "cjk"};

std::string_view stop_language(std::string_view language) {
  return language == "brazilian" ? "portuguese" : language;
}

void split_lowercase_words(std::string_view text, Tokens& out) {
  split_words(text, {.lowercase = true}, out);
}

std::shared_ptr<const Analyzer> language_analyzer(const Language& language) {
  std::vector<FilterPtr> filters;
  if (!language.articles.empty()) filters.push_back(elision_filter(language.articles));
  if (const auto words = stop_words(stop_language(language.name)); !words.empty())
    filters.push_back(stop_filter(words));
  filters.push_back(stem_filter(language.stemmer));
  return make_chain({}, split_lowercase_words, std::move(filters));
}

std::shared_ptr<const Analyzer> plain_analyzer(std::string_view name) {
  const FilterPtr english_stop = stop_filter(stop_words("english"));
  const Splitter letters = [](std::string_view text, Tokens& out) {
    split_letters(text, {.lowercase = true}, out);
  };
  if (name == "standard") return make_chain({}, split_lowercase_words, {});
  if (name == "simple") return make_chain({}, letters, {});
  if (name == "stop") return make_chain({}, letters, {english_stop});
  if (name == "whitespace")
    return make_chain(
        {}, [](std::string_view text, Tokens& out) { split_whitespace(text, {}, out); }, {});
  if (name == "keyword") return make_chain({}, split_nothing, {});
  if (name == "english")
    return make_chain({}, split_lowercase_words,
                      {possessive_filter(), english_stop, stem_filter("porter")});
  if (name == "cjk")
    return make_chain({}, split_lowercase_words, {cjk_bigram_filter(), english_stop});
  return nullptr;
}

using Named = std::vector<std::pair<std::string, std::shared_ptr<const Analyzer>>>;

const Named& built_in() {
  static const Named all = [] {
    Named made;
    for (const char* name : plain_names) made.emplace_back(name, plain_analyzer(name));
    for (const Language& language : languages)
      made.emplace_back(std::string(language.name), language_analyzer(language));
    std::sort(made.begin(), made.end());
    return made;
  }();
  return all;
}

}  // namespace

std::string_view name_of(TokenType type) {
  switch (type) {
    case TokenType::alphanum:
      return "<ALPHANUM>";
    case TokenType::num:
      return "<NUM>";
    case TokenType::ideographic:
      return "<IDEOGRAPHIC>";
    case TokenType::hiragana:
      return "<HIRAGANA>";
    case TokenType::katakana:
      return "<KATAKANA>";
    case TokenType::hangul:
      return "<HANGUL>";
    case TokenType::southeast_asian:
      return "<SOUTHEAST_ASIAN>";
    case TokenType::emoji:
      return "<EMOJI>";
    case TokenType::word:
      return "word";
  }
  return "word";
}

std::vector<std::string> terms_of(const Analyzer& analyzer, std::string_view text) {
  Tokens tokens;
  analyzer.analyze(text, tokens);
  std::vector<std::string> out;
  for (const Token& token : tokens.list) out.emplace_back(tokens.term(token));
  return out;
}

std::shared_ptr<const Analyzer> named_analyzer(std::string_view name) {
  for (const auto& [known, analyzer] : built_in())
    if (known == name) return analyzer;
  return nullptr;
}

std::vector<std::string> analyzer_names() {
  std::vector<std::string> out;
  for (const auto& [name, analyzer] : built_in()) out.push_back(name);
  return out;
}

}  // namespace cairn::text
