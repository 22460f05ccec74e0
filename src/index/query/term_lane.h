// SPDX-License-Identifier: Apache-2.0
// The postings of one scored term in one segment, block by block, with bounds on its scores.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/result.h"
#include "index/query/plan.h"
#include "index/segment/postings.h"

namespace cairn::index {

/// Bounds are computed in floats: a little more keeps them bounds.
inline constexpr float bound_slack = 1.00001f;

/// Opened anew for each query, so that its buffers are not allocated again. One thread. Blocks that
/// turn out to be damaged end the lane (`damaged()`).
class TermLane {
 public:
  /// `docs`: how many documents the segment has. Errors: those of reading.
  Status open(const TermPlan& term, std::size_t segment, std::uint32_t docs,
              const os::Deadline& deadline);
  /// Lets go of the bytes.
  void close() { cursor_.close(); }

  std::uint32_t doc_freq() const { return cursor_.doc_freq(); }
  std::uint32_t block_count() const { return cursor_.block_count(); }
  std::uint32_t last_doc(std::uint32_t b) const { return cursor_.last_doc(b); }
  std::uint32_t first_possible(std::uint32_t b) const {
    return b == 0 ? 0 : cursor_.last_doc(b - 1) + 1;
  }
  bool damaged() const { return damaged_ || cursor_.damaged(); }

  float bound() const { return whole_; }  // over all documents
  float block_bound(std::uint32_t b) const {
    return cursor_.has_blocks() ? bound_of(cursor_.bound(b)) : whole_;
  }
  /// Over documents [low, high), which is not empty. Moves to `low`.
  float window_bound(std::uint32_t low, std::uint32_t high);
  /// A score that at least `count` documents have or exceed by this term alone; 0 where none is
  /// known.
  float score_of_best(std::size_t count) const;

  /// To the block that may hold `doc`. Never goes back.
  void seek(std::uint32_t doc) { block_ = cursor_.seek_block(block_, doc); }
  bool ended() const { return block_ >= cursor_.block_count(); }
  std::uint32_t block() const { return block_; }

  /// Makes the documents of block `b` current.
  void load(std::uint32_t b);
  std::uint32_t count() const { return cursor_.count(); }
  const Block& docs() const { return cursor_.docs(); }
  /// Of the current block.
  const float* scores();
  /// Of `count` ascending documents that may be in the block of seek(), keeps those that are in it:
  /// writes them and their sums with the scores added. Returns how many.
  std::size_t join(const std::uint32_t* docs, const double* sums, std::size_t count,
                   std::uint32_t* out_docs, double* out_sums);
  /// Adds the scores of those of up to 128 ascending documents that are in the block of seek() to
  /// their sums.
  void add_scores(const std::uint32_t* docs, double* sums, std::size_t count);

 private:
  // Which documents are there, and where in the block.
  struct Found {
    std::array<std::uint8_t, block_size + 1> which, places;
  };
  std::size_t find(const std::uint32_t* docs, std::size_t count, Found& found);
  double score_at(std::uint32_t doc, std::uint32_t place) const;
  float bound_of(float share) const {
    share *= scale_;
    return scoring_.weight * (scoring_.inverse == nullptr ? share : std::min(share, bound_slack));
  }

  PostingsCursor cursor_;
  TermScoring scoring_;
  float scale_ = 1;
  float floor_scale_ = 1;
  float whole_ = 0;
  std::uint32_t docs_ = 0;
  std::uint32_t block_ = 0;
  std::uint32_t scored_ = no_more;  // the block whose scores are there
  bool damaged_ = false;
  std::array<float, block_size> scores_;
};

}  // namespace cairn::index
