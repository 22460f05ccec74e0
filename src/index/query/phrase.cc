// SPDX-License-Identifier: Apache-2.0
// Phrases: documents that have all terms, then their positions.
#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "index/query/scorer.h"

namespace cairn::index {
namespace {

/// One place of the phrase in one segment: the union of its alternatives.
class Place {
 public:
  explicit Place(PhrasePart part) : part_(std::move(part)) { find_doc(); }
  std::uint32_t doc() const { return doc_; }
  std::uint32_t seek(std::uint32_t target) {
    if (doc_ >= target) return doc_;
    for (PostingsIterator& term : part_.terms) term.seek(target);
    return find_doc();
  }
  std::uint32_t next() { return seek(doc_ + 1); }
  std::uint64_t cost() const {
    std::uint64_t sum = 0;
    for (const PostingsIterator& term : part_.terms) sum += term.cursor().doc_freq();
    return sum;
  }
  std::uint32_t offset() const { return part_.offset; }
  std::uint32_t group() const { return part_.group; }
  /// Those that were read last.
  const std::vector<std::uint32_t>& positions() const { return all_; }
  /// Positions in doc(), ascending.
  const std::vector<std::uint32_t>& read() {
    all_.clear();
    for (std::size_t i = 0; i < part_.terms.size(); ++i) {
      if (part_.terms[i].doc() != doc_) continue;
      part_.positions[i].read(part_.terms[i], one_);
      all_.insert(all_.end(), one_.begin(), one_.end());
    }
    if (part_.terms.size() > 1) std::sort(all_.begin(), all_.end());
    return all_;
  }

 private:
  std::uint32_t find_doc() {
    doc_ = no_more;
    for (const PostingsIterator& term : part_.terms) doc_ = std::min(doc_, term.doc());
    return doc_;
  }
  PhrasePart part_;
  std::uint32_t doc_ = no_more;
  std::vector<std::uint32_t> all_, one_;
};

/// Walks over the positions of one place while a phrase is looked for.
struct Pointer {
  const std::vector<std::uint32_t>* positions = nullptr;
  std::size_t at = 0;
  std::int64_t offset = 0;
  std::uint32_t group = 0;
  std::int64_t position() const { return static_cast<std::int64_t>((*positions)[at]) - offset; }
  std::uint32_t raw() const { return (*positions)[at]; }
  bool next() { return ++at < positions->size(); }
};

// How often the terms stand exactly as in the phrase.
float exact_count(std::vector<Pointer>& pointers, os::Steps& steps) {
  float count = 0;
  Pointer& first = pointers[0];
  for (;;) {
    const std::int64_t start = first.position();
    std::int64_t further = start;
    for (std::size_t i = 1; i < pointers.size() && further == start; ++i) {
      Pointer& p = pointers[i];
      while (p.position() < start)
        if (!steps.go_on() || !p.next()) return count;
      if (!steps.go_on()) return count;
      further = p.position();
    }
    if (further == start) ++count;
    do {
      if (!first.next()) return count;
    } while (first.position() < further);
  }
}

/// Phrases whose terms may stand apart: the sum of 1 / (1 + distance) over the matches.
class Sloppy {
  // Whether one place comes behind another: by position, then as they stand in the phrase.
  struct Behind {
    const std::vector<Pointer>& p;
    bool operator()(std::size_t a, std::size_t b) const { return key(a) > key(b); }
    std::tuple<std::int64_t, std::int64_t, std::size_t> key(std::size_t i) const {
      return {p[i].position(), p[i].offset, i};
    }
  };

 public:
  Sloppy(std::vector<Pointer>& pointers, std::int64_t slop, os::Steps& steps)
      : p_(pointers), slop_(slop), steps_(steps), repeats_(pointers.size(), false) {
    for (std::size_t i = 0; i < p_.size(); ++i)
      if (p_[i].group != i) repeats_[i] = repeats_[p_[i].group] = true;
  }

  float count() {
    for (std::size_t i = 0; i < p_.size(); ++i) {
      if (!take_free(i)) return 0;
      end_ = i == 0 ? p_[0].position() : std::max(end_, p_[i].position());
      order_.push_back(i);
    }
    std::make_heap(order_.begin(), order_.end(), Behind{p_});
    float sum = 0;
    std::size_t least = take_least();
    std::int64_t length = end_ - p_[least].position();
    while (advance(least)) {
      if (!order_.empty() && p_[least].position() > p_[order_.front()].position()) {
        if (length <= slop_) sum += 1.0f / (1.0f + static_cast<float>(length));
        order_.push_back(least);
        std::push_heap(order_.begin(), order_.end(), Behind{p_});
        least = take_least();
        length = end_ - p_[least].position();
      } else {
        length = std::min(length, end_ - p_[least].position());
      }
    }
    if (length <= slop_) sum += 1.0f / (1.0f + static_cast<float>(length));
    return sum;
  }

 private:
  std::size_t take_least() {
    std::pop_heap(order_.begin(), order_.end(), Behind{p_});
    const std::size_t least = order_.back();
    order_.pop_back();
    return least;
  }
  bool advance(std::size_t i) {
    if (repeats_[i]) taken_.erase(place(i));
    if (!steps_.go_on(4) || !p_[i].next() || !take_free(i)) return false;
    end_ = std::max(end_, p_[i].position());
    return true;
  }
  // Two places of one term cannot use the same occurrence: the later one goes on to the next.
  bool take_free(std::size_t i) {
    if (!repeats_[i]) return true;
    while (!taken_.insert(place(i)).second)
      if (!steps_.go_on() || !p_[i].next()) return false;
    return true;
  }
  std::uint64_t place(std::size_t i) const {
    return (std::uint64_t{p_[i].group} << 32) | p_[i].raw();
  }

  std::vector<Pointer>& p_;
  std::int64_t slop_;
  os::Steps& steps_;
  std::vector<bool> repeats_;                // the term has several places in the phrase
  std::unordered_set<std::uint64_t> taken_;  // occurrences of those terms
  std::vector<std::size_t> order_;           // all but the one that moves; the least on top
  std::int64_t end_ = 0;
};

class PhraseScorer final : public Scorer {
 public:
  PhraseScorer(std::vector<PhrasePart> parts, std::uint32_t slop, TermScoring scoring,
               os::Steps& steps)
      : slop_(slop), scoring_(scoring), steps_(steps) {
    for (PhrasePart& part : parts) places_.emplace_back(std::move(part));
    lead_ = static_cast<std::size_t>(
        std::min_element(places_.begin(), places_.end(),
                         [](const Place& a, const Place& b) { return a.cost() < b.cost(); }) -
        places_.begin());
    settle(places_[lead_].doc());
  }
  std::uint32_t next() override { return settle(places_[lead_].next()); }
  std::uint32_t seek(std::uint32_t target) override {
    return doc_ >= target ? doc_ : settle(places_[lead_].seek(target));
  }
  float score() override { return scoring_.of(doc_, freq_); }
  float frequency() const override { return freq_; }
  std::uint64_t cost() const override { return places_[lead_].cost(); }

 private:
  std::uint32_t settle(std::uint32_t doc) {
    for (;; doc = places_[lead_].next()) {
      doc = align(doc);
      if (!steps_.go_on()) return doc_ = no_more;
      if (doc == no_more || (freq_ = count_places()) > 0) return doc_ = doc;
    }
  }
  std::uint32_t align(std::uint32_t doc) {
    for (std::size_t i = 0; doc != no_more && i < places_.size();) {
      if (!steps_.go_on()) return no_more;
      const std::uint32_t other = places_[i].seek(doc);
      if (other == doc) {
        ++i;
        continue;
      }
      doc = other == no_more ? no_more : places_[lead_].seek(other);
      i = 0;
    }
    return doc;
  }
  float count_places() {
    pointers_.clear();
    for (Place& place : places_) {
      // A word that the phrase repeats has the positions of its first place.
      const std::size_t first = place.group();
      const auto& positions = &place == &places_[first] ? place.read() : places_[first].positions();
      if (positions.empty() || !steps_.go_on(1 + positions.size() / 8)) return 0;
      pointers_.push_back({.positions = &positions,
                           .at = 0,
                           .offset = static_cast<std::int64_t>(place.offset()),
                           .group = place.group()});
    }
    if (slop_ == 0) return exact_count(pointers_, steps_);
    return Sloppy(pointers_, slop_, steps_).count();
  }

  std::vector<Place> places_;
  std::size_t lead_ = 0;
  std::uint32_t slop_;
  TermScoring scoring_;
  os::Steps& steps_;
  float freq_ = 0;
  std::vector<Pointer> pointers_;
};

}  // namespace

ScorerPtr phrase_scorer(std::vector<PhrasePart> parts, std::uint32_t slop, TermScoring scoring,
                        os::Steps& steps) {
  if (parts.empty()) return nullptr;
  auto scorer = std::make_unique<PhraseScorer>(std::move(parts), slop, scoring, steps);
  return scorer->doc() == no_more ? nullptr : std::move(scorer);
}

}  // namespace cairn::index
