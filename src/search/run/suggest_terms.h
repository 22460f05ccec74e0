// SPDX-License-Identifier: Apache-2.0
// The suggester `term`: for each word of a text words of the index that are like it.
#pragma once

#include <string>

#include "base/result.h"
#include "format/json.h"
#include "search/reader.h"
#include "search/run/execution.h"
#include "search/run/similar_words.h"
#include "search/run/suggest_text.h"

namespace cairn::search {

struct TermSuggester {
  std::string text = {};
  std::string field = {};
  std::string analyzer = {};  // empty: the field's
  WordRules words = {};
};

/// Errors: illegal_argument_exception, parsing_exception.
Result<TermSuggester> read_term_suggester(Reader& in, const SuggestText& given);
/// The entries of the answer. Errors: those of words_of and similar_words.
Result<Json> suggest_terms(const TermSuggester& by, const Execution& execution);

}  // namespace cairn::search
