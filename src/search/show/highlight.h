// SPDX-License-Identifier: Apache-2.0
// Fragments of a hit's fields with the words marked that made it match.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/query.h"
#include "index/view.h"
#include "os/deadline.h"
#include "text/analyzer.h"

namespace cairn::search {

struct HighlightField {
  std::string pattern;
  std::string pre_tag = "<em>";
  std::string post_tag = "</em>";
  std::size_t fragment_size = 100;      // characters, about
  std::size_t number_of_fragments = 5;  // 0: the whole text in one
  std::size_t no_match_size = 0;        // so much of the beginning where nothing matches
  bool by_score = false;                // order of fragments: best first; else as in the text
  bool require_field_match = true;      // mark only words that the query sought in this field
  bool encode_html = false;
  Json query = {};  // highlight_query; null: that of the search
};

struct Highlight {
  std::vector<HighlightField> fields;
};

/// Errors: x_content_parse_exception, illegal_argument_exception.
Result<Highlight> parse_highlight(std::string_view text, const Json& json);

/// The fragments of one text. `terms` are analysed words.
std::vector<std::string> fragments_of(std::string_view text, const text::Analyzer& analyzer,
                                      const std::set<std::string, std::less<>>& terms,
                                      const HighlightField& settings);

/// What a hit shows under `highlight`: {"field": ["...", ...]}; empty where nothing matches.
/// `query` is what the hit matched; `source` its document.
Result<Json> highlight(const index::View& view, index::DocAddress doc, const Json& source,
                       const index::Query& query, const Highlight& settings,
                       const std::vector<std::optional<index::Query>>& own_queries,
                       const os::Deadline& deadline);

}  // namespace cairn::search
