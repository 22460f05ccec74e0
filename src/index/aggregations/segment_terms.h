// SPDX-License-Identifier: Apache-2.0
// How often each term of one segment came. Counting by the segment's own ordinals stays in a small
// table; numbers over all segments are asked for once a segment and term, in order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "index/aggregations/aggregation_parts.h"
#include "index/aggregations/global_ordinals.h"
#include "index/aggregations/key_slots.h"
#include "index/errors.h"

namespace cairn::index {

/// Of one state; one thread. Before it counts for another segment, it is to be emptied.
class SegmentTerms {
 public:
  SegmentTerms(GlobalOrdinals& ordinals, BucketCount& held) : ordinals_(ordinals), held_(held) {}

  /// What is counted is of a segment that is no longer at hand.
  bool is_over() const { return source_ != ordinals_.source() && !counts_.empty(); }

  /// Counts a term of the segment at hand `count` times. Errors: corrupt;
  /// circuit_breaking_exception.
  Status add(std::int64_t ordinal, std::uint32_t count) {
    if (source_ != ordinals_.source()) begin();
    if (static_cast<std::uint64_t>(ordinal) >= limit_)
      return corrupt_object("a segment", "a column is damaged");
    const std::uint32_t slot = slots_.add(ordinal);
    if (slot == counts_.size()) {
      counts_.push_back(0);
      CAIRN_CHECK(held_.hold(bytes_of_term));
    }
    counts_[slot] += count;
    return ok_status();
  }
  /// Calls `each(slot, count)` for every term, with its slot among `values`, and forgets them.
  template <class Each>
  Status empty_into(ValueSlots& values, Each each) {
    if (counts_.empty()) return ok_status();
    CAIRN_CHECK(ordinals_.expect(counts_.size()));
    for (const std::uint32_t own : slots_.ascending()) {
      CAIRN_TRY(const std::uint32_t slot, values.add_of(source_, slots_.key(own)));
      CAIRN_CHECK(each(slot, counts_[own]));
    }
    held_.held_bytes -= counts_.size() * bytes_of_term;
    begin();
    return ok_status();
  }

 private:
  static constexpr std::size_t bytes_of_term = KeySlots::bytes_of_key + 12;

  void begin() {
    source_ = ordinals_.source();
    limit_ = source_ == SIZE_MAX ? 0 : ordinals_.term_count(source_);
    slots_ = KeySlots(limit_);
    counts_.clear();
  }

  GlobalOrdinals& ordinals_;
  BucketCount& held_;
  std::size_t source_ = SIZE_MAX;
  std::uint64_t limit_ = 0;
  KeySlots slots_;                     // by ordinal
  std::vector<std::uint32_t> counts_;  // by slot
};

}  // namespace cairn::index
