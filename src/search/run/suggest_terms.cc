// SPDX-License-Identifier: Apache-2.0
#include "search/run/suggest_terms.h"

#include <utility>

#include "base/strings.h"
#include "search/errors.h"

namespace cairn::search {

Result<TermSuggester> read_term_suggester(Reader& in, const SuggestText& given) {
  TermSuggester out;
  CAIRN_TRY(out.field, in.string_or("field", ""));
  CAIRN_TRY(out.analyzer, in.string_or("analyzer", ""));
  CAIRN_TRY(out.words, read_word_rules(in));
  CAIRN_CHECK(in.finish());
  if (out.field.empty()) return illegal_argument("the required field option is missing");
  if (given.text.empty()) return illegal_argument("The required text option is missing");
  out.text = given.text;
  out.words.field = out.field;
  return out;
}

Result<Json> suggest_terms(const TermSuggester& by, const Execution& execution) {
  CAIRN_TRY(const text::Tokens tokens, words_of(by.text, by.field, by.analyzer, execution));
  Json out = Json::array();
  for (const text::Token& token : tokens.list) {
    const std::string word(tokens.term(token));
    CAIRN_TRY(const auto options, similar_words(word, by.words, execution));
    Json shown = Json::array();
    for (const SimilarWord& one : options)
      shown.push(
          Json::object({{"text", one.text}, {"score", one.score}, {"freq", Json(one.freq)}}));
    const std::string_view text = by.text;
    out.push(Json::object({{"text", word},
                           {"offset", utf16_length(text.substr(0, token.start))},
                           {"length", utf16_length(text.substr(token.start, token.end - token.start))},
                           {"options", std::move(shown)}}));
  }
  return out;
}

}  // namespace cairn::search
