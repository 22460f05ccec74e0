// SPDX-License-Identifier: Apache-2.0
// Block-max MaxScore over windows of documents for any of the terms, block-max conjunction for all.
#include "index/query/range_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "index/errors.h"
#include "index/query/term_lane.h"
#include "kernels/postings/posting_blocks.h"

namespace cairn::index {
namespace {

constexpr std::size_t few_terms = 8;
// A bound that is reached by less than this share of a score may be a rounding of it.
constexpr float just_below = 0.999999f;

// Stands where nothing has been added: adding even a score of 0 makes it +0.0.
constexpr double untouched = -0.0;

/// Documents in order, with what the terms that were looked at have brought.
struct Candidates {
  std::array<std::uint32_t, window_docs + 16> docs;
  std::array<double, window_docs + 16> sums;
  std::size_t count = 0;

  void add(std::uint32_t doc, double sum) {
    docs[count] = doc;
    sums[count++] = sum;
  }
};

/// What one search needs, kept by its thread: queries of a few microseconds allocate nothing here.
struct Workspace {
  Workspace() { sums.fill(untouched); }
  std::array<TermLane, searched_terms_max> lanes;
  std::array<double, window_docs> sums;
  std::array<std::uint32_t, window_docs + 1> touched;  // places in `sums`
  std::array<std::uint8_t, window_docs> marks{};
  std::array<std::uint64_t, window_docs / 64> words;
  std::array<std::uint64_t, window_docs / 64> chosen{};
  std::array<std::uint32_t, block_size + 16> docs;
  std::array<float, block_size + 16> scores;
  std::array<double, block_size> lead_sums;            // of `docs` of a conjunction's leading block
  std::array<std::uint32_t, block_size + 8> run_docs;  // those in one block of another term
  std::array<double, block_size + 8> run_sums;
  Candidates near, left, some;
};

Workspace& workspace() {
  static thread_local const auto own = std::make_unique<Workspace>();
  return *own;
}

// Whether a bit of [low, high) is set, or could be: whole words are looked at.
bool any_in(const BitSet& bits, std::uint32_t low, std::uint32_t high) {
  const auto& words = bits.words();
  const std::size_t end = std::min<std::size_t>(words.size(), (std::size_t{high} + 63) / 64);
  for (std::size_t w = low / 64; w < end; ++w)
    if (words[w] != 0) return true;
  return false;
}

/// Which documents may be hits: words of bits, null where all pass or none is deleted. A copy stays
/// in registers in loops that write, where a member would be read again each time.
struct Allowed {
  const std::uint64_t* accepted = nullptr;
  const std::uint64_t* deleted = nullptr;

  static bool has(const std::uint64_t* bits, std::uint32_t doc) {
    return (bits[doc / 64] >> (doc % 64) & 1) != 0;
  }
  bool passes(std::uint32_t doc) const { return accepted == nullptr || has(accepted, doc); }
  bool is_deleted(std::uint32_t doc) const { return deleted != nullptr && has(deleted, doc); }
  bool operator()(std::uint32_t doc) const { return passes(doc) && !is_deleted(doc); }
};

class RangeSearch {
 public:
  RangeSearch(const QueryContext& context, const DocRange& range, const RangeFindings& findings)
      : context_(context),
        segment_(static_cast<std::uint32_t>(range.segment)),
        docs_(context.view.segments[range.segment].segment->doc_count()),
        from_(range.from),
        to_(range.to),
        narrowed_(findings.narrowed),
        allowed_{.accepted = words_of(narrowed_.accepted), .deleted = words_of(narrowed_.deleted)},
        limit_(findings.count_limit),
        top_(findings.top),
        count_(findings.count),
        floor_(findings.floor) {}
  ~RangeSearch() {
    for (std::size_t i = 0; i < size_; ++i) space_.lanes[i].close();
  }

  Status open(const TermsShape& shape, bool& possible) {
    possible = true;
    for (const TermPlan* term : shape.terms) {
      if (term->places[segment_].reader == nullptr) {
        possible &= !shape.all;
        continue;
      }
      const StepWatch watch(term->profile(), QueryStep::build_scorer);
      TermLane& lane = space_.lanes[size_++];
      CAIRN_CHECK(lane.open(*term, segment_, docs_, context_.deadline));
      CAIRN_CHECK(context_.steps.take(lane.block_count() / 16));
      order_[size_ - 1].lane = &lane;
    }
    possible &= size_ > 0;
    return ok_status();
  }

  Status run_any() {
    if (!count_.is_lower_bound) CAIRN_CHECK(count_any());
    if (top_.kept() == 0) return check_damage();
    start_high();
    for (std::uint32_t low = from_; low < to_;) {
      const std::uint32_t high = low + std::min(window_docs, to_ - low);
      CAIRN_CHECK(context_.steps.take((high - low) / 16 * (1 + size_ / 4)));
      share_floor();
      window(low, high);
      low = high;
    }
    return check_damage();
  }

  Status run_all() {
    std::sort(
        order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(size_),
        [](const Bounded& a, const Bounded& b) { return a.lane->doc_freq() < b.lane->doc_freq(); });
    TermLane& lead = *order_[0].lane;
    lead.seek(from_);
    for (std::uint32_t b = lead.block(); b < lead.block_count() && lead.first_possible(b) < to_;
         ++b) {
      CAIRN_CHECK(context_.steps.take(block_size / 2 + size_));
      if (count_.is_lower_bound && top_.kept() == 0) break;
      share_floor();
      lead_block(b);
    }
    return check_damage();
  }

 private:
  struct Bounded {
    float bound = 0;
    TermLane* lane = nullptr;
    bool thin = false;

    bool stands_behind(const Bounded& other) const {
      return thin != other.thin ? thin : bound > other.bound;
    }
  };

  Status check_damage() const {
    for (std::size_t i = 0; i < size_; ++i)
      if (space_.lanes[i].damaged())
        return corrupt_object(context_.view.segments[segment_].segment->name(),
                              "postings are damaged");
    return ok_status();
  }

  // As many documents as are kept reach the threshold of any part: what is below it is no hit. What
  // equals it may be one, if it stands before those.
  void share_floor() {
    if (floor_ == nullptr) return;
    const float own = std::nextafter(top_.threshold(), -std::numeric_limits<float>::infinity());
    float known = floor_->load(std::memory_order_relaxed);
    if (known > top_.threshold()) return top_.raise(known);
    while (own > known && !floor_->compare_exchange_weak(known, own, std::memory_order_relaxed))
      continue;
  }

  void add(std::uint32_t doc, double sum) {
    const auto score = static_cast<float>(sum);
    if (score > top_.threshold()) top_.add(score, {.segment = segment_, .doc = doc});
  }
  void count(std::uint64_t n) {
    count_.value += n;
    if (count_.value > limit_) count_.is_lower_bound = true;
  }
  static const std::uint64_t* words_of(const std::shared_ptr<const BitSet>& bits) {
    return bits == nullptr ? nullptr : bits->words().data();
  }
  bool none_in(std::uint32_t low, std::uint32_t high) const {
    return narrowed_.accepted != nullptr && !any_in(*narrowed_.accepted, low, high);
  }

  // Without scores: the documents of all terms as marks. A term alone knows how many it has.
  Status count_any() {
    if (size_ == 1 && narrowed_.accepted == nullptr && narrowed_.deleted == nullptr) {
      count(from_ == 0 ? space_.lanes[0].doc_freq() : 0);
      return ok_status();
    }
    std::array<std::uint32_t, searched_terms_max> next{};  // block of each term
    for (std::size_t i = 0; i < size_; ++i) {
      space_.lanes[i].seek(from_);
      next[i] = space_.lanes[i].block();
    }
    for (std::uint32_t low = from_; low < to_ && !count_.is_lower_bound; low += window_docs) {
      const std::uint32_t high = low + std::min(window_docs, to_ - low);
      if (none_in(low, high)) continue;
      std::uint64_t marked = 0;
      for (std::size_t i = 0; i < size_; ++i)
        marked += mark_window(space_.lanes[i], next[i], low, high);
      CAIRN_CHECK(context_.steps.take(window_docs / 16 + marked / 4));
      count(marked == 0 ? 0 : take_window(low));
      if (high == to_) break;  // the next one may be beyond 32 bits
    }
    return ok_status();
  }
  std::uint64_t mark_window(TermLane& lane, std::uint32_t& next, std::uint32_t low,
                            std::uint32_t high) {
    std::uint64_t marked = 0;
    while (next < lane.block_count() && lane.last_doc(next) < low) ++next;
    for (; next < lane.block_count() && lane.first_possible(next) < high; ++next) {
      lane.load(next);
      const std::uint32_t* docs = lane.docs().data();
      const std::uint32_t n = lane.count();
      const std::uint32_t end = n == 0 || docs[n - 1] < high ? n : below(docs, n, high);
      for (std::uint32_t i = first_in(docs, n, low); i < end; ++i, ++marked)
        space_.marks[docs[i] - low] = 1;
      if (end < n) break;  // the next window goes on with this block
    }
    return marked;
  }
  std::uint64_t take_window(std::uint32_t low) {
    kernels::posting_kernels().take_marks(space_.marks.data(), space_.words.size(),
                                          space_.words.data());
    std::uint64_t n = 0;
    for (std::size_t w = 0; w < space_.words.size(); ++w) {
      std::uint64_t word = space_.words[w];
      if (word == 0) continue;
      if (narrowed_.accepted != nullptr) word &= narrowed_.accepted->words()[low / 64 + w];
      if (narrowed_.deleted != nullptr) word &= ~narrowed_.deleted->words()[low / 64 + w];
      n += static_cast<std::uint64_t>(std::popcount(word));
    }
    return n;
  }

  // What single terms are known to reach is where the search begins. Documents that are deleted
  // may be among those, documents that a filter takes out would be too many.
  void start_high() {
    if (narrowed_.accepted != nullptr) return;
    const SegmentView& view = context_.view.segments[segment_];
    const std::size_t count = top_.kept() + (view.segment->doc_count() - view.live);
    for (std::size_t i = 0; i < size_; ++i)
      if (const float floor = space_.lanes[i].score_of_best(count); floor > 0) top_.raise(floor);
  }

  // Terms whose bounds together do not reach the threshold are only looked up for documents that
  // another term has brought close enough.
  void window(std::uint32_t low, std::uint32_t high) {
    if (none_in(low, high)) return;
    std::size_t n = 0;
    float all = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      TermLane& lane = space_.lanes[i];
      const float bound = lane.window_bound(low, high);
      if (bound == 0 && lane.ended()) continue;
      all += bound;
      const Bounded own{.bound = bound, .lane = &lane, .thin = is_thin(lane)};
      std::size_t at = n++;
      for (; at > 0 && order_[at - 1].stands_behind(own); --at) order_[at] = order_[at - 1];
      order_[at] = own;
    }
    const float threshold = top_.threshold();
    if (n == 0 || all * bound_slack <= threshold) return;
    std::size_t minor = 0;
    rest_[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
      rest_[i + 1] = rest_[i] + order_[i].bound * bound_slack;
      if (rest_[i + 1] <= threshold && !order_[i].thin) minor = i + 1;
    }
    if (minor + 1 == n)
      one_term(low, high, minor);
    else if (minor < n)
      many_terms(low, high, minor, n, all);
  }

  // Of many terms, those with few documents in a window are looked through sooner than looked up.
  bool is_thin(const TermLane& lane) const {
    return size_ > few_terms &&
           std::uint64_t{lane.doc_freq()} * window_docs < std::uint64_t{docs_} * block_size / 2;
  }

  // What the terms that are looked through have to bring.
  float needed(std::size_t minor) const {
    const float threshold = top_.threshold();
    return (threshold > 0 ? threshold * just_below : threshold) - rest_[minor];
  }

  void one_term(std::uint32_t low, std::uint32_t high, std::size_t minor) {
    TermLane& lane = *order_[minor].lane;
    for (std::uint32_t b = lane.block(); b < lane.block_count() && lane.first_possible(b) < high;
         ++b) {
      const float need = needed(minor);
      if (lane.block_bound(b) * bound_slack <= need) continue;
      if (none_in(std::max(low, lane.first_possible(b)), std::min(high, lane.last_doc(b) + 1)))
        continue;
      lane.load(b);
      const float* scores = lane.scores();
      const std::size_t n =
          kernels::posting_kernels().select(lane.docs().data(), scores, lane.count(), low, high,
                                            need, space_.docs.data(), space_.scores.data());
      space_.near.count = 0;
      const Allowed allowed = allowed_;
      for (std::size_t i = 0; i < n; ++i)
        if (allowed(space_.docs[i]))
          space_.near.add(space_.docs[i], static_cast<double>(space_.scores[i]));
      finish(minor);
    }
  }

  void many_terms(std::uint32_t low, std::uint32_t high, std::size_t minor, std::size_t n,
                  float all) {
    std::size_t touched = 0;
    for (std::size_t i = minor; i < n; ++i)
      touched = add_window(low, high, order_[i], all, touched);
    const auto need = static_cast<double>(needed(minor));
    const Allowed allowed = allowed_;
    // Terms were looked through one after another; documents go on in their order.
    std::uint64_t words = 0;
    for (std::size_t i = 0; i < touched; ++i) {
      const std::uint32_t at = space_.touched[i];
      if (space_.sums[at] > need && !allowed.is_deleted(low + at)) {
        words |= std::uint64_t{1} << (at / 64);
        space_.chosen[at / 64] |= std::uint64_t{1} << (at % 64);
      } else {
        space_.sums[at] = untouched;
      }
    }
    space_.near.count = 0;
    for (; words != 0; words &= words - 1) {
      const auto w = static_cast<std::uint32_t>(std::countr_zero(words));
      for (std::uint64_t word = std::exchange(space_.chosen[w], 0); word != 0; word &= word - 1) {
        const std::uint32_t at = 64 * w + static_cast<std::uint32_t>(std::countr_zero(word));
        space_.near.add(low + at, std::exchange(space_.sums[at], untouched));
      }
    }
    finish(minor);
  }

  std::size_t add_window(std::uint32_t low, std::uint32_t high, const Bounded& term, float all,
                         std::size_t touched) {
    TermLane& lane = *term.lane;
    // What all others may bring to a document of one block.
    const float others = (all - term.bound) * bound_slack + all * 1e-6f;
    const float threshold = top_.threshold();
    const Allowed allowed = allowed_;
    for (std::uint32_t b = lane.block(); b < lane.block_count() && lane.first_possible(b) < high;
         ++b) {
      if ((lane.block_bound(b) + others) * bound_slack <= threshold) continue;
      lane.load(b);
      const float* scores = lane.scores();
      const std::uint32_t* docs = lane.docs().data();
      const std::uint32_t n = lane.count();
      const std::uint32_t end = n == 0 || docs[n - 1] < high ? n : below(docs, n, high);
      for (std::uint32_t i = first_in(docs, n, low); i < end; ++i) {
        if (!allowed.passes(docs[i])) continue;
        double& sum = space_.sums[docs[i] - low];
        space_.touched[touched] = docs[i] - low;
        touched += std::signbit(sum) ? 1 : 0;
        sum += static_cast<double>(scores[i]);
      }
    }
    return touched;
  }
  static std::uint32_t first_in(const std::uint32_t* docs, std::uint32_t n, std::uint32_t low) {
    return n == 0 || docs[0] >= low ? 0 : below(docs, n, low);
  }
  static std::uint32_t below(const std::uint32_t* docs, std::uint32_t n, std::uint32_t doc) {
    return std::min(n, kernels::posting_kernels().count_below(docs, doc));
  }

  // Of the documents that are near, those that the minor terms bring above the threshold; the term
  // that may bring most comes first.
  void finish(std::size_t minor) {
    Candidates* in = &space_.near;
    Candidates* out = &space_.left;
    for (std::size_t i = minor; i > 0 && in->count > 0; --i) {
      add_minor(*in, *out, i);
      std::swap(in, out);
    }
    for (std::size_t i = 0; i < in->count; ++i) add(in->docs[i], in->sums[i]);
  }

  // Leaves out what cannot come above the threshold any more, and looks the rest up a block at a
  // time.
  void add_minor(const Candidates& in, Candidates& out, std::size_t i) {
    const auto& kernels = kernels::posting_kernels();
    const auto threshold = static_cast<double>(top_.threshold() * just_below);
    TermLane& lane = *order_[i - 1].lane;
    Candidates& some = space_.some;
    kernels.keep_run(in.docs.data(), in.sums.data(), in.count, UINT32_MAX,
                     threshold - static_cast<double>(rest_[i]), some.docs.data(), some.sums.data(),
                     some.count);
    out.count = 0;
    for (std::size_t at = 0; at < some.count;) {
      lane.seek(some.docs[at]);
      const bool ended = lane.ended();
      const float bound = ended ? 0 : lane.block_bound(lane.block()) * bound_slack;
      const double need = threshold - static_cast<double>(bound + rest_[i - 1]);
      std::uint32_t* const docs = out.docs.data() + out.count;
      double* const sums = out.sums.data() + out.count;
      std::size_t good = 0;
      at += kernels.keep_run(
          some.docs.data() + at, some.sums.data() + at, std::min(some.count - at, block_size),
          ended ? UINT32_MAX : lane.last_doc(lane.block()), need, docs, sums, good);
      if (!ended && good > 0) lane.add_scores(docs, sums, good);
      out.count += good;
    }
  }

  void lead_block(std::uint32_t b) {
    TermLane& lead = *order_[0].lane;
    const std::uint32_t low = std::max(from_, lead.first_possible(b));
    const std::uint32_t high = std::min(to_, lead.last_doc(b) + 1);
    if (none_in(low, high)) return;
    // Before the count is full every document that has all terms has to be found.
    const bool pruned = count_.is_lower_bound && top_.threshold() >= 0;
    rest_[size_] = 0;
    for (std::size_t i = size_; pruned && i-- > 1;) {
      rest_[i] = rest_[i + 1] + order_[i].lane->window_bound(low, high) * bound_slack;
      if (order_[i].lane->ended()) return;
    }
    const float threshold = top_.threshold();
    if (pruned && lead.block_bound(b) * bound_slack + rest_[1] <= threshold) return;
    lead.load(b);
    const float need = pruned ? threshold * just_below - rest_[1] : -1;
    const std::size_t n =
        kernels::posting_kernels().select(lead.docs().data(), lead.scores(), lead.count(), low,
                                          high, need, space_.docs.data(), space_.scores.data());
    std::size_t left = keep_allowed(n);
    for (std::size_t i = 1; i < size_ && left > 0; ++i) left = join(i, left, pruned);
    for (std::size_t i = 0; i < left; ++i) {
      if (!count_.is_lower_bound) count(1);
      add(space_.docs[i], space_.lead_sums[i]);
    }
  }

  // The first `count` documents of a leading block that may be hits, with their scores as sums.
  std::size_t keep_allowed(std::size_t count) {
    const Allowed allowed = allowed_;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t doc = space_.docs[i];
      space_.docs[kept] = doc;
      space_.lead_sums[kept] = static_cast<double>(space_.scores[i]);
      kept += allowed(doc) ? 1 : 0;
    }
    return kept;
  }

  // Of the leading block's documents, those that term `i` has too. The term's blocks are decoded
  // where a document is left that its bound brings above the threshold.
  std::size_t join(std::size_t i, std::size_t count, bool pruned) {
    TermLane& lane = *order_[i].lane;
    std::uint32_t* docs = space_.docs.data();
    double* sums = space_.lead_sums.data();
    const double threshold = static_cast<double>(top_.threshold() * just_below);
    std::size_t kept = 0;
    for (std::size_t at = 0; at < count;) {
      lane.seek(docs[at]);
      if (lane.ended()) break;
      const std::uint32_t last = lane.last_doc(lane.block());
      double need = -1;
      if (pruned) {
        const float bound = lane.block_bound(lane.block()) * bound_slack + rest_[i + 1];
        need = threshold - static_cast<double>(bound);
      }
      // What may come above the threshold, together.
      std::size_t good = 0;
      at +=
          kernels::posting_kernels().keep_run(docs + at, sums + at, count - at, last, need,
                                              space_.run_docs.data(), space_.run_sums.data(), good);
      if (good == 0) continue;
      kept +=
          lane.join(space_.run_docs.data(), space_.run_sums.data(), good, docs + kept, sums + kept);
    }
    return kept;
  }

  const QueryContext& context_;
  std::uint32_t segment_;
  std::uint32_t docs_;       // of the segment
  std::uint32_t from_, to_;  // those that are searched
  const Narrowed& narrowed_;
  const Allowed allowed_;  // the same
  std::uint64_t limit_;
  TopScores& top_;
  HitCount& count_;
  SharedFloor* floor_;
  Workspace& space_ = workspace();
  std::size_t size_ = 0;                            // lanes in use
  std::array<Bounded, searched_terms_max> order_;   // by bound, or by number of documents
  std::array<float, searched_terms_max + 1> rest_;  // what those before (or behind) may bring
};

}  // namespace

Status search_range(const QueryContext& context, const TermsShape& shape, const DocRange& range,
                    const RangeFindings& findings) {
  RangeSearch search(context, range, findings);
  bool possible = false;
  CAIRN_CHECK(search.open(shape, possible));
  if (findings.opening != nullptr) findings.opening->end();
  if (!possible) return ok_status();
  const StepWatch looking(shape.profile, QueryStep::score);
  return shape.all ? search.run_all() : search.run_any();
}

}  // namespace cairn::index
