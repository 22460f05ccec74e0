// SPDX-License-Identifier: Apache-2.0
// Phrases: documents that have all terms, then their positions.
#include <algorithm>

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
float exact_count(std::vector<Pointer>& pointers) {
  float count = 0;
  Pointer& first = pointers[0];
  for (;;) {
    const std::int64_t start = first.position();
    bool all = true;
    std::int64_t further = start;
    for (std::size_t i = 1; i < pointers.size(); ++i) {
      Pointer& p = pointers[i];
      while (p.position() < start)
        if (!p.next()) return count;
      if (p.position() == start) continue;
      all = false;
      further = std::max(further, p.position());
    }
    if (all) ++count;
    do {
      if (!first.next()) return count;
    } while (first.position() < further);
  }
}

/// Phrases whose terms may stand apart: the sum of 1 / (1 + distance) over the matches.
class Sloppy {
 public:
  Sloppy(std::vector<Pointer>& pointers, std::int64_t slop) : p_(pointers), slop_(slop) {}

  float count() {
    for (std::size_t i = 0; i < p_.size(); ++i) {
      if (!avoid_repeats(i)) return 0;
      end_ = i == 0 ? p_[0].position() : std::max(end_, p_[i].position());
    }
    float sum = 0;
    std::size_t least = take_least(SIZE_MAX);
    std::int64_t next = p_[take_least(least)].position();
    std::int64_t length = end_ - p_[least].position();
    while (advance(least)) {
      if (p_[least].position() > next) {
        if (length <= slop_) sum += 1.0f / (1.0f + static_cast<float>(length));
        least = take_least(SIZE_MAX);
        next = p_[take_least(least)].position();
        length = end_ - p_[least].position();
      } else {
        length = std::min(length, end_ - p_[least].position());
      }
    }
    if (length <= slop_) sum += 1.0f / (1.0f + static_cast<float>(length));
    return sum;
  }

 private:
  std::size_t take_least(std::size_t except) const {
    std::size_t best = SIZE_MAX;
    for (std::size_t i = 0; i < p_.size(); ++i) {
      if (i == except) continue;
      if (best == SIZE_MAX || p_[i].position() < p_[best].position() ||
          (p_[i].position() == p_[best].position() && p_[i].offset < p_[best].offset))
        best = i;
    }
    return best;
  }
  bool advance(std::size_t i) {
    if (!p_[i].next() || !avoid_repeats(i)) return false;
    end_ = std::max(end_, p_[i].position());
    return true;
  }
  // Two places of one term cannot use the same occurrence.
  bool avoid_repeats(std::size_t i) {
    for (std::size_t other = 0; other < p_.size(); ++other) {
      if (other == i || p_[other].group != p_[i].group || p_[other].raw() != p_[i].raw()) continue;
      if (other > i && !started_) continue;
      if (!p_[i].next()) return false;
      return avoid_repeats(i);
    }
    if (i + 1 == p_.size()) started_ = true;
    return true;
  }

  std::vector<Pointer>& p_;
  std::int64_t slop_;
  std::int64_t end_ = 0;
  bool started_ = false;
};

class PhraseScorer final : public Scorer {
 public:
  PhraseScorer(std::vector<PhrasePart> parts, std::uint32_t slop, TermScoring scoring)
      : slop_(slop), scoring_(scoring) {
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
  std::uint64_t cost() const override { return places_[lead_].cost(); }

 private:
  std::uint32_t settle(std::uint32_t doc) {
    for (;; doc = places_[lead_].next()) {
      doc = align(doc);
      if (doc == no_more || (freq_ = frequency()) > 0) return doc_ = doc;
    }
  }
  std::uint32_t align(std::uint32_t doc) {
    for (std::size_t i = 0; doc != no_more && i < places_.size();) {
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
  float frequency() {
    pointers_.clear();
    for (Place& place : places_) {
      const auto& positions = place.read();
      if (positions.empty()) return 0;
      pointers_.push_back({.positions = &positions,
                           .at = 0,
                           .offset = static_cast<std::int64_t>(place.offset()),
                           .group = place.group()});
    }
    if (slop_ == 0) return exact_count(pointers_);
    return Sloppy(pointers_, slop_).count();
  }

  std::vector<Place> places_;
  std::size_t lead_ = 0;
  std::uint32_t slop_;
  TermScoring scoring_;
  float freq_ = 0;
  std::vector<Pointer> pointers_;
};

}  // namespace

ScorerPtr phrase_scorer(std::vector<PhrasePart> parts, std::uint32_t slop, TermScoring scoring) {
  if (parts.empty()) return nullptr;
  auto scorer = std::make_unique<PhraseScorer>(std::move(parts), slop, scoring);
  return scorer->doc() == no_more ? nullptr : std::move(scorer);
}

}  // namespace cairn::index
