// SPDX-License-Identifier: Apache-2.0
#include "index/aggregations/global_ordinals.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "index/aggregations/aggregation_parts.h"
#include "index/errors.h"
#include "index/segment/terms_writer.h"

namespace cairn::index {

/// Dictionaries walked side by side, and beside them the terms that have an early number.
class GlobalOrdinals::Merge {
 public:
  explicit Merge(GlobalOrdinals& of) : of_(of), deadline_(of.context_.deadline) {}

  Status run() {
    CAIRN_CHECK(open());
    while (!heap_.empty() || early_at_ < early_.size()) {
      // A term that stands in for missing values may be in no dictionary.
      if (heap_.empty() ||
          (early_at_ < early_.size() && early_[early_at_].first < heap_.front()->walk.term()))
        number_early();
      else
        CAIRN_CHECK(number_least());
      ++next_;
    }
    of_.limit_ = next_;
    return ok_status();
  }

 private:
  struct Cursor {
    TermsWalk walk;
    Source* source;
  };
  static bool later(const Cursor* a, const Cursor* b) { return a->walk.term() > b->walk.term(); }

  Status open() {
    // What would push much else out of the cache does not go there.
    const bool once = of_.dictionary_bytes_ > of_.context_.view.options.cache_bytes / 8;
    cursors_.reserve(of_.sources_.size());
    for (Source& source : of_.sources_) {
      source.numbers.resize(static_cast<std::size_t>(source.reader->statistics().term_count));
      cursors_.push_back({.walk = TermsWalk(*source.reader, once), .source = &source});
      CAIRN_CHECK(advance(cursors_.back()));
    }
    for (const auto& [term, number] : of_.early_) early_.emplace_back(term, number);
    CAIRN_CHECK(of_.held_.take(16 * early_.size()));
    std::sort(early_.begin(), early_.end());
    of_.settled_numbers_.resize(early_.size());
    return ok_status();
  }
  Status advance(Cursor& cursor) {
    CAIRN_CHECK(of_.held_.take(1));
    CAIRN_TRY(const bool any, cursor.walk.next(deadline_));
    if (!any) return ok_status();
    heap_.push_back(&cursor);
    std::push_heap(heap_.begin(), heap_.end(), later);
    return ok_status();
  }
  void number_early() {
    of_.settled_numbers_[static_cast<std::size_t>(early_[early_at_++].second)] = next_;
  }
  Status number_least() {
    same_.clear();
    do {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      same_.push_back(heap_.back());
      heap_.pop_back();
    } while (!heap_.empty() && heap_.front()->walk.term() == same_.front()->walk.term());
    if (early_at_ < early_.size() && early_[early_at_].first == same_.front()->walk.term())
      number_early();
    for (Cursor* cursor : same_) {
      const auto ordinal = static_cast<std::size_t>(cursor->walk.entry().ordinal);
      if (ordinal >= cursor->source->numbers.size())
        return corrupt_object("a segment", "a dictionary is damaged");
      cursor->source->numbers[ordinal] = static_cast<std::uint32_t>(next_);
      CAIRN_CHECK(advance(*cursor));
    }
    return ok_status();
  }

  GlobalOrdinals& of_;
  const os::Deadline& deadline_;
  std::vector<Cursor> cursors_;
  std::vector<Cursor*> heap_, same_;
  std::vector<std::pair<std::string_view, std::int64_t>> early_;
  std::size_t early_at_ = 0;
  std::int64_t next_ = 0;
};

Result<std::unique_ptr<GlobalOrdinals>> GlobalOrdinals::open(const QueryContext& context,
                                                             std::string_view field,
                                                             std::optional<std::string> missing,
                                                             BucketCount& held) {
  std::unique_ptr<GlobalOrdinals> out(new GlobalOrdinals(context, held));
  for (const SegmentView& segment : context.view.segments) {
    const TermsReader* reader = segment.of(field).terms(field);
    const bool any = reader != nullptr && reader->statistics().term_count > 0;
    out->source_of_segment_.push_back(any ? out->sources_.size() : SIZE_MAX);
    if (!any) continue;
    out->sources_.push_back({.reader = reader});
    out->total_ += reader->statistics().term_count;
    out->dictionary_bytes_ += reader->dictionary_bytes();
  }
  out->settled_ = out->sources_.size() <= 1;
  if (!out->settled_) held.terms_to_number += out->total_;
  out->limit_ = out->settled_ ? out->total_ + 1 : 0;
  out->missing_ = std::move(missing);
  if (out->missing_) CAIRN_CHECK(out->read_missing());
  return out;
}

Status GlobalOrdinals::read_missing() {
  if (!settled_) {
    CAIRN_TRY(missing_number_, early_number(*missing_));
    return ok_status();
  }
  missing_number_ = 0;
  gap_ = 0;
  if (sources_.empty()) return ok_status();
  const TermsReader& terms = *sources_.front().reader;
  CAIRN_TRY(gap_, terms.rank(*missing_, context_.deadline));
  missing_number_ = static_cast<std::int64_t>(gap_);
  CAIRN_TRY(const auto known, terms.find(*missing_, context_.deadline));
  if (known) gap_ = UINT64_MAX;
  return ok_status();
}

void GlobalOrdinals::begin_segment(std::size_t segment) { at_ = source_of_segment_[segment]; }

Status GlobalOrdinals::expect(std::size_t count) {
  return !settled_ && is_time_to_settle(count) ? settle() : ok_status();
}

Result<std::int64_t> GlobalOrdinals::number(std::size_t source, std::int64_t ordinal) {
  const auto place = static_cast<std::uint64_t>(ordinal);
  if (source >= sources_.size() || place >= term_count(source))
    return corrupt_object("a segment", "a column is damaged");
  if (!settled_) return look_up(source, ordinal);
  const auto& numbers = sources_[source].numbers;
  if (numbers.empty()) return ordinal + (place >= gap_ ? 1 : 0);
  return numbers[static_cast<std::size_t>(place)];
}

Result<std::int64_t> GlobalOrdinals::look_up(std::size_t source, std::int64_t ordinal) {
  if (seen_in_ != source) {
    seen_in_ = source;
    seen_ = KeySlots(term_count(source));
    seen_numbers_.clear();
    walk_.emplace(*sources_[source].reader, false);
  }
  const std::uint32_t slot = seen_.add(ordinal);
  if (slot < seen_numbers_.size()) return seen_numbers_[slot];
  if (is_time_to_settle(0)) {
    CAIRN_CHECK(settle());
    return sources_[source].numbers[static_cast<std::size_t>(ordinal)];
  }
  CAIRN_CHECK(held_.take(terms_per_dictionary_block));
  ++looked_up_;
  CAIRN_CHECK(walk_->seek_ordinal(static_cast<std::uint64_t>(ordinal), context_.deadline));
  CAIRN_TRY(const std::int64_t number, early_number(walk_->term()));
  seen_numbers_.push_back(number);
  return number;
}

Result<std::int64_t> GlobalOrdinals::early_number(std::string term) {
  constexpr std::size_t bytes_of_term = 152;  // here and among those of the segment at hand
  const std::size_t own = term.size() > 15 ? term.size() + 32 : 0;
  const auto [at, made] =
      early_.try_emplace(std::move(term), static_cast<std::int64_t>(early_terms_.size()));
  if (!made) return at->second;
  early_terms_.push_back(&at->first);
  CAIRN_CHECK(held_.hold(bytes_of_term + own));
  return at->second;
}

bool GlobalOrdinals::is_time_to_settle(std::size_t more) const {
  // Looking one term up reads a block of them.
  if ((looked_up_ + more) * terms_per_dictionary_block < total_) return false;
  const std::uint64_t bytes = total_ * sizeof(std::uint32_t);
  return total_ < UINT32_MAX && held_.held_bytes + bytes <= held_.held_bytes_max / 2;
}

Status GlobalOrdinals::settle() {
  CAIRN_CHECK(held_.hold(static_cast<std::size_t>(total_) * sizeof(std::uint32_t)));
  CAIRN_CHECK(Merge(*this).run());
  settled_ = true;
  if (missing_) missing_number_ = settled_number(missing_number_);
  early_ = {};
  early_terms_ = {};
  seen_ = KeySlots();
  seen_numbers_ = {};
  walk_.reset();
  return ok_status();
}

Status GlobalOrdinals::agree(GlobalOrdinals& other) {
  if (settled_ == other.settled_) return ok_status();
  return settled_ ? other.settle() : settle();
}

int GlobalOrdinals::compare(std::int64_t a, std::int64_t b) const {
  if (settled_) return a < b ? -1 : a > b ? 1 : 0;
  return early_terms_[static_cast<std::size_t>(a)]->compare(
      *early_terms_[static_cast<std::size_t>(b)]);
}

std::optional<std::uint64_t> GlobalOrdinals::ordinal_of(const Source& source,
                                                        std::int64_t number) const {
  const auto own = static_cast<std::uint64_t>(number);
  if (source.numbers.empty()) return own - (own > gap_ ? 1 : 0);
  const auto at = std::lower_bound(source.numbers.begin(), source.numbers.end(), own);
  if (at == source.numbers.end() || *at != own) return std::nullopt;
  return static_cast<std::uint64_t>(at - source.numbers.begin());
}

Result<std::vector<std::string>> GlobalOrdinals::terms(
    const std::vector<std::int64_t>& numbers) const {
  std::vector<std::string> out(numbers.size());
  if (!settled_) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      out[i] = *early_terms_[static_cast<std::size_t>(numbers[i])];
    return out;
  }
  // In order, so that each block of a dictionary is read once.
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  std::vector<TermsWalk> walks;
  for (const Source& source : sources_) walks.emplace_back(*source.reader, false);
  for (const std::size_t i : order) {
    CAIRN_CHECK(held_.take(terms_per_dictionary_block));
    if (missing_ && numbers[i] == missing_number_) {
      out[i] = *missing_;
      continue;
    }
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      const auto ordinal = ordinal_of(sources_[s], numbers[i]);
      if (!ordinal) continue;
      CAIRN_CHECK(walks[s].seek_ordinal(*ordinal, context_.deadline));
      out[i] = walks[s].term();
      break;
    }
  }
  return out;
}

ValueSlots::ValueSlots(GlobalOrdinals* ordinals)
    : ordinals_(ordinals),
      slots_(ordinals != nullptr ? ordinals->limit() : 0),
      settled_(ordinals != nullptr && ordinals->settled()) {}

void ValueSlots::renumber() {
  settled_ = true;
  slots_.renumber([&](std::int64_t early) { return ordinals_->settled_number(early); },
                  ordinals_->limit());
}

}  // namespace cairn::index
