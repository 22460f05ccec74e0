// SPDX-License-Identifier: Apache-2.0
#include "index/positions/span_walk.h"

#include <algorithm>

namespace cairn::index {
namespace {

class WordWalk final : public SpanWalk {
 public:
  WordWalk(PostingsIterator postings, PositionsReader positions,
           std::shared_ptr<WordOpener::Positions> shared, os::Steps& steps)
      : postings_(std::move(postings)),
        positions_(std::move(positions)),
        shared_(std::move(shared)),
        steps_(steps) {
    doc_ = postings_.doc();
  }
  std::uint32_t seek(std::uint32_t target) override {
    if (doc_ < target) doc_ = postings_.seek(target);
    return doc_;
  }
  std::uint64_t cost() const override { return postings_.cursor().doc_freq(); }
  void enter() override {
    at_ = {};
    next_ = 0;
    if (shared_->doc == doc_) return;
    positions_.read(postings_, shared_->list);
    shared_->doc = doc_;
    (void)steps_.go_on(1 + shared_->list.size() / 8);
  }
  bool next() override {
    if (next_ == shared_->list.size() || !steps_.go_on()) return ended();
    const std::int64_t position = shared_->list[next_++];
    return found(position, position + 1, 0);
  }

 private:
  PostingsIterator postings_;
  PositionsReader positions_;
  std::shared_ptr<WordOpener::Positions> shared_;
  os::Steps& steps_;
  std::size_t next_ = 0;
};

struct LaterDoc {
  bool operator()(const SpanWalk* a, const SpanWalk* b) const { return a->doc() > b->doc(); }
};

class WalkScorer final : public Scorer {
 public:
  WalkScorer(SpanWalkPtr walk, std::unique_ptr<SpanScoring> scoring, os::Steps& steps)
      : walk_(std::move(walk)), scoring_(std::move(scoring)), steps_(steps) {
    find(0);
  }
  std::uint32_t next() override { return find(doc_ + 1); }
  std::uint32_t seek(std::uint32_t target) override { return doc_ >= target ? doc_ : find(target); }
  std::uint64_t cost() const override { return walk_->cost(); }
  float frequency() const override { return frequency_; }
  float score() override {
    if (!is_counted_) count();
    return scoring_->score(doc_, frequency_);
  }

 private:
  std::uint32_t find(std::uint32_t target) {
    for (;;) {
      const std::uint32_t doc = walk_->seek(target);
      if (doc == no_more || !steps_.go_on()) return doc_ = no_more;
      walk_->enter();
      is_counted_ = false;
      if (walk_->next()) return doc_ = doc;
      target = doc + 1;
    }
  }
  // In single precision, as the field's engine adds them up.
  void count() {
    frequency_ = 0;
    do
      frequency_ =
          static_cast<float>(static_cast<double>(frequency_) + scoring_->share(walk_->at()));
    while (walk_->next());
    is_counted_ = true;
  }
  SpanWalkPtr walk_;
  std::unique_ptr<SpanScoring> scoring_;
  os::Steps& steps_;
  float frequency_ = 0;
  bool is_counted_ = false;
};

}  // namespace

AllWalk::AllWalk(std::vector<SpanWalkPtr> parts, os::Steps& steps)
    : parts_(std::move(parts)), steps_(steps) {
  const auto cheapest = std::min_element(
      parts_.begin(), parts_.end(),
      [](const SpanWalkPtr& a, const SpanWalkPtr& b) { return a->cost() < b->cost(); });
  lead_ = static_cast<std::size_t>(cheapest - parts_.begin());
  align(parts_[lead_]->doc());
}

std::uint32_t AllWalk::seek(std::uint32_t target) {
  return doc_ >= target ? doc_ : align(parts_[lead_]->seek(target));
}

std::uint32_t AllWalk::align(std::uint32_t doc) {
  for (std::size_t i = 0; doc != no_more && i < parts_.size();) {
    if (!steps_.go_on()) return doc_ = no_more;
    const std::uint32_t other = parts_[i]->seek(doc);
    if (other == doc) {
      ++i;
      continue;
    }
    doc = other == no_more ? no_more : parts_[lead_]->seek(other);
    i = 0;
  }
  return doc_ = doc;
}

void AllWalk::enter() {
  at_ = {};
  (void)steps_.go_on(parts_.size());
  for (const SpanWalkPtr& part : parts_) part->enter();
}

AnyWalk::AnyWalk(std::vector<SpanWalkPtr> parts, os::Steps& steps)
    : steps_(steps), parts_(std::move(parts)) {
  for (const SpanWalkPtr& part : parts_)
    if (part->doc() != no_more) heap_.push_back(part.get());
  std::make_heap(heap_.begin(), heap_.end(), LaterDoc{});
  doc_ = heap_.empty() ? no_more : heap_.front()->doc();
}

std::uint32_t AnyWalk::seek(std::uint32_t target) {
  while (!heap_.empty() && heap_.front()->doc() < target) {
    if (!steps_.go_on()) return doc_ = no_more;
    std::pop_heap(heap_.begin(), heap_.end(), LaterDoc{});
    if (heap_.back()->seek(target) == no_more)
      heap_.pop_back();
    else
      std::push_heap(heap_.begin(), heap_.end(), LaterDoc{});
  }
  return doc_ = heap_.empty() ? no_more : heap_.front()->doc();
}

std::uint64_t AnyWalk::cost() const {
  std::uint64_t sum = 0;
  for (const SpanWalkPtr& part : parts_) sum += part->cost();
  return sum;
}

// Those with the least document are at the top of the heap, one below the other.
void AnyWalk::gather(std::size_t at) {
  if (at >= heap_.size() || heap_[at]->doc() != doc_) return;
  here_.push_back(heap_[at]);
  gather(2 * at + 1);
  gather(2 * at + 2);
}

void AnyWalk::enter() {
  at_ = {};
  here_.clear();
  gather(0);
  (void)steps_.go_on(here_.size());
  for (SpanWalk* part : here_) part->enter();
}

BesideWalk::BesideWalk(SpanWalkPtr first, SpanWalkPtr second)
    : first_(std::move(first)), second_(std::move(second)) {
  doc_ = first_->doc();
}

void BesideWalk::enter() {
  at_ = {};
  first_->enter();
  has_second_ = second_->seek(doc_) == doc_;
  if (!has_second_) return;
  second_->enter();
  has_second_ = second_->next();
}

WordOpener::WordOpener(const QueryContext& context, std::size_t segment)
    : context_(context), segment_(*context.view.segments[segment].segment) {}

Result<SpanWalkPtr> WordOpener::open(const std::string& field, const std::string& term) {
  const TermsReader* reader = segment_.terms(field);
  if (reader == nullptr || reader->kind() != TermsKind::positions) return SpanWalkPtr();
  CAIRN_CHECK(context_.steps.take(32));
  CAIRN_TRY(const auto entry, reader->find(term, context_.deadline));
  if (!entry) return SpanWalkPtr();
  CAIRN_TRY(auto cursor, reader->postings(*entry, context_.deadline));
  CAIRN_TRY(auto positions, reader->positions(*entry, context_.deadline));
  auto& shared = known_[{field, term}];
  if (shared == nullptr) shared = std::make_shared<Positions>();
  return SpanWalkPtr(std::make_unique<WordWalk>(PostingsIterator(std::move(cursor)),
                                                std::move(positions), shared, context_.steps));
}

ScorerPtr span_scorer(SpanWalkPtr walk, std::unique_ptr<SpanScoring> scoring, os::Steps& steps) {
  if (walk == nullptr) return nullptr;
  auto scorer = std::make_unique<WalkScorer>(std::move(walk), std::move(scoring), steps);
  return scorer->doc() == no_more ? nullptr : ScorerPtr(std::move(scorer));
}

}  // namespace cairn::index
