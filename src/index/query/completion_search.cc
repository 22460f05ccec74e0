// SPDX-License-Identifier: Apache-2.0
#include "index/query/completion_search.h"

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "index/errors.h"
#include "index/mapping/completion_terms.h"
#include "index/segment/terms_writer.h"

namespace cairn::index {
namespace {

constexpr std::uint64_t block_terms = terms_per_dictionary_block;
constexpr std::uint64_t group_terms = 64 * block_terms;  // of blocks that are looked at as one
constexpr int steps_before_seek = 4;  // terms that are passed over one by one

/// The first text behind all that begin with `text`; empty: there is none.
std::string behind(std::string text) {
  while (!text.empty() && text.back() == '\xff') text.pop_back();
  if (!text.empty()) text.back() = static_cast<char>(text.back() + 1);
  return text;
}

Result<CompletionTerm> pieces_of(const std::string& term) {
  const auto read = read_completion_term(term);
  if (!read) return corrupt_object("a segment", "a term of a completion field has no weight");
  return *read;
}

/// Goes on behind all terms that begin with `beginning`. False at the end.
Result<bool> pass(TermsWalk& walk, const std::string& beginning, const os::Deadline& deadline) {
  for (int i = 0; i < steps_before_seek; ++i) {
    CAIRN_TRY(const bool any, walk.next(deadline));
    if (!any || !walk.term().starts_with(beginning)) return any;
  }
  const std::string next = behind(beginning);
  if (next.empty()) return false;
  CAIRN_CHECK(walk.seek(next, deadline));
  return walk.next(deadline);
}

using Weights = std::shared_ptr<const std::vector<std::uint32_t>>;

Result<Weights> weights_of(const TermsReader& reader, os::Steps& steps) {
  BlockWeights& kept = reader.block_weights();
  const MutexLock lock(kept.mutex);
  if (kept.all != nullptr) return kept.all;
  auto made = std::make_shared<std::vector<std::uint32_t>>(
      (reader.statistics().term_count + block_terms - 1) / block_terms);
  TermsWalk walk(reader, true);
  for (;;) {
    CAIRN_TRY(const bool any, walk.next(steps.deadline()));
    if (!any) break;
    CAIRN_CHECK(steps.take(1 + walk.term().size() / 16));
    CAIRN_TRY(const CompletionTerm term, pieces_of(walk.term()));
    std::uint32_t& most = (*made)[walk.entry().ordinal / block_terms];
    most = std::max(most, term.weight);
  }
  kept.all = std::move(made);
  return kept.all;
}

/// Something that is still to be looked at: terms from an ordinal on, or one term.
struct Candidates {
  enum class Size { term, block, group };
  float score = 0;  // none of them has a better one
  std::uint64_t first = 0;
  Size size = Size::group;
  std::size_t range = 0;
  std::size_t term = 0;  // among those that were read

  /// What comes later.
  friend bool operator<(const Candidates& a, const Candidates& b) {
    if (a.score != b.score) return a.score < b.score;
    if (a.first != b.first) return a.first > b.first;
    return a.size < b.size;
  }
};

class BestFirst {
 public:
  BestFirst(const SegmentView& segment, const TermsReader& reader,
            const std::vector<TermRange>& ranges, os::Steps& steps)
      : segment_(segment), reader_(reader), ranges_(ranges), steps_(steps) {}

  Result<std::vector<CompletionHit>> run(std::size_t most, bool skip_duplicates) {
    CAIRN_TRY(weights_, weights_of(reader_, steps_));
    for (std::size_t i = 0; i < ranges_.size(); ++i)
      CAIRN_CHECK(add_parts(i, ranges_[i].first, ranges_[i].last, Candidates::Size::group));
    while (!heap_.empty() && hits_.size() < most) {
      const Candidates best = heap_.top();
      heap_.pop();
      CAIRN_CHECK(steps_.take());
      if (best.size == Candidates::Size::group)
        CAIRN_CHECK(add_parts(best.range, best.first, end_of(best, group_terms),
                              Candidates::Size::block));
      else if (best.size == Candidates::Size::block)
        CAIRN_CHECK(add_terms(best));
      else
        CAIRN_CHECK(take(best, most, skip_duplicates));
    }
    return std::move(hits_);
  }

 private:
  struct Term {
    CompletionHit hit;
    TermEntry entry;
  };

  float score_of(std::uint32_t weight, std::size_t range) const {
    const float factor = ranges_[range].factor;
    if (factor == 0) return static_cast<float>(weight);
    return static_cast<float>(std::max(weight, 1u)) * factor;
  }
  std::uint64_t end_of(const Candidates& of, std::uint64_t terms) const {
    return std::min((of.first / terms + 1) * terms, ranges_[of.range].last);
  }

  /// Adds what lies in [first, last), in parts of one size.
  Status add_parts(std::size_t range, std::uint64_t first, std::uint64_t last,
                   Candidates::Size size) {
    const std::uint64_t terms = size == Candidates::Size::group ? group_terms : block_terms;
    while (first < last) {
      const std::uint64_t end = std::min((first / terms + 1) * terms, last);
      const std::uint64_t block = first / block_terms, past = (end - 1) / block_terms + 1;
      if (past > weights_->size()) return corrupt_object("a segment", "a dictionary is damaged");
      const std::uint32_t* weights = weights_->data();
      heap_.push({.score = score_of(*std::max_element(weights + block, weights + past), range),
                  .first = first,
                  .size = size,
                  .range = range});
      CAIRN_CHECK(steps_.take(1 + (past - block) / 16));
      first = end;
    }
    return ok_status();
  }

  Status add_terms(const Candidates& block) {
    const std::uint64_t last = end_of(block, block_terms);
    TermsWalk walk(reader_, false);
    CAIRN_CHECK(walk.seek_ordinal(block.first, steps_.deadline()));
    for (std::uint64_t ordinal = block.first;;) {
      CAIRN_CHECK(steps_.take(1 + walk.term().size() / 16));
      CAIRN_TRY(const CompletionTerm term, pieces_of(walk.term()));
      const float score = score_of(term.weight, block.range);
      terms_.push_back({.hit = {.score = score,
                                .path = std::string(term.path),
                                .text = std::string(term.text)},
                        .entry = walk.entry()});
      heap_.push({.score = score,
                  .first = ordinal,
                  .size = Candidates::Size::term,
                  .range = block.range,
                  .term = terms_.size() - 1});
      if (++ordinal == last) return ok_status();
      CAIRN_TRY(const bool any, walk.next(steps_.deadline()));
      if (!any) return corrupt_object("a segment", "a term is missing");
    }
  }

  Status take(const Candidates& best, std::size_t most, bool skip_duplicates) {
    const Term term = std::move(terms_[best.term]);
    if (skip_duplicates && texts_.contains(term.hit.text)) return ok_status();
    CAIRN_TRY(PostingsCursor cursor, reader_.postings(term.entry, steps_.deadline()));
    for (std::uint32_t b = 0; b < cursor.block_count(); ++b) {
      cursor.load(b);
      if (cursor.damaged()) return corrupt_object("a segment", "postings are damaged");
      for (std::uint32_t i = 0; i < cursor.count(); ++i) {
        const std::uint32_t doc = cursor.docs()[i];
        CAIRN_CHECK(steps_.take());
        if (!segment_.is_live(doc) || !docs_.insert(doc).second) continue;
        hits_.push_back(term.hit);
        hits_.back().doc = doc;
        if (skip_duplicates) texts_.insert(term.hit.text);
        if (skip_duplicates || hits_.size() == most) return ok_status();
      }
    }
    return ok_status();
  }

  const SegmentView& segment_;
  const TermsReader& reader_;
  const std::vector<TermRange>& ranges_;
  os::Steps& steps_;
  Weights weights_;
  std::priority_queue<Candidates> heap_;
  std::vector<Term> terms_;
  std::unordered_set<std::uint32_t> docs_;
  std::unordered_set<std::string> texts_;
  std::vector<CompletionHit> hits_;
};

}  // namespace

Result<TermRange> terms_beginning(const TermsReader& reader, const std::string& path,
                                  const os::Deadline& deadline) {
  TermRange out{.first = 0, .last = reader.statistics().term_count};
  if (path.empty()) return out;
  CAIRN_TRY(out.first, reader.rank(path, deadline));
  const std::string next = behind(path);
  if (!next.empty()) {
    CAIRN_TRY(out.last, reader.rank(next, deadline));
  }
  return out;
}

Result<std::vector<TermRange>> terms_fitting(const TermsReader& reader, const BeginningAsker& asker,
                                             os::Steps& steps) {
  std::vector<TermRange> out;
  TermsWalk walk(reader, false);
  CAIRN_CHECK(walk.seek(asker.start, steps.deadline()));
  CAIRN_TRY(bool any, walk.next(steps.deadline()));
  while (any && walk.term().starts_with(asker.start)) {
    CAIRN_CHECK(steps.take(1 + walk.term().size() / 8));
    CAIRN_TRY(const CompletionTerm term, pieces_of(walk.term()));
    const Beginning found = asker.ask(term.path);
    CAIRN_CHECK(steps.status());
    const std::uint64_t first = walk.entry().ordinal;
    if (found.kind == Beginning::Kind::open) {
      CAIRN_TRY(any, walk.next(steps.deadline()));
      continue;
    }
    const std::string beginning(term.path.substr(0, found.bytes));
    CAIRN_TRY(any, pass(walk, beginning, steps.deadline()));
    if (found.kind != Beginning::Kind::fits) continue;
    out.push_back({.first = first,
                   .last = any ? walk.entry().ordinal : reader.statistics().term_count,
                   .factor = asker.factor ? asker.factor(beginning) : 0});
  }
  return out;
}

Result<std::vector<CompletionHit>> best_completions(const SegmentView& segment,
                                                    const TermsReader& reader,
                                                    const std::vector<TermRange>& ranges,
                                                    std::size_t most, bool skip_duplicates,
                                                    os::Steps& steps) {
  return BestFirst(segment, reader, ranges, steps).run(most, skip_duplicates);
}

}  // namespace cairn::index
