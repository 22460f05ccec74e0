// SPDX-License-Identifier: Apache-2.0
// Steps that an analyzer takes after splitting: each changes the tokens of one text in place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/analyzer.h"

namespace cairn::text {

/// Immutable, safe from any thread.
class TokenFilter {
 public:
  virtual ~TokenFilter() = default;
  /// Changes the tokens from index `first` on.
  virtual void run(Tokens& tokens, std::size_t first) const = 0;
};
using FilterPtr = std::shared_ptr<const TokenFilter>;

FilterPtr lowercase_filter();
FilterPtr uppercase_filter();
FilterPtr folding_filter();  // accents and other marks taken off
FilterPtr trim_filter();
FilterPtr reverse_filter();
FilterPtr unique_filter();      // each term of a text once
FilterPtr possessive_filter();  // english 's
/// Drops articles cut off by an apostrophe: l'avion -> avion. `articles` separated by spaces.
FilterPtr elision_filter(std::string_view articles);
/// Drops the words, separated by spaces; they leave gaps in the positions.
FilterPtr stop_filter(std::string_view words);
/// By a Snowball algorithm that exists.
FilterPtr stem_filter(std::string_view algorithm);
/// Keeps terms of min to max characters.
FilterPtr length_filter(std::size_t min, std::size_t max);
FilterPtr truncate_filter(std::size_t length);
/// Pieces of min to max characters; `edge`: those from the start only. All at the word's position.
FilterPtr ngram_filter(std::size_t min, std::size_t max, bool edge, bool keep_original);
/// Pairs of neighbouring ideographs (and kana, hangul) instead of single ones.
FilterPtr cjk_bigram_filter();
/// Runs of min to max words joined by a space, beside the words themselves if `unigrams`.
FilterPtr shingle_filter(std::size_t min, std::size_t max, bool unigrams);
/// From each word on the longest run of at most `max` words, joined by a space.
FilterPtr longest_shingle_filter(std::size_t max);

}  // namespace cairn::text
