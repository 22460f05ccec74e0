// SPDX-License-Identifier: Apache-2.0
// Documents of one segment that match something, in order, with their scores.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "index/segment/bits.h"
#include "index/segment/norms.h"
#include "index/segment/postings.h"
#include "index/segment/segment_format.h"
#include "os/steps.h"

namespace cairn::index {

/// Starts on its first document. Deleted documents may be among them. One thread.
class Scorer {
 public:
  virtual ~Scorer() = default;
  std::uint32_t doc() const { return doc_; }  // no_more at the end
  virtual std::uint32_t next() = 0;           // doc() is not the end
  /// To the first document at or after `target`; stays where that is doc().
  virtual std::uint32_t seek(std::uint32_t target) = 0;
  /// Its documents where they are known as a set, and whether they are all of the segment.
  virtual const BitSet* bits() const { return nullptr; }
  virtual bool is_all() const { return false; }
  virtual float score() = 0;                     // of doc()
  virtual float frequency() const { return 1; }  // of a phrase in doc()
  virtual std::uint64_t cost() const = 0;        // about how many documents

 protected:
  std::uint32_t doc_ = no_more;
};
using ScorerPtr = std::unique_ptr<Scorer>;  // null: no documents

/// How the score of a term comes from its frequency.
struct TermScoring {
  float weight = 0;                         // boost * 2.2 * idf, or boost * query weight
  const InverseLengths* inverse = nullptr;  // null: sparse weights
  std::string_view norms = {};              // empty: every length is 1

  float operator()(std::uint32_t doc, std::uint32_t freq) const {
    return inverse == nullptr ? weight * decode_weight(freq) : of(doc, static_cast<float>(freq));
  }
  /// Of a text term; phrases have broken frequencies.
  float of(std::uint32_t doc, float freq) const {
    const std::size_t norm = norms.empty() ? 1 : static_cast<unsigned char>(norms[doc]);
    return bm25_score(weight, freq, (*inverse)[norm]);
  }
};

ScorerPtr term_scorer(PostingsCursor cursor, TermScoring scoring);
/// All documents below `count`.
ScorerPtr all_scorer(std::uint32_t count, float score);
/// Documents [from, to), which has some.
ScorerPtr range_scorer(std::uint32_t from, std::uint32_t to, float score);
ScorerPtr bits_scorer(std::shared_ptr<const BitSet> bits, float score);
/// Ascending documents with their scores.
using ScoredList = std::vector<std::pair<std::uint32_t, float>>;
ScorerPtr list_scorer(std::shared_ptr<const ScoredList> list, float boost);
/// The documents of `inner`, each with this score.
ScorerPtr constant_scorer(ScorerPtr inner, float score);

// Scorers that may pass over many documents before they stand on one count `steps`, and are at
// their end once it has ended: whoever walks them asks for its status.

/// Documents that match all of `scored` and all of `filters`; the score is the sum over `scored`.
ScorerPtr conjunction(std::vector<ScorerPtr> scored, std::vector<ScorerPtr> filters,
                      os::Steps& steps);
/// Documents that match at least `least` of them; the score is the sum.
ScorerPtr disjunction(std::vector<ScorerPtr> scorers, std::size_t least, os::Steps& steps);
/// Documents that match any; the best score, and the others times `tie_breaker`.
ScorerPtr best_of(std::vector<ScorerPtr> scorers, float tie_breaker);
/// Documents of `inner` that are not in `excluded`.
ScorerPtr exclusion(ScorerPtr inner, ScorerPtr excluded, os::Steps& steps);
/// Documents of `required`; where `optional` matches too, its score is added.
ScorerPtr with_optional(ScorerPtr required, ScorerPtr optional);
/// Documents of `inner`; those in `other` score `factor` times.
ScorerPtr demoting(ScorerPtr inner, ScorerPtr other, float factor);

/// One place of a phrase: documents, and the positions in them.
struct PhrasePart {
  std::vector<PostingsIterator> terms;     // alternatives; usually one
  std::vector<PositionsReader> positions;  // of each
  std::uint32_t offset = 0;                // from the start of the phrase
  std::uint32_t group = 0;                 // parts of the same term have one number
};
ScorerPtr phrase_scorer(std::vector<PhrasePart> parts, std::uint32_t slop, TermScoring scoring,
                        os::Steps& steps);

}  // namespace cairn::index
