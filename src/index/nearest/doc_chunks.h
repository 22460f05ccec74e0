// SPDX-License-Identifier: Apache-2.0
// The documents of one segment that a search passes over, a chunk of column_chunk at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "index/query/scorer.h"
#include "index/query/view_state.h"

namespace cairn::index {

/// Live documents of a scorer that stands on its first one. One thread; whoever walks it asks the
/// steps for their status at the end.
class DocChunks {
 public:
  /// `scored`: with the score of each document. `end`: documents before it, a multiple of
  /// column_chunk or past the last one.
  DocChunks(const SegmentView& view, Scorer& scorer, bool scored, os::Steps& steps,
            std::uint32_t end = UINT32_MAX);

  /// To the next chunk that has any. False at the end.
  bool next();
  /// Finds the chunk that next() would come to, [first(), last()], which may be empty. False at the
  /// end.
  bool find();
  std::uint32_t first() const { return at_; }
  std::uint32_t last() const;
  /// Whether passing over a chunk tells how many documents it has.
  bool counts() const { return bits_ != nullptr || all_; }
  /// Passes over the chunk that find() found. The number of its documents where counts().
  std::size_t skip();

  std::span<const std::uint32_t> docs() const { return docs_; }
  std::span<const float> scores() const { return scores_; }
  /// Leaves those documents of the chunk that `keeps(i)`.
  template <class Keeps>
  void keep(Keeps keeps) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < docs_.size(); ++i) {
      if (!keeps(i)) continue;
      docs_[n] = docs_[i];
      if (scored_) scores_[n] = scores_[i];
      ++n;
    }
    docs_.resize(n);
    if (scored_) scores_.resize(n);
  }

 private:
  std::uint64_t word(std::size_t i) const;
  void take_words();
  void walk();

  const SegmentView& view_;
  Scorer& scorer_;
  bool scored_;
  os::Steps& steps_;
  const BitSet* bits_;
  bool all_;
  std::uint32_t end_;
  std::uint32_t at_;  // the first document of the next chunk
  std::vector<std::uint32_t> docs_;
  std::vector<float> scores_;
};

}  // namespace cairn::index
