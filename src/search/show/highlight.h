// SPDX-License-Identifier: Apache-2.0
// Fragments of a hit's fields with the words marked that made it match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"
#include "index/query.h"
#include "index/view.h"
#include "os/deadline.h"
#include "os/steps.h"
#include "search/prepared.h"
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
  std::optional<std::size_t> analyzed = {};  // so many characters of a text are looked at
  Json query = {};                           // highlight_query; null: that of the search
};

struct Highlight {
  std::vector<HighlightField> fields;
};

/// Errors: x_content_parse_exception, illegal_argument_exception.
Result<Highlight> parse_highlight(std::string_view text, const Json& json);

/// The fragments of one text. `terms` are analysed words. Time grows with the text; where `steps`
/// ends, what was found until then. Errors: circuit_breaking_exception before fragments and their
/// tags take more than `most` bytes.
Result<std::vector<std::string>> fragments_of(std::string_view text, const text::Analyzer& analyzer,
                                              const std::set<std::string, std::less<>>& terms,
                                              const HighlightField& settings, os::Steps& steps,
                                              std::size_t most = SIZE_MAX);

/// What hits of one target show under `highlight`: fields, analyzers and words are looked up once
/// for all of them. One thread; what is passed in outlives the object.
class Highlighter {
 public:
  /// `matched` is what the hits matched; `own` the `highlight_query` of each field of `settings`.
  /// `index` gives the limit of texts.
  Highlighter(const index::Index& index, const index::View& view, const Highlight& settings,
              const Prepared& matched, const std::vector<std::optional<Prepared>>& own);
  /// {"field": ["...", ...]} of a hit with this source; empty where nothing matches.
  /// Errors: those of View; timeout, cancelled; illegal_argument_exception for a text that is
  /// longer than index.highlight.max_analyzed_offset, unless the request has a limit of its own;
  /// circuit_breaking_exception where fragments take more than `most` bytes.
  Result<Json> show(index::DocAddress doc, const Json& source, std::size_t most,
                    const os::Deadline& deadline) const;

 private:
  struct FieldPlan {
    const HighlightField* settings = nullptr;
    const index::Field* field = nullptr;
    std::shared_ptr<const text::Analyzer> analyzer = {};
    std::shared_ptr<const std::set<std::string, std::less<>>> terms = {};
    std::optional<index::Query> vector = {};  // of a semantic field: what chunks are compared with
  };
  void add(const index::Field& field, const HighlightField& settings, const Prepared& asked);
  Result<std::vector<std::string>> words(const FieldPlan& plan, index::DocAddress doc,
                                         const Json& source, std::size_t most, os::Steps& steps,
                                         const os::Deadline& deadline) const;
  Result<std::string_view> analyzed_part(const FieldPlan& plan, index::DocAddress doc,
                                         std::string_view text, const os::Deadline& deadline) const;
  Result<std::vector<std::string>> chunks(const FieldPlan& plan, index::DocAddress doc,
                                          const Json& source, const os::Deadline& deadline) const;

  const index::View& view_;
  std::string index_name_;
  std::size_t most_analyzed_;
  std::vector<FieldPlan> plans_;
};

}  // namespace cairn::search
