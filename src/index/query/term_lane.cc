// SPDX-License-Identifier: Apache-2.0
#include "index/query/term_lane.h"

#include <algorithm>
#include <functional>

#include "kernels/postings/posting_blocks.h"

namespace cairn::index {
namespace {

// More are not looked for: the list of them stays short.
constexpr std::size_t best_max = 64;
// More scores of a block are computed sooner together with all the others of it.
constexpr std::size_t many_scores = 24;

}  // namespace

Status TermLane::open(const TermPlan& term, std::size_t segment, std::uint32_t docs,
                      const os::Deadline& deadline) {
  const TermPlan::Place& place = term.places[segment];
  CAIRN_CHECK(place.reader->open(place.entry, cursor_, deadline));
  scoring_ = term.scoring(segment);
  scale_ = place.bound_scale * bound_slack;
  floor_scale_ = place.floor_scale;
  docs_ = docs;
  block_ = 0;
  scored_ = no_more;
  damaged_ = false;
  if (cursor_.has_blocks()) {
    whole_ = bound_of(kernels::posting_kernels().greatest(cursor_.bounds(0), block_count()));
    return ok_status();
  }
  whole_ = 0;
  load(0);
  if (damaged()) return ok_status();
  const auto* bytes = reinterpret_cast<const char*>(scores());
  whole_ = kernels::posting_kernels().greatest(bytes, count()) * bound_slack;
  return ok_status();
}

float TermLane::window_bound(std::uint32_t low, std::uint32_t high) {
  seek(low);
  if (ended()) return 0;
  if (!cursor_.has_blocks()) return whole_;
  // The block in which the window ends may begin in it, the ones behind do not.
  const std::uint32_t end = std::min(cursor_.seek_block(block_, high - 1) + 1, block_count());
  if (end == block_ + 1) return block_bound(block_);
  return bound_of(kernels::posting_kernels().greatest(cursor_.bounds(block_), end - block_));
}

float TermLane::score_of_best(std::size_t count) const {
  if (count == 0 || count > best_max) return 0;
  // The bound of a block is the share of a document in it.
  std::array<float, best_max> best;
  std::size_t n = 0;
  const auto take = [&](float value) {
    if (n == count && value <= best[n - 1]) return;
    std::size_t i = n == count ? n - 1 : n++;
    for (; i > 0 && best[i - 1] < value; --i) best[i] = best[i - 1];
    best[i] = value;
  };
  if (!cursor_.has_blocks()) {
    for (std::uint32_t i = 0; i < cursor_.count(); ++i) take(scores_[i]);
    return n == count ? best[n - 1] / bound_slack : 0;
  }
  for (std::uint32_t b = 0; b < block_count(); ++b) take(cursor_.bound(b));
  if (n < count) return 0;
  // Less what the rounding of a share and of a score may differ.
  const float share = best[n - 1] * floor_scale_ - 1e-6f;
  return std::max(0.0f, scoring_.weight * share / bound_slack);
}

void TermLane::load(std::uint32_t b) {
  cursor_.load(b);
  const std::uint32_t n = cursor_.count();
  damaged_ |= cursor_.damaged() || (n > 0 && cursor_.docs()[n - 1] >= docs_);
  if (damaged_) cursor_.close();
}

const float* TermLane::scores() {
  if (damaged() || scored_ == cursor_.loaded()) return scores_.data();
  cursor_.load_freqs();
  scored_ = cursor_.loaded();
  const std::uint32_t n = cursor_.count();
  if (scoring_.inverse == nullptr) {
    for (std::uint32_t i = 0; i < n; ++i) scores_[i] = scoring_(0, cursor_.freqs()[i]);
  } else if (scoring_.norms.empty()) {
    for (std::uint32_t i = 0; i < n; ++i)
      scores_[i] = scoring_.of(0, static_cast<float>(cursor_.freqs()[i]));
  } else {
    kernels::posting_kernels().bm25(cursor_.docs().data(), cursor_.freqs().data(), n,
                                    reinterpret_cast<const std::uint8_t*>(scoring_.norms.data()),
                                    scoring_.inverse->data(), scoring_.weight, scores_.data());
  }
  return scores_.data();
}

std::size_t TermLane::find(const std::uint32_t* docs, std::size_t count, Found& found) {
  load(block_);
  if (damaged()) return 0;
  const std::size_t n = kernels::posting_kernels().find_each(
      this->docs().data(), docs, count, found.which.data(), found.places.data());
  if (n > many_scores) scores();
  return n;
}

double TermLane::score_at(std::uint32_t doc, std::uint32_t place) const {
  return static_cast<double>(scored_ == block_ ? scores_[place]
                                               : scoring_(doc, cursor_.freq_at(place)));
}

std::size_t TermLane::join(const std::uint32_t* docs, const double* sums, std::size_t count,
                           std::uint32_t* out_docs, double* out_sums) {
  Found found;
  const std::size_t n = find(docs, count, found);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t own = found.which[i];
    out_sums[i] = sums[own] + score_at(docs[own], found.places[i]);
    out_docs[i] = docs[own];
  }
  return n;
}

void TermLane::add_scores(const std::uint32_t* docs, double* sums, std::size_t count) {
  Found found;
  const std::size_t n = find(docs, count, found);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t own = found.which[i];
    sums[own] += score_at(docs[own], found.places[i]);
  }
}

}  // namespace cairn::index
