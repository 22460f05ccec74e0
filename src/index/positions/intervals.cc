// SPDX-License-Identifier: Apache-2.0
#include "index/positions/intervals.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace cairn::index {
namespace {

using OfIntervals = IntervalNode::Kind;

std::int64_t covered_by(const std::vector<SpanWalkPtr>& parts) {
  std::int64_t sum = 0;
  for (const SpanWalkPtr& part : parts) sum += part->covered();
  return sum;
}

/// Intervals of any part, the one that ends first before the others, without those around another.
class AnyInterval final : public AnyWalk {
 public:
  AnyInterval(std::vector<SpanWalkPtr> parts, os::Steps& steps)
      : AnyWalk(std::move(parts), steps) {}
  void enter() override {
    AnyWalk::enter();
    queue_.clear();
    for (SpanWalk* part : here_)
      if (part->next()) queue_.push_back(part);
    std::make_heap(queue_.begin(), queue_.end(), Behind{});
    is_fresh_ = true;
  }
  bool next() override {
    while (!is_fresh_ && !queue_.empty() && is_around(queue_.front()->at())) go_on();
    is_fresh_ = false;
    if (queue_.empty() || !steps_.go_on()) return ended();
    at_ = queue_.front()->at();
    return true;
  }

 private:
  struct Behind {
    bool operator()(const SpanWalk* a, const SpanWalk* b) const {
      return std::pair(a->at().end, -a->at().begin) > std::pair(b->at().end, -b->at().begin);
    }
  };
  bool is_around(const Span& other) const {
    return other.begin <= at_.begin && at_.end <= other.end;
  }
  void go_on() {
    std::pop_heap(queue_.begin(), queue_.end(), Behind{});
    if (queue_.back()->next())
      std::push_heap(queue_.begin(), queue_.end(), Behind{});
    else
      queue_.pop_back();
  }
  std::vector<SpanWalk*> queue_;
  bool is_fresh_ = true;
};

/// Parts right behind one another.
class BlockIntervals final : public AllWalk {
 public:
  BlockIntervals(std::vector<SpanWalkPtr> parts, os::Steps& steps)
      : AllWalk(std::move(parts), steps) {}
  bool next() override {
    if (!parts_[0]->next()) return ended();
    for (std::size_t i = 1; i < parts_.size() && steps_.go_on();) {
      while (parts_[i]->at().begin < parts_[i - 1]->at().end)
        if (!parts_[i]->next()) return ended();
      if (parts_[i]->at().begin == parts_[i - 1]->at().end) {
        ++i;
        continue;
      }
      if (!parts_[0]->next()) return ended();
      i = 1;
    }
    if (!steps_.go_on()) return ended();
    return found(parts_.front()->at().begin, parts_.back()->at().end, 0);
  }
};

/// Parts one behind the other. Once an interval is found, its parts go on for as long as that makes
/// it shorter; the next one is looked for where that stopped.
class OrderedIntervals final : public AllWalk {
 public:
  OrderedIntervals(std::vector<SpanWalkPtr> parts, os::Steps& steps)
      : AllWalk(std::move(parts), steps) {}
  void enter() override {
    AllWalk::enter();
    (void)parts_[0]->next();
    part_ = 1;
  }
  bool next() override {
    bool any = false;
    std::int64_t last_begin = Span::nowhere - 1;
    while (steps_.go_on(parts_.size()) && line_up(last_begin, any)) {
      const std::int64_t begin = parts_.front()->at().begin, end = parts_.back()->at().end;
      any = found(begin, end, end - begin - covered_by(parts_));
      last_begin = parts_.back()->at().begin;
      part_ = 1;
      if (!parts_[0]->next()) break;
    }
    return any || ended();
  }

 private:
  // False where none lines up before `last_begin`. While what was found is made shorter, a part
  // that stands behind the one before it is where it should be, and so are those behind it.
  bool line_up(std::int64_t last_begin, bool shortens) {
    for (;; ++part_) {
      const Span before = parts_[part_ - 1]->at();
      if (before.end > last_begin) return false;
      if (part_ == parts_.size()) return true;
      SpanWalk& part = *parts_[part_];
      if (shortens && part.at().begin >= before.end) return true;
      do
        if (part.at().end > last_begin || !part.next()) return false;
      while (part.at().begin < before.end);
    }
  }
  std::size_t part_ = 1;  // the one that is to stand behind the one before it
};

/// Parts in any order, over one another too: the part that begins first goes on for as long as the
/// end stays.
class UnorderedIntervals final : public AllWalk {
 public:
  UnorderedIntervals(std::vector<SpanWalkPtr> parts, os::Steps& steps)
      : AllWalk(std::move(parts), steps) {}
  void enter() override {
    AllWalk::enter();
    queue_.clear();
    end_ = -1;
    for (const SpanWalkPtr& part : parts_) {
      if (!part->next()) break;
      put(part.get());
    }
  }
  bool next() override {
    while (is_full() && queue_.front()->at().begin == at_.begin) go_on();
    if (!is_full() || !steps_.go_on()) return ended();
    std::int64_t end = 0;
    do {
      end = end_;
      const std::int64_t begin = queue_.front()->at().begin;
      (void)found(begin, end, end - begin - covered_by(parts_));
      if (!steps_.go_on(parts_.size()) || queue_.front()->at().end == end) return true;
      go_on();
    } while (is_full() && end == end_);
    return true;
  }

 private:
  struct Behind {
    bool operator()(const SpanWalk* a, const SpanWalk* b) const {
      return std::pair(a->at().begin, -a->at().end) > std::pair(b->at().begin, -b->at().end);
    }
  };
  bool is_full() const { return queue_.size() == parts_.size(); }
  void put(SpanWalk* part) {
    end_ = std::max(end_, part->at().end);
    queue_.push_back(part);
    std::push_heap(queue_.begin(), queue_.end(), Behind{});
  }
  void go_on() {
    std::pop_heap(queue_.begin(), queue_.end(), Behind{});
    SpanWalk* const part = queue_.back();
    queue_.pop_back();
    if (part->next()) put(part);
  }
  std::vector<SpanWalk*> queue_;
  std::int64_t end_ = -1;  // the furthest that any part has been
};

/// A part so many times, one after the other.
class RepeatedIntervals final : public AllWalk {
 public:
  RepeatedIntervals(std::vector<SpanWalkPtr> part, std::size_t count, os::Steps& steps)
      : AllWalk(std::move(part), steps), count_(count) {}
  void enter() override {
    AllWalk::enter();
    run_.clear();
    covered_ = 0;
  }
  bool next() override {
    if (run_.size() == count_) drop();
    while (run_.size() < count_) {
      if (!parts_[0]->next()) return ended();
      run_.push_back(parts_[0]->at());
      covered_ += run_.back().end - run_.back().begin;
    }
    const std::int64_t begin = run_.front().begin, end = run_.back().end;
    return found(begin, end, end - begin - covered_);
  }
  std::int64_t covered() const override { return covered_; }

 private:
  void drop() {
    covered_ -= run_.front().end - run_.front().begin;
    run_.pop_front();
  }
  std::size_t count_;
  std::deque<Span> run_;
  std::int64_t covered_ = 0;
};

/// Intervals of the part, changed one by one.
template <class Change>
class ChangedIntervals final : public AllWalk {
 public:
  ChangedIntervals(std::vector<SpanWalkPtr> part, Change change, os::Steps& steps)
      : AllWalk(std::move(part), steps), change_(std::move(change)) {}
  bool next() override {
    while (parts_[0]->next()) {
      at_ = parts_[0]->at();
      if (change_(at_)) return true;
    }
    return ended();
  }

 private:
  Change change_;
};

/// Intervals of the first part that pass a comparison with one of the second, which goes on while
/// that is left behind.
template <class IsLeftBehind, class Passes>
class ComparedIntervals final : public AllWalk {
 public:
  ComparedIntervals(std::vector<SpanWalkPtr> parts, IsLeftBehind is_left_behind, Passes passes,
                    os::Steps& steps)
      : AllWalk(std::move(parts), steps), is_left_behind_(is_left_behind), passes_(passes) {}
  void enter() override {
    AllWalk::enter();
    has_second_ = parts_[1]->next();
  }
  bool next() override {
    SpanWalk &first = *parts_[0], &second = *parts_[1];
    while (has_second_ && first.next()) {
      while (has_second_ && is_left_behind_(second.at(), first.at())) has_second_ = second.next();
      if (!has_second_) break;
      if (!passes_(second.at(), first.at())) continue;
      at_ = first.at();
      return true;
    }
    return ended();
  }

 private:
  IsLeftBehind is_left_behind_;
  Passes passes_;
  bool has_second_ = false;
};

/// Intervals of the first part that pass the comparison, or that the second has nothing for.
template <class IsLeftBehind, class Passes>
class ExceptIntervals final : public BesideWalk {
 public:
  ExceptIntervals(SpanWalkPtr first, SpanWalkPtr second, IsLeftBehind is_left_behind, Passes passes)
      : BesideWalk(std::move(first), std::move(second)),
        is_left_behind_(is_left_behind),
        passes_(passes) {}
  bool next() override {
    while (first_->next()) {
      while (has_second_ && is_left_behind_(second_->at(), first_->at()))
        has_second_ = second_->next();
      if (has_second_ && !passes_(second_->at(), first_->at())) continue;
      at_ = first_->at();
      return true;
    }
    return ended();
  }

 private:
  IsLeftBehind is_left_behind_;
  Passes passes_;
};

// Which interval of the second is left behind by one of the first.
constexpr auto ends_earlier = [](const Span& b, const Span& a) { return b.end < a.end; };
constexpr auto lies_before = [](const Span& b, const Span& a) { return b.end <= a.begin; };
constexpr auto begins_and_ends_earlier = [](const Span& b, const Span& a) {
  return b.begin < a.begin && b.end < a.end;
};
// Which one passes.
constexpr auto lies_within = [](const Span& b, const Span& a) {
  return a.begin <= b.begin && b.end <= a.end;
};
constexpr auto lies_around = [](const Span& b, const Span& a) { return b.begin <= a.begin; };
constexpr auto begins_before_end = [](const Span& b, const Span& a) { return b.begin < a.end; };
constexpr auto lies_behind = [](const Span& b, const Span& a) { return b.begin >= a.end; };
constexpr auto begins_later = [](const Span& b, const Span& a) { return b.begin > a.begin; };

template <class Change>
SpanWalkPtr changed(std::vector<SpanWalkPtr> part, Change change, os::Steps& steps) {
  return std::make_unique<ChangedIntervals<Change>>(std::move(part), std::move(change), steps);
}

template <class IsLeftBehind, class Passes>
SpanWalkPtr compared(std::vector<SpanWalkPtr> parts, IsLeftBehind is_left_behind, Passes passes,
                     os::Steps& steps) {
  return std::make_unique<ComparedIntervals<IsLeftBehind, Passes>>(std::move(parts), is_left_behind,
                                                                   passes, steps);
}

template <class IsLeftBehind, class Passes>
SpanWalkPtr except(std::vector<SpanWalkPtr> parts, IsLeftBehind is_left_behind, Passes passes) {
  if (parts[1] == nullptr) return std::move(parts[0]);
  return std::make_unique<ExceptIntervals<IsLeftBehind, Passes>>(
      std::move(parts[0]), std::move(parts[1]), is_left_behind, passes);
}

SpanWalkPtr any_interval(std::vector<SpanWalkPtr> parts, os::Steps& steps) {
  std::erase(parts, nullptr);
  if (parts.empty()) return nullptr;
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<AnyInterval>(std::move(parts), steps);
}

// The second part of these is the one that may be missing.
bool is_exception(OfIntervals kind) {
  return kind == OfIntervals::not_containing || kind == OfIntervals::not_contained_by ||
         kind == OfIntervals::not_overlapping;
}

SpanWalkPtr walk_of(const IntervalNode& node, std::vector<SpanWalkPtr> parts, os::Steps& steps) {
  switch (node.kind) {
    case OfIntervals::any:
    case OfIntervals::words:
      return any_interval(std::move(parts), steps);
    case OfIntervals::block:
      return std::make_unique<BlockIntervals>(std::move(parts), steps);
    case OfIntervals::ordered:
      return std::make_unique<OrderedIntervals>(std::move(parts), steps);
    case OfIntervals::unordered:
      return std::make_unique<UnorderedIntervals>(std::move(parts), steps);
    case OfIntervals::repeated:
      return std::make_unique<RepeatedIntervals>(std::move(parts),
                                                 static_cast<std::size_t>(node.count), steps);
    case OfIntervals::extended:
      return changed(
          std::move(parts),
          [before = node.before, after = node.after](Span& at) {
            at.begin = std::max<std::int64_t>(0, at.begin - before);
            at.end += after;
            return true;
          },
          steps);
    case OfIntervals::place_before:
      return changed(
          std::move(parts),
          [](Span& at) {
            const std::int64_t place = std::max<std::int64_t>(0, at.begin - 1);
            at = {.begin = place, .end = place + 1};
            return true;
          },
          steps);
    case OfIntervals::place_behind:
      return changed(
          std::move(parts),
          [](Span& at) {
            at = {.begin = at.end, .end = at.end + 1};
            return true;
          },
          steps);
    case OfIntervals::few_gaps:
      return changed(
          std::move(parts), [most = node.count](const Span& at) { return at.apart <= most; },
          steps);
    case OfIntervals::containing:
      return compared(std::move(parts), begins_and_ends_earlier, lies_within, steps);
    case OfIntervals::contained_by:
      return compared(std::move(parts), ends_earlier, lies_around, steps);
    case OfIntervals::overlapping:
      return compared(std::move(parts), lies_before, begins_before_end, steps);
    case OfIntervals::not_containing:
      return except(std::move(parts), begins_and_ends_earlier, lies_behind);
    case OfIntervals::not_contained_by:
      return except(std::move(parts), ends_earlier, begins_later);
    case OfIntervals::not_overlapping:
      return except(std::move(parts), lies_before, lies_behind);
    case OfIntervals::nothing:
    case OfIntervals::field:
      break;
  }
  return std::move(parts.front());
}

}  // namespace

Result<SpanWalkPtr> open_intervals(WordOpener& words, const IntervalNode& node) {
  if (node.kind == OfIntervals::nothing) return SpanWalkPtr();
  std::vector<SpanWalkPtr> parts;
  for (const std::string& term : node.terms) {
    CAIRN_TRY(auto word, words.open(node.field, term));
    parts.push_back(std::move(word));
  }
  for (const IntervalNodePtr& part : node.parts) {
    CAIRN_TRY(auto walk, open_intervals(words, *part));
    const bool optional =
        node.kind == OfIntervals::any || (is_exception(node.kind) && !parts.empty());
    if (walk == nullptr && !optional) return SpanWalkPtr();
    parts.push_back(std::move(walk));
  }
  return walk_of(node, std::move(parts), words.steps());
}

}  // namespace cairn::index
