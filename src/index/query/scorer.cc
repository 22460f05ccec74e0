// SPDX-License-Identifier: Apache-2.0
// The plain scorers, and those that combine others.
#include "index/query/scorer.h"

#include <algorithm>

namespace cairn::index {
namespace {

class TermScorer final : public Scorer {
 public:
  TermScorer(PostingsCursor cursor, TermScoring scoring)
      : cost_(cursor.doc_freq()), at_(std::move(cursor)), scoring_(scoring) {
    doc_ = at_.doc();
  }
  std::uint32_t next() override { return doc_ = at_.next(); }
  std::uint32_t seek(std::uint32_t target) override { return doc_ = at_.seek(target); }
  float score() override { return scoring_(doc_, at_.freq()); }
  std::uint64_t cost() const override { return cost_; }

 private:
  std::uint64_t cost_;
  PostingsIterator at_;
  TermScoring scoring_;
};

class AllScorer final : public Scorer {
 public:
  AllScorer(std::uint32_t count, float score) : count_(count), score_(score) { seek_to(0); }
  std::uint32_t next() override { return seek_to(doc_ + 1); }
  std::uint32_t seek(std::uint32_t target) override {
    return doc_ >= target ? doc_ : seek_to(target);
  }
  float score() override { return score_; }
  std::uint64_t cost() const override { return count_; }
  bool is_all() const override { return true; }

 private:
  std::uint32_t seek_to(std::uint32_t target) { return doc_ = target < count_ ? target : no_more; }
  std::uint32_t count_;
  float score_;
};

class RangeScorer final : public Scorer {
 public:
  RangeScorer(std::uint32_t from, std::uint32_t to, float score)
      : from_(from), to_(to), score_(score) {
    doc_ = from < to ? from : no_more;
  }
  std::uint32_t next() override { return seek_to(doc_ + 1); }
  std::uint32_t seek(std::uint32_t target) override {
    return doc_ >= target ? doc_ : seek_to(target);
  }
  float score() override { return score_; }
  std::uint64_t cost() const override { return to_ - from_; }

 private:
  std::uint32_t seek_to(std::uint32_t target) { return doc_ = target < to_ ? target : no_more; }
  std::uint32_t from_, to_;
  float score_;
};

class BitsScorer final : public Scorer {
 public:
  BitsScorer(std::shared_ptr<const BitSet> bits, float score)
      : bits_(std::move(bits)), cost_(bits_->count()), score_(score) {
    doc_ = bits_->next(0);
  }
  std::uint32_t next() override { return doc_ = bits_->next(doc_ + 1); }
  std::uint32_t seek(std::uint32_t target) override {
    return doc_ >= target ? doc_ : doc_ = bits_->next(target);
  }
  float score() override { return score_; }
  std::uint64_t cost() const override { return cost_; }
  const BitSet* bits() const override { return bits_.get(); }

 private:
  std::shared_ptr<const BitSet> bits_;
  std::uint64_t cost_;
  float score_;
};

class ListScorer final : public Scorer {
 public:
  ListScorer(std::shared_ptr<const ScoredList> list, float boost)
      : list_(std::move(list)), boost_(boost) {
    move_to(0);
  }
  std::uint32_t next() override { return move_to(at_ + 1); }
  std::uint32_t seek(std::uint32_t target) override {
    if (doc_ >= target) return doc_;
    const auto found =
        std::lower_bound(list_->begin() + static_cast<std::ptrdiff_t>(at_), list_->end(), target,
                         [](const auto& entry, std::uint32_t t) { return entry.first < t; });
    return move_to(static_cast<std::size_t>(found - list_->begin()));
  }
  float score() override { return (*list_)[at_].second * boost_; }
  std::uint64_t cost() const override { return list_->size(); }

 private:
  std::uint32_t move_to(std::size_t at) {
    at_ = at;
    return doc_ = at < list_->size() ? (*list_)[at].first : no_more;
  }
  std::shared_ptr<const ScoredList> list_;
  float boost_;
  std::size_t at_ = 0;
};

class ConstantScorer final : public Scorer {
 public:
  ConstantScorer(ScorerPtr inner, float score) : inner_(std::move(inner)), score_(score) {
    doc_ = inner_->doc();
  }
  std::uint32_t next() override { return doc_ = inner_->next(); }
  std::uint32_t seek(std::uint32_t target) override { return doc_ = inner_->seek(target); }
  float score() override { return score_; }
  std::uint64_t cost() const override { return inner_->cost(); }
  const BitSet* bits() const override { return inner_->bits(); }
  bool is_all() const override { return inner_->is_all(); }

 private:
  ScorerPtr inner_;
  float score_;
};

class Conjunction final : public Scorer {
 public:
  Conjunction(std::vector<ScorerPtr> scored, std::vector<ScorerPtr> filters, os::Steps& steps)
      : owned_(std::move(scored)), scored_(owned_.size()), steps_(steps) {
    for (ScorerPtr& filter : filters) owned_.push_back(std::move(filter));
    for (const ScorerPtr& s : owned_) order_.push_back(s.get());
    std::stable_sort(order_.begin(), order_.end(),
                     [](const Scorer* a, const Scorer* b) { return a->cost() < b->cost(); });
    align(order_[0]->doc());
  }
  std::uint32_t next() override { return align(order_[0]->next()); }
  std::uint32_t seek(std::uint32_t target) override {
    return doc_ >= target ? doc_ : align(order_[0]->seek(target));
  }
  float score() override {
    double sum = 0;
    for (std::size_t i = 0; i < scored_; ++i) sum += static_cast<double>(owned_[i]->score());
    return static_cast<float>(sum);
  }
  std::uint64_t cost() const override { return order_[0]->cost(); }

 private:
  // The cheapest leads; the others follow until all stand on one document.
  std::uint32_t align(std::uint32_t doc) {
    for (std::size_t i = 1; doc != no_more && i < order_.size();) {
      if (!steps_.go_on()) return doc_ = no_more;
      const std::uint32_t other = order_[i]->seek(doc);
      if (other == doc) {
        ++i;
        continue;
      }
      doc = other == no_more ? no_more : order_[0]->seek(other);
      i = 1;
    }
    return doc_ = doc;
  }

  std::vector<ScorerPtr> owned_;
  std::size_t scored_;
  os::Steps& steps_;
  std::vector<Scorer*> order_;
};

/// Several scorers side by side, the one with the least document on top of a heap.
class Union : public Scorer {
 public:
  explicit Union(std::vector<ScorerPtr> scorers) : owned_(std::move(scorers)) {
    for (const ScorerPtr& s : owned_) {
      cost_ += s->cost();
      if (s->doc() != no_more) heap_.push_back(s.get());
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
  }
  std::uint64_t cost() const override { return cost_; }

 protected:
  static bool later(const Scorer* a, const Scorer* b) { return a->doc() > b->doc(); }
  std::uint32_t top() const { return heap_.empty() ? no_more : heap_.front()->doc(); }
  // All that stand before `target` move on to it.
  std::uint32_t seek_heap(std::uint32_t target) {
    while (!heap_.empty() && heap_.front()->doc() < target) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      if (heap_.back()->seek(target) == no_more)
        heap_.pop_back();
      else
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    return top();
  }
  // Those on the current document, in the order in which they were given.
  template <class Each>
  std::size_t on_current(Each each) {
    std::size_t n = 0;
    for (const ScorerPtr& s : owned_) {
      if (s->doc() != doc_) continue;
      each(*s);
      ++n;
    }
    return n;
  }

  std::vector<ScorerPtr> owned_;
  std::vector<Scorer*> heap_;
  std::uint64_t cost_ = 0;
};

class Disjunction final : public Union {
 public:
  Disjunction(std::vector<ScorerPtr> scorers, std::size_t least, os::Steps& steps)
      : Union(std::move(scorers)), least_(least), steps_(steps) {
    settle(top());
  }
  std::uint32_t next() override { return settle(seek_heap(doc_ + 1)); }
  std::uint32_t seek(std::uint32_t target) override {
    return doc_ >= target ? doc_ : settle(seek_heap(target));
  }
  float score() override {
    double sum = 0;
    on_current([&](Scorer& s) { sum += static_cast<double>(s.score()); });
    return static_cast<float>(sum);
  }

 private:
  std::uint32_t settle(std::uint32_t doc) {
    for (;; doc = seek_heap(doc + 1)) {
      doc_ = doc;
      if (doc == no_more || least_ <= 1) return doc;
      if (!steps_.go_on(owned_.size())) return doc_ = no_more;
      if (on_current([](Scorer&) {}) >= least_) return doc;
    }
  }
  std::size_t least_;
  os::Steps& steps_;
};

class BestOf final : public Union {
 public:
  BestOf(std::vector<ScorerPtr> scorers, float tie_breaker)
      : Union(std::move(scorers)), tie_breaker_(tie_breaker) {
    doc_ = top();
  }
  std::uint32_t next() override { return doc_ = seek_heap(doc_ + 1); }
  std::uint32_t seek(std::uint32_t target) override {
    return doc_ >= target ? doc_ : doc_ = seek_heap(target);
  }
  float score() override {
    float best = 0;
    double others = 0;
    bool first = true;
    on_current([&](Scorer& s) {
      const float score = s.score();
      if (first || score > best) {
        if (!first) others += static_cast<double>(best);
        best = score;
        first = false;
      } else {
        others += static_cast<double>(score);
      }
    });
    return static_cast<float>(static_cast<double>(best) +
                              others * static_cast<double>(tie_breaker_));
  }

 private:
  float tie_breaker_;
};

class Exclusion final : public Scorer {
 public:
  Exclusion(ScorerPtr inner, ScorerPtr excluded, os::Steps& steps)
      : inner_(std::move(inner)), excluded_(std::move(excluded)), steps_(steps) {
    settle(inner_->doc());
  }
  std::uint32_t next() override { return settle(inner_->next()); }
  std::uint32_t seek(std::uint32_t target) override { return settle(inner_->seek(target)); }
  float score() override { return inner_->score(); }
  std::uint64_t cost() const override { return inner_->cost(); }

 private:
  std::uint32_t settle(std::uint32_t doc) {
    while (doc != no_more && excluded_->seek(doc) == doc)
      doc = steps_.go_on() ? inner_->next() : no_more;
    return doc_ = doc;
  }
  ScorerPtr inner_, excluded_;
  os::Steps& steps_;
};

class WithOptional final : public Scorer {
 public:
  WithOptional(ScorerPtr required, ScorerPtr optional)
      : required_(std::move(required)), optional_(std::move(optional)) {
    doc_ = required_->doc();
  }
  std::uint32_t next() override { return doc_ = required_->next(); }
  std::uint32_t seek(std::uint32_t target) override { return doc_ = required_->seek(target); }
  float score() override {
    const auto own = static_cast<double>(required_->score());
    if (optional_->seek(doc_) != doc_) return static_cast<float>(own);
    return static_cast<float>(own + static_cast<double>(optional_->score()));
  }
  std::uint64_t cost() const override { return required_->cost(); }

 private:
  ScorerPtr required_, optional_;
};

class Demoting final : public Scorer {
 public:
  Demoting(ScorerPtr inner, ScorerPtr other, float factor)
      : inner_(std::move(inner)), other_(std::move(other)), factor_(factor) {
    doc_ = inner_->doc();
  }
  std::uint32_t next() override { return doc_ = inner_->next(); }
  std::uint32_t seek(std::uint32_t target) override { return doc_ = inner_->seek(target); }
  float score() override {
    return other_->seek(doc_) == doc_ ? inner_->score() * factor_ : inner_->score();
  }
  std::uint64_t cost() const override { return inner_->cost(); }

 private:
  ScorerPtr inner_, other_;
  float factor_;
};

// Scorers without documents are null, as are those that stand at their end.
ScorerPtr or_null(ScorerPtr scorer) {
  return scorer != nullptr && scorer->doc() != no_more ? std::move(scorer) : nullptr;
}

std::vector<ScorerPtr> without_nulls(std::vector<ScorerPtr> scorers) {
  std::erase(scorers, nullptr);
  return scorers;
}

}  // namespace

ScorerPtr term_scorer(PostingsCursor cursor, TermScoring scoring) {
  return or_null(std::make_unique<TermScorer>(std::move(cursor), scoring));
}

ScorerPtr all_scorer(std::uint32_t count, float score) {
  return or_null(std::make_unique<AllScorer>(count, score));
}

ScorerPtr range_scorer(std::uint32_t from, std::uint32_t to, float score) {
  return or_null(std::make_unique<RangeScorer>(from, to, score));
}

ScorerPtr bits_scorer(std::shared_ptr<const BitSet> bits, float score) {
  return or_null(std::make_unique<BitsScorer>(std::move(bits), score));
}

ScorerPtr list_scorer(std::shared_ptr<const ScoredList> list, float boost) {
  return or_null(std::make_unique<ListScorer>(std::move(list), boost));
}

ScorerPtr constant_scorer(ScorerPtr inner, float score) {
  if (inner == nullptr) return nullptr;
  return std::make_unique<ConstantScorer>(std::move(inner), score);
}

ScorerPtr conjunction(std::vector<ScorerPtr> scored, std::vector<ScorerPtr> filters,
                      os::Steps& steps) {
  const auto empty = [](const ScorerPtr& s) { return s == nullptr; };
  if (std::any_of(scored.begin(), scored.end(), empty) ||
      std::any_of(filters.begin(), filters.end(), empty))
    return nullptr;
  if (scored.size() == 1 && filters.empty()) return std::move(scored.front());
  return or_null(std::make_unique<Conjunction>(std::move(scored), std::move(filters), steps));
}

ScorerPtr disjunction(std::vector<ScorerPtr> scorers, std::size_t least, os::Steps& steps) {
  scorers = without_nulls(std::move(scorers));
  if (scorers.size() < std::max<std::size_t>(least, 1)) return nullptr;
  if (scorers.size() == 1) return std::move(scorers.front());
  if (least == scorers.size()) return conjunction(std::move(scorers), {}, steps);
  return or_null(std::make_unique<Disjunction>(std::move(scorers), least, steps));
}

ScorerPtr best_of(std::vector<ScorerPtr> scorers, float tie_breaker) {
  scorers = without_nulls(std::move(scorers));
  if (scorers.empty()) return nullptr;
  if (scorers.size() == 1) return std::move(scorers.front());
  return or_null(std::make_unique<BestOf>(std::move(scorers), tie_breaker));
}

ScorerPtr exclusion(ScorerPtr inner, ScorerPtr excluded, os::Steps& steps) {
  if (inner == nullptr || excluded == nullptr) return inner;
  return or_null(std::make_unique<Exclusion>(std::move(inner), std::move(excluded), steps));
}

ScorerPtr with_optional(ScorerPtr required, ScorerPtr optional) {
  if (required == nullptr || optional == nullptr) return required;
  return std::make_unique<WithOptional>(std::move(required), std::move(optional));
}

ScorerPtr demoting(ScorerPtr inner, ScorerPtr other, float factor) {
  if (inner == nullptr || other == nullptr) return inner;
  return std::make_unique<Demoting>(std::move(inner), std::move(other), factor);
}

}  // namespace cairn::index
