// SPDX-License-Identifier: Apache-2.0
// The suggester `completion`: inputs of a completion field that begin as a text does, with the
// documents that they are of.
#pragma once

#include "base/result.h"
#include "format/json.h"
#include "index/view.h"
#include "search/options.h"
#include "search/reader.h"
#include "search/run/execution.h"
#include "search/run/suggest_text.h"
#include "search/source_filter.h"

namespace cairn::search {

struct CompletionSuggester {
  index::CompletionAsked asked = {};
};

/// `text` is the request, for positions, and `path` where the object of `in` stands. Errors:
/// illegal_argument_exception, parsing_exception.
Result<CompletionSuggester> read_completion_suggester(std::string_view text,
                                                      const std::string& path, Reader& in,
                                                      const SuggestText& given,
                                                      const Options& options);
/// The one entry of the answer, over all targets. `source`: what its documents show of themselves.
/// Errors: those of View::complete.
Result<Json> suggest_completions(const CompletionSuggester& by, const Execution& execution,
                                 const SourceFilter& source);

}  // namespace cairn::search
