// SPDX-License-Identifier: Apache-2.0
// One number for each term of a keyword field, in whichever segment it stands: what is counted by
// number needs no text but that of the few terms that are shown.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "index/aggregations/key_slots.h"
#include "index/query/view_state.h"
#include "index/segment/segment.h"

namespace cairn::index {

struct BucketCount;

/// Of one aggregation; one thread. Where one segment alone has the field, its own ordinals are the
/// numbers. Otherwise terms are looked up one by one and numbered as they come. Once that has read
/// as much as all dictionaries together, these are walked once, side by side in order, and every
/// term gets its place among all as its number: the numbers are settled. So a request for few
/// values never reads a whole dictionary, and one for many reads it once. Calls may read segments
/// from the store. Errors: timeout, cancelled, unavailable, corrupt; circuit_breaking_exception.
class GlobalOrdinals {
 public:
  /// `missing`: a term that documents without a value count as.
  static Result<std::unique_ptr<GlobalOrdinals>> open(const QueryContext& context,
                                                      std::string_view field,
                                                      std::optional<std::string> missing,
                                                      BucketCount& held);
  void begin_segment(std::size_t segment);

  /// The segment at hand, among those that have terms; SIZE_MAX: it has none.
  std::size_t source() const { return at_; }
  std::uint64_t term_count(std::size_t source) const {
    return sources_[source].reader->statistics().term_count;
  }
  /// The numbers of so many terms are asked for next. May settle the numbers.
  Status expect(std::size_t count);
  /// The number of a term of a segment. May settle the numbers. Cheapest by ascending ordinal.
  Result<std::int64_t> number(std::size_t source, std::int64_t ordinal);
  bool has_missing() const { return missing_.has_value(); }
  std::int64_t missing_number() const { return missing_number_; }

  bool settled() const { return settled_; }
  /// The settled number of a term that had `early` before.
  std::int64_t settled_number(std::int64_t early) const {
    return settled_numbers_[static_cast<std::size_t>(early)];
  }
  std::uint64_t limit() const { return limit_; }  // of settled numbers
  /// Below 0 where the term of `a` comes first, above where that of `b` does.
  int compare(std::int64_t a, std::int64_t b) const;
  /// Settles the numbers of both, of one field and view, where those of one are.
  Status agree(GlobalOrdinals& other);
  /// The number here of a term that has `number` there, once both agree.
  Result<std::int64_t> number_like(const GlobalOrdinals& other, std::int64_t number) {
    if (settled_) return number;
    return early_number(*other.early_terms_[static_cast<std::size_t>(number)]);
  }
  /// The terms, in the order given.
  Result<std::vector<std::string>> terms(const std::vector<std::int64_t>& numbers) const;

 private:
  struct Source {
    const TermsReader* reader = nullptr;
    std::vector<std::uint32_t> numbers = {};  // by ordinal, once the numbers are settled
  };
  class Merge;

  GlobalOrdinals(const QueryContext& context, BucketCount& held) : context_(context), held_(held) {}
  Status read_missing();
  Result<std::int64_t> look_up(std::size_t source, std::int64_t ordinal);
  Result<std::int64_t> early_number(std::string term);
  bool is_time_to_settle(std::size_t more) const;
  Status settle();
  std::optional<std::uint64_t> ordinal_of(const Source& source, std::int64_t number) const;

  const QueryContext& context_;
  BucketCount& held_;
  std::vector<Source> sources_;  // segments that have the field
  std::vector<std::size_t> source_of_segment_;
  std::size_t at_ = SIZE_MAX;
  std::uint64_t total_ = 0;
  std::uint64_t dictionary_bytes_ = 0;

  std::optional<std::string> missing_;
  std::int64_t missing_number_ = -1;
  std::uint64_t gap_ = UINT64_MAX;  // one source: ordinals from here on make room for `missing_`

  bool settled_ = false;
  std::uint64_t limit_ = 0;
  std::vector<std::int64_t> settled_numbers_;  // by early number

  // Until the numbers are settled.
  std::unordered_map<std::string, std::int64_t> early_;
  std::vector<const std::string*> early_terms_;  // by number
  std::size_t seen_in_ = SIZE_MAX;               // the segment of
  KeySlots seen_;                                // ordinals that were looked up, and
  std::vector<std::int64_t> seen_numbers_;       // their numbers, by slot
  std::optional<TermsWalk> walk_;                // over its terms
  std::uint64_t looked_up_ = 0;
};

/// A slot for each value of a field, in the order in which they come.
class ValueSlots {
 public:
  /// What a value takes at most.
  static constexpr std::size_t bytes_of_value = KeySlots::bytes_of_key;

  /// `ordinals`: of a keyword field, null for others.
  explicit ValueSlots(GlobalOrdinals* ordinals);

  /// The slot of a value of the column at hand. A new one gets size() as it was before.
  Result<std::uint32_t> add(std::int64_t value) {
    if (ordinals_ == nullptr) return slots_.add(value);
    return add_of(ordinals_->source(), value);
  }
  /// The same for an ordinal of some segment.
  Result<std::uint32_t> add_of(std::size_t source, std::int64_t ordinal) {
    CAIRN_TRY(const std::int64_t number, ordinals_->number(source, ordinal));
    return add_number(number);
  }
  /// Makes add_like() possible, for values of one field and view.
  Status agree(ValueSlots& other) {
    if (ordinals_ != nullptr) CAIRN_CHECK(ordinals_->agree(*other.ordinals_));
    follow();
    other.follow();
    return ok_status();
  }
  /// The same for a value that has this slot among others.
  Result<std::uint32_t> add_like(const ValueSlots& other, std::size_t slot) {
    if (ordinals_ == nullptr) return slots_.add(other.key(slot));
    CAIRN_TRY(const std::int64_t number, ordinals_->number_like(*other.ordinals_, other.key(slot)));
    return add_number(number);
  }
  /// That of the term which stands in for a missing value. There must be one.
  std::uint32_t add_missing() { return add_number(ordinals_->missing_number()); }
  std::size_t size() const { return slots_.size(); }
  /// A number as the column has it, or the number of a term.
  std::int64_t key(std::size_t slot) const { return slots_.key(slot); }
  /// Must be called before keys are compared.
  void follow() {
    if (ordinals_ != nullptr && ordinals_->settled() != settled_) renumber();
  }

 private:
  std::uint32_t add_number(std::int64_t number) {
    follow();
    return slots_.add(number);
  }
  void renumber();

  GlobalOrdinals* ordinals_;
  KeySlots slots_;
  bool settled_ = false;
};

}  // namespace cairn::index
