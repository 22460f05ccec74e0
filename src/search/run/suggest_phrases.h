// SPDX-License-Identifier: Apache-2.0
// The suggester `phrase`: a text with some of its words corrected, by how likely the whole is.
// Source: docs/reference/suggestions.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "search/reader.h"
#include "search/run/execution.h"
#include "search/run/phrase_model.h"
#include "search/run/similar_words.h"
#include "search/run/suggest_text.h"

namespace cairn::search {

/// Where corrections of a word come from.
struct CorrectionSource {
  WordRules words = {};
  std::string pre_filter = {};   // analyzer of the word that is looked for; empty: none
  std::string post_filter = {};  // analyzer of what is found
};

struct PhraseSuggester {
  /// Only texts count that a query made from them finds something for.
  struct Collate {
    std::string source = {};  // a template; empty: all count
    Json values = {};
    bool prune = false;  // the others are shown too, and told apart
  };
  std::string text = {};
  std::string field = {};
  std::string analyzer = {};  // empty: the field's
  std::size_t size = 5;
  std::size_t most = 5;  // corrections of a word, and of the text, that are looked at
  std::optional<std::size_t> gram_size = {};  // empty: the longest run of words that the field has
  std::string separator = " ";
  double confidence = 1;   // a correction must be so many times as likely as the text
  double max_errors = 1;   // words that are corrected; below 1: of all
  double real_word_likelihood = 0.95;
  std::size_t token_limit = 10;  // so many words are not corrected
  bool force_unigrams = true;
  std::optional<std::string> pre_tag = {}, post_tag = {};
  Smoothing smoothing = {};
  std::vector<CorrectionSource> sources = {};
  Collate collate = {};
};

/// `text` is the request, and `path` where the object of `in` stands. Errors: parsing_exception,
/// illegal_argument_exception, script_exception.
Result<PhraseSuggester> read_phrase_suggester(std::string_view text, const std::string& path,
                                              Reader& in, const SuggestText& given);
/// The one entry of the answer. Errors: those of words_of and similar_words; of a collate query.
Result<Json> suggest_phrases(const PhraseSuggester& by, Execution& execution);

}  // namespace cairn::search
