// SPDX-License-Identifier: Apache-2.0
// Suggestions: words of the index that are like those of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "search/run/execution.h"

namespace cairn::search {

/// A suggester of the kind `term`.
struct TermSuggester {
  enum class Mode { missing, popular, always };
  enum class Sort { score, frequency };
  std::string name;
  std::string text;
  std::string field;
  std::string analyzer = {};  // empty: the field's
  std::size_t size = 5;
  Sort sort = Sort::score;
  Mode mode = Mode::missing;
  std::size_t max_edits = 2;
  std::size_t prefix_length = 1;
  std::size_t min_word_length = 4;
  double min_doc_freq = 0;      // below 1: of all documents
  double max_term_freq = 0.01;  // the same; words that are more frequent are right
};

/// Reads `suggest`. `text` is the request. Errors: parsing_exception, illegal_argument_exception
/// for kinds and members that are not offered.
Result<std::vector<TermSuggester>> read_suggest(std::string_view text, const Json& json);

/// The `suggest` of an answer, over all targets together. Errors: those of View, and
/// illegal_argument_exception for fields and analyzers that there are none of.
Result<Json> run_suggest(const std::vector<TermSuggester>& suggesters, const Execution& execution,
                         bool typed_keys);

}  // namespace cairn::search
