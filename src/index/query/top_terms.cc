// SPDX-License-Identifier: Apache-2.0
// Block-max MaxScore over windows of documents for any of the terms, block-max conjunction for all.
#include "index/query/top_terms.h"

#include <algorithm>
#include <array>

#include "index/errors.h"

namespace cairn::index {
namespace {

constexpr std::uint32_t window_docs = 4096;
constexpr std::size_t terms_max = 64;  // more go the plain way
// Bounds are computed in floats: a little more keeps them bounds.
constexpr float slack = 1.00001f;

/// The postings of one term in one segment, with bounds on its scores.
class TermLane {
 public:
  TermLane(PostingsCursor cursor, TermScoring scoring, float bound_scale)
      : cursor_(std::move(cursor)), scoring_(scoring), scale_(bound_scale * slack) {
    if (!cursor_.has_blocks()) {
      for (std::uint32_t i = 0; i < cursor_.count(); ++i)
        whole_ = std::max(whole_, scoring_(cursor_.docs()[i], cursor_.freqs()[i]));
      whole_ *= slack;
      return;
    }
    for (std::uint32_t b = 0; b < cursor_.block_count(); ++b)
      whole_ = std::max(whole_, block_bound(b));
  }

  std::uint32_t doc_freq() const { return cursor_.doc_freq(); }
  float bound() const { return whole_; }  // over all documents
  bool ended() const { return block_ >= cursor_.block_count(); }
  bool damaged() const { return cursor_.damaged(); }
  const PostingsCursor& cursor() const { return cursor_; }

  /// To the block that may hold `doc`. Never goes back.
  void seek(std::uint32_t doc) { block_ = cursor_.seek_block(block_, doc); }
  std::uint32_t block() const { return block_; }
  float block_bound(std::uint32_t b) const {
    if (!cursor_.has_blocks()) return whole_;
    const float share = cursor_.bound(b) * scale_;
    return scoring_.weight * (scoring_.inverse == nullptr ? share : std::min(share, slack));
  }
  /// Over documents [low, high). Seeks to `low`.
  float window_bound(std::uint32_t low, std::uint32_t high) {
    seek(low);
    float most = 0;
    for (std::uint32_t b = block_; b < cursor_.block_count(); ++b) {
      // A block that begins behind the window does not count.
      if (b > block_ && cursor_.last_doc(b - 1) >= high - 1) break;
      most = std::max(most, block_bound(b));
    }
    return most;
  }

  /// Adds the scores of documents [low, high) to `sums`, and marks them.
  void add_window(std::uint32_t low, std::uint32_t high, double* sums, std::uint64_t* marks) {
    seek(low);
    for (std::uint32_t b = block_; b < cursor_.block_count(); ++b) {
      cursor_.load(b);
      cursor_.load_freqs();
      const Block& docs = cursor_.docs();
      const Block& freqs = cursor_.freqs();
      const std::uint32_t count = cursor_.count();
      std::uint32_t i = 0;
      while (i < count && docs[i] < low) ++i;
      for (; i < count && docs[i] < high; ++i) {
        const std::uint32_t at = docs[i] - low;
        sums[at] += static_cast<double>(scoring_(docs[i], freqs[i]));
        marks[at / 64] |= std::uint64_t{1} << (at % 64);
      }
      if (i < count || cursor_.last_doc(b) >= high - 1) break;
    }
  }

  /// The score in `doc`; nothing where the term is not in it, or where the block's bound shows that
  /// `needed` cannot be reached. Documents must ascend.
  std::optional<float> probe(std::uint32_t doc, float needed) {
    seek(doc);
    if (ended() || block_bound(block_) < needed) return std::nullopt;
    cursor_.load(block_);
    const Block& docs = cursor_.docs();
    std::uint32_t low = 0;
    for (std::uint32_t step = static_cast<std::uint32_t>(block_size) / 2; step > 0; step /= 2)
      if (docs[low + step - 1] < doc) low += step;
    if (docs[low] != doc) return std::nullopt;
    cursor_.load_freqs();
    return scoring_(doc, cursor_.freqs()[low]);
  }
  /// The same without a bound; whether the term is there at all.
  std::optional<float> find(std::uint32_t doc) { return probe(doc, -1); }
  float score_at(std::uint32_t index) {
    cursor_.load_freqs();
    return scoring_(cursor_.docs()[index], cursor_.freqs()[index]);
  }
  void load(std::uint32_t b) { cursor_.load(b); }

 private:
  PostingsCursor cursor_;
  TermScoring scoring_;
  float scale_;
  float whole_ = 0;
  std::uint32_t block_ = 0;
};

/// One segment's search; shares the list of the best and the count with the others.
class SegmentSearch {
 public:
  SegmentSearch(const QueryContext& context, std::size_t segment, const BitSet* accepted,
                std::uint64_t count_limit, TopScores& top, HitCount& count)
      : context_(context),
        segment_(static_cast<std::uint32_t>(segment)),
        docs_(context.view.segments[segment].segment->doc_count()),
        accepted_(accepted),
        limit_(count_limit),
        top_(top),
        count_(count) {}

  Status open(const TermsShape& shape, bool& possible) {
    possible = true;
    for (const TermPlan* term : shape.terms) {
      const TermPlan::Place& place = term->places[segment_];
      if (place.reader == nullptr) {
        possible &= !shape.all;
        continue;
      }
      CAIRN_TRY(auto cursor, place.reader->postings(place.entry, context_.deadline));
      lanes_.emplace_back(std::move(cursor), term->scoring(segment_), place.bound_scale);
    }
    possible &= !lanes_.empty();
    return ok_status();
  }

  Status run_any() {
    for (std::uint32_t low = 0; low < docs_; low += window_docs) {
      const auto high = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(docs_, std::uint64_t{low} + window_docs));
      CAIRN_CHECK(context_.steps.take((high - low) / 4 * (1 + lanes_.size() / 4)));
      if (count_.is_lower_bound)
        pruned_window(low, high);
      else
        counted_window(low, high);
      if (high == docs_) break;
    }
    return check_damage();
  }

  Status run_all() {
    std::sort(lanes_.begin(), lanes_.end(),
              [](const TermLane& a, const TermLane& b) { return a.doc_freq() < b.doc_freq(); });
    TermLane& lead = lanes_[0];
    for (std::uint32_t b = 0; b < lead.cursor().block_count(); ++b) {
      CAIRN_CHECK(context_.steps.take(lead.cursor().count() + lanes_.size()));
      if (count_.is_lower_bound && !block_can_win(b)) continue;
      lead.load(b);
      for (std::uint32_t i = 0; i < lead.cursor().count(); ++i) {
        const std::uint32_t doc = lead.cursor().docs()[i];
        if (accepted_ == nullptr || accepted_->test(doc)) try_all(doc, i);
      }
    }
    return check_damage();
  }

 private:
  Status check_damage() const {
    for (const TermLane& lane : lanes_)
      if (lane.damaged())
        return corrupt_object(context_.view.segments[segment_].segment->name(),
                              "postings are damaged");
    return ok_status();
  }

  void add(std::uint32_t doc, double sum) {
    const auto score = static_cast<float>(sum);
    if (score > top_.threshold()) top_.add(score, {.segment = segment_, .doc = doc});
  }
  void count(std::uint64_t n) {
    count_.value += n;
    if (count_.value > limit_) count_.is_lower_bound = true;
  }

  void narrow_marks(std::uint32_t low) {
    if (accepted_ == nullptr) return;
    const auto& words = accepted_->words();
    for (std::size_t w = 0; w < marks_.size(); ++w)
      marks_[w] &= low / 64 + w < words.size() ? words[low / 64 + w] : 0;
  }
  template <class Each>
  void each_mark(std::uint32_t low, Each each) {
    for (std::size_t w = 0; w < marks_.size(); ++w) {
      for (std::uint64_t word = marks_[w]; word != 0; word &= word - 1) {
        const auto at =
            static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(std::countr_zero(word)));
        each(low + at, sums_[at]);
        sums_[at] = 0;
      }
      marks_[w] = 0;
    }
  }
  // Sums of documents that a filter took out of the marks have to go too.
  void clear_window() {
    if (accepted_ != nullptr) sums_.fill(0);
  }

  void counted_window(std::uint32_t low, std::uint32_t high) {
    for (TermLane& lane : lanes_) lane.add_window(low, high, sums_.data(), marks_.data());
    narrow_marks(low);
    std::uint64_t n = 0;
    for (const std::uint64_t word : marks_) n += static_cast<std::uint64_t>(std::popcount(word));
    count(n);
    each_mark(low, [&](std::uint32_t doc, double sum) { add(doc, sum); });
    clear_window();
  }

  // Terms whose bounds together do not reach the threshold are only looked up for documents that
  // another term has brought close enough.
  void pruned_window(std::uint32_t low, std::uint32_t high) {
    order_.clear();
    float all = 0;
    for (TermLane& lane : lanes_) {
      const float bound = lane.window_bound(low, high);
      all += bound;
      if (bound > 0) order_.push_back({bound, &lane});
    }
    const float threshold = top_.threshold();
    if (order_.empty() || all * slack <= threshold) return;
    std::sort(order_.begin(), order_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    rest_.assign(order_.size() + 1, 0);
    std::size_t minor = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      rest_[i + 1] = rest_[i] + order_[i].first * slack;
      if (rest_[i + 1] <= threshold) minor = i + 1;
    }
    if (minor == order_.size()) return;
    for (std::size_t i = minor; i < order_.size(); ++i)
      order_[i].second->add_window(low, high, sums_.data(), marks_.data());
    narrow_marks(low);
    each_mark(low, [&](std::uint32_t doc, double sum) { finish(doc, sum, minor); });
    clear_window();
  }

  void finish(std::uint32_t doc, double sum, std::size_t minor) {
    for (std::size_t i = minor; i > 0; --i) {
      const double reachable = sum + static_cast<double>(rest_[i]);
      if (reachable * static_cast<double>(slack) <= static_cast<double>(top_.threshold())) return;
      if (const auto score = order_[i - 1].second->find(doc)) sum += static_cast<double>(*score);
    }
    add(doc, sum);
  }

  bool block_can_win(std::uint32_t b) {
    TermLane& lead = lanes_[0];
    const std::uint32_t low = b == 0 ? 0 : lead.cursor().last_doc(b - 1) + 1;
    const std::uint32_t high = lead.cursor().last_doc(b) + 1;
    float bound = lead.block_bound(b);
    for (std::size_t i = 1; i < lanes_.size(); ++i) {
      if (bound + remaining_bound(i) <= top_.threshold() / slack) return false;
      bound += lanes_[i].window_bound(low, high);
    }
    return bound * slack > top_.threshold();
  }
  float remaining_bound(std::size_t from) const {
    float sum = 0;
    for (std::size_t i = from; i < lanes_.size(); ++i) sum += lanes_[i].bound();
    return sum;
  }

  void try_all(std::uint32_t doc, std::uint32_t index) {
    double sum = static_cast<double>(lanes_[0].score_at(index));
    for (std::size_t i = 1; i < lanes_.size(); ++i) {
      const auto score = lanes_[i].find(doc);
      if (!score) return;
      sum += static_cast<double>(*score);
    }
    count(1);
    add(doc, sum);
  }

  const QueryContext& context_;
  std::uint32_t segment_;
  std::uint32_t docs_;
  const BitSet* accepted_;
  std::uint64_t limit_;
  TopScores& top_;
  HitCount& count_;
  std::vector<TermLane> lanes_;
  std::vector<std::pair<float, TermLane*>> order_;
  std::vector<float> rest_;
  std::array<double, window_docs> sums_{};
  std::array<std::uint64_t, window_docs / 64> marks_{};
};

// Without filters the most frequent term alone may show that there are more hits than are counted.
bool surely_more(const QueryContext& context, const TermsShape& shape, std::uint64_t limit) {
  if (shape.all && shape.terms.size() > 1) return false;
  if (!shape.filters.empty() || !shape.excluded.empty()) return false;
  std::uint64_t deleted = 0;
  for (const SegmentView& s : context.view.segments) deleted += s.segment->doc_count() - s.live;
  for (const TermPlan* term : shape.terms) {
    std::uint64_t doc_freq = 0;
    for (const TermPlan::Place& place : term->places)
      if (place.reader != nullptr) doc_freq += place.entry.doc_freq;
    if (doc_freq > limit && doc_freq - limit > deleted) return true;
  }
  return false;
}

}  // namespace

void TopScores::add(float score, DocAddress doc) {
  if (k_ == 0) return;
  if (heap_.size() == k_) {
    std::pop_heap(heap_.begin(), heap_.end(), better);
    heap_.pop_back();
  }
  heap_.push_back({.score = score, .doc = doc});
  std::push_heap(heap_.begin(), heap_.end(), better);
  if (heap_.size() == k_) threshold_ = heap_.front().score;
}

std::vector<TopScores::Entry> TopScores::take() {
  std::sort(heap_.begin(), heap_.end(), better);
  return std::move(heap_);
}

std::optional<TermsShape> terms_shape(const Plan& plan) {
  TermsShape out;
  if (const TermPlan* term = plan.as_term()) {
    out.terms.push_back(term);
    return out;
  }
  const BoolPlan* bools = plan.as_bool();
  if (bools == nullptr) return std::nullopt;
  const bool any =
      bools->must.empty() && !bools->should.empty() &&
      (bools->least_should == 1 || (bools->least_should == 0 && bools->filter.empty()));
  const bool all = !bools->must.empty() && bools->should.empty();
  if (!any && !all) return std::nullopt;
  // A single clause that is itself such a query, narrowed further: filter around a match.
  const auto& clauses = all ? bools->must : bools->should;
  if (clauses.size() == 1 && clauses[0]->as_bool() != nullptr) {
    auto inner = terms_shape(*clauses[0]);
    if (!inner) return std::nullopt;
    out = std::move(*inner);
  } else {
    out.all = all;
    for (const PlanPtr& clause : clauses) {
      if (clause->matches_nothing()) continue;
      if (clause->as_term() == nullptr) return std::nullopt;
      out.terms.push_back(clause->as_term());
    }
  }
  if (out.terms.empty() || out.terms.size() > terms_max) return std::nullopt;
  for (const PlanPtr& filter : bools->filter) out.filters.push_back(filter.get());
  for (const PlanPtr& excluded : bools->must_not) out.excluded.push_back(excluded.get());
  return out;
}

Status top_terms(const QueryContext& context, const TermsShape& shape,
                 const std::vector<std::shared_ptr<const BitSet>>& narrowed,
                 std::uint64_t count_limit, TopScores& top, HitCount& count) {
  if (surely_more(context, shape, count_limit)) count = {count_limit + 1, true};
  for (std::size_t i = 0; i < context.view.segments.size(); ++i) {
    auto search =
        std::make_unique<SegmentSearch>(context, i, narrowed[i].get(), count_limit, top, count);
    bool possible = false;
    CAIRN_CHECK(search->open(shape, possible));
    if (!possible) continue;
    CAIRN_CHECK(shape.all ? search->run_all() : search->run_any());
  }
  return ok_status();
}

}  // namespace cairn::index
