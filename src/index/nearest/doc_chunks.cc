// SPDX-License-Identifier: Apache-2.0
#include "index/nearest/doc_chunks.h"

#include <algorithm>
#include <bit>

#include "index/segment/column.h"

namespace cairn::index {
namespace {

// A document with its scores and aggregations takes longer than a step.
constexpr std::uint64_t steps_of_document = 4;

}  // namespace

DocChunks::DocChunks(const SegmentView& view, Scorer& scorer, bool scored, os::Steps& steps,
                     std::uint32_t end)
    : view_(view),
      scorer_(scorer),
      scored_(scored),
      steps_(steps),
      bits_(scored ? nullptr : scorer.bits()),
      all_(!scored && scorer.is_all()),
      end_(std::min(end, view.segment->doc_count())),
      at_(static_cast<std::uint32_t>(scorer.doc() / column_chunk * column_chunk)) {
  if (scorer.doc() == no_more) at_ = end_;
}

bool DocChunks::find() {
  if (!counts()) {
    const std::uint32_t doc = scorer_.doc();
    at_ = doc == no_more ? end_ : static_cast<std::uint32_t>(doc / column_chunk * column_chunk);
  }
  return at_ < end_;
}

std::uint32_t DocChunks::last() const {
  return std::min<std::uint32_t>(at_ + static_cast<std::uint32_t>(column_chunk),
                                 view_.segment->doc_count()) -
         1;
}

std::uint64_t DocChunks::word(std::size_t i) const {
  std::uint64_t out = ~std::uint64_t{0};
  if (bits_ != nullptr) out = bits_->words()[i];
  if (view_.deleted != nullptr) out &= ~view_.deleted->words()[i];
  const std::uint32_t count = view_.segment->doc_count();
  if (i == count / 64) out &= (std::uint64_t{1} << count % 64) - 1;
  return out;
}

void DocChunks::take_words() {
  const std::uint32_t end = last() + 1;
  docs_.resize(column_chunk);
  std::size_t n = 0;
  for (std::uint32_t doc = at_; doc < end; doc += 64) {
    std::uint64_t left = word(doc / 64);
    const auto count = static_cast<std::uint64_t>(std::popcount(left));
    if (!steps_.go_on(1 + steps_of_document * count)) break;
    if (left == ~std::uint64_t{0}) {
      for (std::uint32_t i = 0; i < 64; ++i) docs_[n + i] = doc + i;
      n += 64;
      continue;
    }
    for (; left != 0; left &= left - 1)
      docs_[n++] = doc + static_cast<std::uint32_t>(std::countr_zero(left));
  }
  docs_.resize(n);
}

void DocChunks::walk() {
  const std::uint32_t end = last() + 1;
  docs_.clear();
  scores_.clear();
  std::uint32_t doc = scorer_.doc();
  for (; doc < end; doc = scorer_.next()) {
    if (!steps_.go_on(steps_of_document)) return;
    if (!view_.is_live(doc)) continue;
    docs_.push_back(doc);
    if (scored_) scores_.push_back(scorer_.score());
  }
}

bool DocChunks::next() {
  // What came before the steps ended still counts.
  while (steps_.status().ok() && find()) {
    if (counts()) {
      take_words();
    } else {
      walk();
    }
    at_ = last() + 1;
    if (!docs_.empty()) return true;
  }
  return false;
}

std::size_t DocChunks::skip() {
  const std::uint32_t end = last() + 1;
  std::size_t sum = 0;
  if (counts()) {
    steps_.go_on(column_chunk / 64);
    for (std::uint32_t doc = at_; doc < end; doc += 64)
      sum += static_cast<std::size_t>(std::popcount(word(doc / 64)));
  } else if (scorer_.doc() < end) {
    steps_.go_on();
    scorer_.seek(end);
  }
  at_ = end;
  return sum;
}

}  // namespace cairn::index
