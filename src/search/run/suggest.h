// SPDX-License-Identifier: Apache-2.0
// Suggestions: words and phrases that are like those of a text, and inputs that begin as it does.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "search/options.h"
#include "search/run/execution.h"
#include "search/run/suggest_completions.h"
#include "search/run/suggest_phrases.h"
#include "search/run/suggest_terms.h"
#include "search/source_filter.h"

namespace cairn::search {

struct Suggester {
  std::string name;
  std::variant<TermSuggester, PhraseSuggester, CompletionSuggester> by;
};

/// Reads `suggest`. `text` is the request. Errors: parsing_exception, illegal_argument_exception
/// for kinds and members that are not offered.
Result<std::vector<Suggester>> read_suggest(std::string_view text, const Json& json,
                                            const Options& options);

/// The `suggest` of an answer, over all targets together. `source`: what documents show. Errors:
/// those of View, and illegal_argument_exception for fields and analyzers that there are none of.
Result<Json> run_suggest(const std::vector<Suggester>& suggesters, Execution& execution,
                         const SourceFilter& source, bool typed_keys);

}  // namespace cairn::search
