// SPDX-License-Identifier: Apache-2.0
#include "index/positions/spans.h"

#include <algorithm>
#include <utility>

namespace cairn::index {
namespace {

using SpanKind = SpanQuery::Kind;

/// The pieces of all parts, by where they begin, then by where they end.
class EachOf final : public AnyWalk {
 public:
  EachOf(std::vector<SpanWalkPtr> parts, os::Steps& steps) : AnyWalk(std::move(parts), steps) {}
  void enter() override {
    AnyWalk::enter();
    order_.clear();
    for (SpanWalk* part : here_)
      if (part->next()) order_.push_back(part);
    std::make_heap(order_.begin(), order_.end(), Behind{});
    is_fresh_ = true;
  }
  bool next() override {
    if (!is_fresh_ && !order_.empty()) go_on();
    is_fresh_ = false;
    if (order_.empty() || !steps_.go_on()) return ended();
    at_ = order_.front()->at();
    return true;
  }

 private:
  struct Behind {
    bool operator()(const SpanWalk* a, const SpanWalk* b) const {
      return std::pair(a->at().begin, a->at().end) > std::pair(b->at().begin, b->at().end);
    }
  };
  void go_on() {
    std::pop_heap(order_.begin(), order_.end(), Behind{});
    if (order_.back()->next())
      std::push_heap(order_.begin(), order_.end(), Behind{});
    else
      order_.pop_back();
  }
  std::vector<SpanWalk*> order_;
  bool is_fresh_ = true;
};

/// Parts one behind the other. Each part goes on to its first piece behind the one before it, and
/// never back: what a piece of the first part is put together with is what stands there then.
class InOrder final : public AllWalk {
 public:
  /// A place of the sequence: the part of that number, or where there is none, a gap.
  struct Place {
    static constexpr std::size_t gap = SIZE_MAX;
    std::size_t part = gap;
    std::int64_t width = 0;  // of a gap
  };
  InOrder(std::vector<SpanWalkPtr> parts, std::vector<Place> places, std::int64_t slop,
          os::Steps& steps)
      : AllWalk(std::move(parts), steps), places_(std::move(places)), slop_(slop) {}
  void enter() override {
    AllWalk::enter();
    gap_at_ = -1;
  }
  bool next() override {
    while (steps_.go_on(places_.size()) && next_first() && stretch())
      if (at_.apart <= slop_) return true;
    return ended();
  }

 private:
  // A gap that comes first begins anywhere.
  bool next_first() {
    const Place& first = places_.front();
    if (first.part != Place::gap) return parts_[first.part]->next();
    ++gap_at_;
    return true;
  }
  bool stretch() {
    const Place& first = places_.front();
    const Span start = first.part == Place::gap ? Span{gap_at_, gap_at_ + first.width, 0}
                                                : parts_[first.part]->at();
    std::int64_t end = start.end, apart = 0;
    for (std::size_t i = 1; i < places_.size(); ++i) {
      if (places_[i].part == Place::gap) {
        end += places_[i].width;
        continue;
      }
      SpanWalk& part = *parts_[places_[i].part];
      while (part.at().begin < end)
        if (!part.next()) return false;
      apart += part.at().begin - end;
      end = part.at().end;
    }
    return found(start.begin, end, apart);
  }
  std::vector<Place> places_;
  std::int64_t slop_;
  std::int64_t gap_at_ = -1;
};

/// Parts in any order, over one another too. The part that begins first goes on, again and again;
/// between parts that begin and end together a heap decides, built as the field's engine builds it,
/// since how often they match depends on it.
class AnyOrder final : public AllWalk {
 public:
  AnyOrder(std::vector<SpanWalkPtr> parts, std::int64_t slop, os::Steps& steps)
      : AllWalk(std::move(parts), steps), slop_(slop) {}
  void enter() override {
    AllWalk::enter();
    heap_.clear();
    is_over_ = false;
    length_ = 0;
    end_ = -1;
    for (std::size_t i = 0; i < parts_.size() && !is_over_; ++i) {
      is_over_ = !parts_[i]->next();
      take(*parts_[i]);
      heap_.push_back(parts_[i].get());
      lift();
    }
    is_fresh_ = true;
  }
  bool next() override {
    while (!is_over_ && steps_.go_on()) {
      if (!is_fresh_ && !go_on()) break;
      is_fresh_ = false;
      const std::int64_t begin = heap_.front()->at().begin;
      if (end_ - begin - length_ <= slop_) return found(begin, end_, end_ - begin);
    }
    is_over_ = true;
    return ended();
  }

 private:
  static bool is_before(const SpanWalk& a, const SpanWalk& b) {
    return std::pair(a.at().begin, a.at().end) < std::pair(b.at().begin, b.at().end);
  }
  void take(const SpanWalk& part) {
    length_ += part.at().end - part.at().begin;
    end_ = std::max(end_, part.at().end);
  }
  bool go_on() {
    SpanWalk& first = *heap_.front();
    length_ -= first.at().end - first.at().begin;
    if (!first.next()) return false;
    take(first);
    sink();
    return true;
  }
  // The last one rises to where it belongs.
  void lift() {
    std::size_t at = heap_.size() - 1;
    SpanWalk* const moved = heap_[at];
    for (; at > 0 && is_before(*moved, *heap_[(at - 1) / 2]); at = (at - 1) / 2)
      heap_[at] = heap_[(at - 1) / 2];
    heap_[at] = moved;
  }
  // The first one falls to where it belongs.
  void sink() {
    SpanWalk* const moved = heap_.front();
    std::size_t at = 0;
    for (std::size_t below = 1; below < heap_.size(); below = 2 * at + 1) {
      if (below + 1 < heap_.size() && is_before(*heap_[below + 1], *heap_[below])) ++below;
      if (!is_before(*heap_[below], *moved)) break;
      heap_[at] = heap_[below];
      at = below;
    }
    heap_[at] = moved;
  }
  std::int64_t slop_;
  std::vector<SpanWalk*> heap_;
  std::int64_t length_ = 0;  // of all parts where they stand
  std::int64_t end_ = -1;    // the furthest that any part has been
  bool is_fresh_ = true, is_over_ = false;
};

/// Pieces that no piece of the second overlaps, with some positions around them.
class Without final : public BesideWalk {
 public:
  Without(SpanWalkPtr first, SpanWalkPtr second, std::int64_t before, std::int64_t after)
      : BesideWalk(std::move(first), std::move(second)), before_(before), after_(after) {}
  bool next() override {
    while (first_->next()) {
      while (has_second_ && second_->at().end <= first_->at().begin - before_)
        has_second_ = second_->next();
      if (has_second_ && second_->at().begin - after_ < first_->at().end) continue;
      at_ = first_->at();
      return true;
    }
    return ended();
  }

 private:
  std::int64_t before_, after_;
};

/// Pieces that end early enough.
class First final : public AllWalk {
 public:
  First(std::vector<SpanWalkPtr> part, std::int64_t end, os::Steps& steps)
      : AllWalk(std::move(part), steps), end_(end) {}
  bool next() override {
    while (parts_[0]->next() && parts_[0]->at().begin < end_) {
      if (parts_[0]->at().end > end_) continue;
      at_ = parts_[0]->at();
      return true;
    }
    return ended();
  }

 private:
  std::int64_t end_;
};

/// Pieces of the first part with one of the second in them: the first that does not begin earlier.
class Containing final : public AllWalk {
 public:
  Containing(std::vector<SpanWalkPtr> parts, os::Steps& steps) : AllWalk(std::move(parts), steps) {}
  bool next() override {
    SpanWalk &big = *parts_[0], &little = *parts_[1];
    while (big.next()) {
      while (little.at().begin < big.at().begin)
        if (!little.next()) return ended();
      if (big.at().end < little.at().end) continue;
      at_ = big.at();
      return true;
    }
    return ended();
  }
};

/// Pieces of the second part in one of the first: the first that does not end earlier.
class Within final : public AllWalk {
 public:
  Within(std::vector<SpanWalkPtr> parts, os::Steps& steps) : AllWalk(std::move(parts), steps) {}
  bool next() override {
    SpanWalk &big = *parts_[0], &little = *parts_[1];
    while (little.next()) {
      while (big.at().end < little.at().end)
        if (!big.next()) return ended();
      if (big.at().begin > little.at().begin) continue;
      at_ = little.at();
      return true;
    }
    return ended();
  }
};

SpanWalkPtr each_of(std::vector<SpanWalkPtr> parts, os::Steps& steps) {
  std::erase(parts, nullptr);
  if (parts.empty()) return nullptr;
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<EachOf>(std::move(parts), steps);
}

Result<SpanWalkPtr> words_of(WordOpener& words, const SpanTree& tree) {
  std::vector<SpanWalkPtr> out;
  for (const std::string& term : tree.terms) {
    CAIRN_TRY(auto word, words.open(tree.field, term));
    out.push_back(std::move(word));
  }
  return each_of(std::move(out), words.steps());
}

SpanWalkPtr near(const SpanTree& tree, std::vector<SpanWalkPtr> parts, os::Steps& steps) {
  if (!tree.in_order) return std::make_unique<AnyOrder>(std::move(parts), tree.slop, steps);
  std::vector<InOrder::Place> places;
  std::size_t part = 0;
  for (const SpanTree& clause : tree.parts)
    places.push_back(clause.kind == SpanKind::gap
                         ? InOrder::Place{.part = InOrder::Place::gap, .width = clause.width}
                         : InOrder::Place{.part = part++, .width = 0});
  return std::make_unique<InOrder>(std::move(parts), std::move(places), tree.slop, steps);
}

}  // namespace

Result<SpanWalkPtr> open_spans(WordOpener& words, const SpanTree& tree) {
  if (tree.parts.empty()) return words_of(words, tree);
  std::vector<SpanWalkPtr> parts;
  for (const SpanTree& part : tree.parts) {
    if (part.kind == SpanKind::gap) continue;
    CAIRN_TRY(auto walk, open_spans(words, part));
    // The second part of a without is the one that may be missing.
    const bool optional =
        tree.kind == SpanKind::any || (tree.kind == SpanKind::without && !parts.empty());
    if (walk == nullptr && !optional) return SpanWalkPtr();
    parts.push_back(std::move(walk));
  }
  os::Steps& steps = words.steps();
  switch (tree.kind) {
    case SpanKind::any:
      return each_of(std::move(parts), steps);
    case SpanKind::near:
      return near(tree, std::move(parts), steps);
    case SpanKind::without:
      if (parts[1] == nullptr) return std::move(parts[0]);
      return SpanWalkPtr(std::make_unique<Without>(std::move(parts[0]), std::move(parts[1]),
                                                   tree.before, tree.after));
    case SpanKind::first:
      return SpanWalkPtr(std::make_unique<First>(std::move(parts), tree.end, steps));
    case SpanKind::containing:
      return SpanWalkPtr(std::make_unique<Containing>(std::move(parts), steps));
    case SpanKind::within:
      return SpanWalkPtr(std::make_unique<Within>(std::move(parts), steps));
    case SpanKind::term:
    case SpanKind::multi:
    case SpanKind::gap:
    case SpanKind::masked:
      break;
  }
  return std::move(parts.front());
}

}  // namespace cairn::index
