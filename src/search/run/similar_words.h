// SPDX-License-Identifier: Apache-2.0
// Words of the index that few edits lead to from another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "search/reader.h"
#include "search/run/execution.h"

namespace cairn::search {

/// Which words are like another one.
struct WordRules {
  enum class Mode { missing, popular, always };
  enum class Sort { score, frequency };
  std::string field = {};
  std::size_t size = 5;
  Sort sort = Sort::score;
  Mode mode = Mode::missing;
  std::size_t max_edits = 2;
  std::size_t prefix_length = 1;
  std::size_t min_word_length = 4;
  double min_doc_freq = 0;      // below 1: of all documents
  double max_term_freq = 0.01;  // the same; words that are more frequent are right
};

/// All members but the field. Errors: illegal_argument_exception.
Result<WordRules> read_word_rules(Reader& in);

struct SimilarWord {
  std::string text;
  float score = 0;  // 1 less the edits for each of its letters
  std::uint64_t freq = 0;  // documents that have it
};

/// What is in the index of one word, over all targets.
struct WordKnown {
  std::uint64_t documents = 0;   // in all
  std::uint64_t doc_freq = 0;    // that have the word
  std::uint64_t total_freq = 0;  // how often they have it
  std::uint64_t all_words = 0;   // of the field, in all documents
  std::uint64_t distinct = 0;    // different ones, of each segment
};
/// Errors: those of View::term_statistics.
Result<WordKnown> known_of(const std::string& word, const std::string& field,
                           const Execution& execution);

/// The words that are like this one, over all targets together; none where it is right. Errors:
/// those of View::similar_terms.
Result<std::vector<SimilarWord>> similar_words(const std::string& word, const WordRules& by,
                                               const Execution& execution);

}  // namespace cairn::search
