// SPDX-License-Identifier: Apache-2.0
// Which values of its field a `terms` aggregation counts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/aggregations/aggregation_parts.h"
#include "index/patterns/regexp.h"

namespace cairn::index {

/// Those of `include`, all where it is not given, without those of `exclude`. Each is a regular
/// expression of whole terms, or a list of values. What a segment has of them is looked up once it
/// is asked for: a list takes a look for each of its terms, a pattern a walk over the terms that
/// begin as it does. Of one aggregation; one thread. Calls may read segments from the store.
/// Errors: timeout, cancelled, unavailable, corrupt; circuit_breaking_exception.
class ValueChoice {
 public:
  /// Null where the request chooses nothing. Errors: parsing_exception,
  /// illegal_argument_exception; those of a regular expression.
  static Result<std::unique_ptr<ValueChoice>> open(const AggregationRequest& request,
                                                   const FieldSource& source);

  void begin_segment(std::size_t segment);
  /// Whether a value of the segment at hand is counted: an ordinal of a keyword field, or what the
  /// column of another has.
  Result<bool> takes(std::int64_t value) {
    if (!looked_up_) CAIRN_CHECK(look_up());
    return include_.takes(value, true) && !exclude_.takes(value, false);
  }
  /// The same for the term that stands in for a missing value.
  bool takes_missing() const { return takes_missing_; }

 private:
  struct Side {
    bool given = false;
    std::shared_ptr<const RegexpProgram> pattern;  // null: a list
    std::vector<std::string> terms;                // the list, of a keyword field
    std::vector<std::int64_t> values;  // the list as the segment at hand has it, ascending
    std::uint64_t first = 0;           // the pattern there: an ordinal, and from it on
    std::vector<bool> matches;         // whether each of its terms matches

    bool takes(std::int64_t value, bool otherwise) const;
  };

  ValueChoice(const QueryContext& context, BucketCount& held) : context_(context), held_(held) {}
  Status read(const AggregationRequest& request, const FieldSource& source, std::string_view name,
              Side& side) const;
  Status read_pattern(const std::string& pattern, Side& side) const;
  Status read_list(const Json& list, const FieldSource& source, Side& side) const;
  bool names(const Side& side, const std::string& term) const;
  Status look_up();
  Status look_up_list(const TermsReader& terms, Side& side);
  Status look_up_pattern(const TermsReader& terms, Side& side);
  Status hold(std::size_t bytes);
  void forget(Side& side);

  const QueryContext& context_;
  BucketCount& held_;
  std::string field_;
  bool of_terms_ = false;
  Side include_, exclude_;
  bool takes_missing_ = true;
  std::size_t segment_ = 0;
  bool looked_up_ = false;
  std::size_t held_bytes_ = 0;  // for the segment at hand
};

}  // namespace cairn::index
