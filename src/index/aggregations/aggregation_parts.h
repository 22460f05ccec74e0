// SPDX-License-Identifier: Apache-2.0
// What single aggregations are made of: a description that knows the segment at hand, and states
// that count, one for each bucket above.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/aggregations/batch.h"
#include "index/aggregations/global_ordinals.h"
#include "index/dates/dates.h"
#include "index/mapping/mapping.h"
#include "index/number_format.h"
#include "index/profile.h"
#include "index/query/view_state.h"
#include "index/segment/segment.h"
#include "index/view.h"

namespace cairn::index {

class Aggregation;
class AggregationState;
using AggregationList = std::vector<std::unique_ptr<Aggregation>>;
using StateList = std::vector<std::unique_ptr<AggregationState>>;

/// Counts the buckets that a whole request answers with, and what it holds to find them: values
/// that are not among the answer in the end too.
struct BucketCount {
  std::size_t made = 0;
  std::size_t most = 65'536;
  std::size_t held_bytes = 0;
  std::size_t held_bytes_max = 128u << 20;
  bool typed_keys = false;           // how the request wants its answers named
  os::Steps* steps = nullptr;        // of the search
  const os::Clock* clock = nullptr;  // that measures; null: nothing is measured
  Frames frames;
  DecodedChunks chunks;
  std::vector<std::unique_ptr<QueryContext>> contexts;  // of what is counted in other views
  std::uint64_t terms_to_number = 0;  // before they are counted, where all are met
  std::size_t lost_paths = 0;  // while one is made: nested ones around it that have no objects

  /// Counts work beside the walk over documents.
  Status take(std::uint64_t count) const {
    return steps == nullptr ? ok_status() : steps->take(count);
  }
  /// Errors: circuit_breaking_exception where the request would hold more than it may.
  Status hold(std::size_t bytes);
};

/// One aggregation as asked for.
struct AggregationRequest {
  const QueryContext& context;
  const std::string& name;
  const std::string& type;
  const Json& parameters;
  BucketCount& buckets;
  const QueryReader& read_query;
};

class Aggregation {
 public:
  Aggregation(std::string name, AggregationList subs)
      : name_(std::move(name)), subs_(std::move(subs)) {}
  virtual ~Aggregation() = default;
  const std::string& name() const { return name_; }
  /// What its answer is called, and what the caller wants to find in it.
  void set_shown(std::string name, Json meta) {
    shown_name_ = std::move(name);
    meta_ = std::move(meta);
  }
  void put(Json& out, Json answer) const;
  /// Notes that the request is answered with all of its buckets, and so of those below where it
  /// leaves none out itself.
  void mark_answered();
  bool is_answered() const { return answered_; }
  const AggregationList& subs() const { return subs_; }
  virtual Status begin_segment(const QueryContext& context, std::size_t segment) = 0;
  virtual std::unique_ptr<AggregationState> state() const = 0;
  /// The same two, measured where measure() said so.
  Status begin_measured(const QueryContext& context, std::size_t segment);
  std::unique_ptr<AggregationState> state_measured() const;
  /// Measures from here on; `initialize` is what making it took.
  void measure(const os::Clock& clock, std::string type, StepTime initialize);
  AggregationProfile profile() const;
  /// How many buckets a state has from its start, those below them included.
  std::size_t fixed_buckets() const { return own_buckets() * (1 + buckets_below()); }
  /// How many come with each bucket of this aggregation, and about how many bytes they take.
  std::size_t buckets_below() const;
  std::size_t bytes_below() const;

 protected:
  /// Buckets that a state has before the first document.
  virtual std::size_t own_buckets() const { return 0; }
  /// Whether every bucket that a state makes is among what it answers.
  virtual bool answers_all() const { return true; }
  Status begin_subs(const QueryContext& context, std::size_t segment);

 private:
  std::string name_;
  std::string shown_name_;
  Json meta_;
  AggregationList subs_;
  bool answered_ = false;
  const os::Clock* clock_ = nullptr;              // null: it is not measured
  std::unique_ptr<AggregationProfile> measured_;  // states outlive no aggregation
};

class AggregationState {
 public:
  virtual ~AggregationState() = default;
  virtual Status add(Docs docs) = 0;  // of the segment at hand, not of a chunk before the last
  /// Adds what a state counted whose aggregation was made of the same request for the same view.
  virtual Status absorb(AggregationState& other) = 0;
  virtual Result<Json> finish() = 0;
  /// A number of what finish() answers, for buckets that are ordered by it; nothing where it is not
  /// there.
  virtual Result<std::optional<double>> number(std::string_view name);
};

StateList make_states(const AggregationList& list);
Status absorb_states(const StateList& into, const StateList& from);
/// What the field's engine calls one that measures; `wire_type` as in names with types.
std::string measured_type(const std::string& type, const std::string& wire_type);
Result<Json> render(const AggregationList& list, const StateList& states);
Result<AggregationList> make_aggregation_list(const QueryContext& context, const Json& request,
                                              BucketCount& buckets, const QueryReader& read_query);

/// What is below a nested or a reverse_nested aggregation counts in another view.
struct AggregationScope {
  const NestedView* objects = nullptr;    // null: there are none
  const QueryContext* context = nullptr;  // of what is below; null: as above
  bool is_reverse = false;                // from objects to documents
};
/// `context` outlives what is made. Errors: parsing_exception, illegal_argument_exception,
/// query_shard_exception.
Result<AggregationScope> scope_of(const QueryContext& context, const std::string& name,
                                  const std::string& type, const Json& parameters,
                                  BucketCount& buckets);
Result<std::unique_ptr<Aggregation>> make_nested(const AggregationRequest& request,
                                                 AggregationList subs,
                                                 const AggregationScope& scope);

/// Null where the type is no metric.
Result<std::unique_ptr<Aggregation>> make_metric(const AggregationRequest& request);
Result<std::unique_ptr<Aggregation>> make_terms(const AggregationRequest& request,
                                                AggregationList subs);
Result<std::unique_ptr<Aggregation>> make_range(const AggregationRequest& request,
                                                AggregationList subs);
Result<std::unique_ptr<Aggregation>> make_missing(const AggregationRequest& request,
                                                  AggregationList subs);
Result<std::unique_ptr<Aggregation>> make_filters(const AggregationRequest& request,
                                                  AggregationList subs);
Result<std::unique_ptr<Aggregation>> make_histogram(const AggregationRequest& request,
                                                    AggregationList subs);

/// The parsing_exception of a fault of the request (index/errors.h, of_request). The list writes
/// where it is.
Error malformed(std::string message);
/// The x_content_parse_exception of one in a parameter, by `cause`.
Error unfit_parameter(const AggregationRequest& request, std::string_view name, Error cause);

/// Errors: x_content_parse_exception for a parameter that is not known.
Status check_parameters(const AggregationRequest& request,
                        std::initializer_list<std::string_view> known);

/// The values of a field, segment by segment.
class FieldSource {
 public:
  /// Reads `field` and `missing` of the request.
  static Result<FieldSource> open(const AggregationRequest& request);
  Status begin_segment(const QueryContext& context, std::size_t segment);

  const Field* field() const { return field_; }  // null: not mapped
  bool is_terms() const { return field_ != nullptr && field_->type == FieldType::keyword; }
  bool is_floating() const;
  bool is_date() const { return field_ != nullptr && field_->type == FieldType::date; }
  bool is_boolean() const { return field_ != nullptr && field_->type == FieldType::boolean; }
  const Json& missing() const { return missing_; }
  /// Of the segment at hand; null where it has none.
  const ColumnReader* column() const { return column_ == nullptr ? nullptr : &column_->reader; }
  /// Numbers for the terms of a keyword field; null for others.
  Result<std::unique_ptr<GlobalOrdinals>> open_ordinals(const AggregationRequest& request) const;

  /// Calls `each(batch)` with the column values (ordinals for keywords) of documents, some
  /// thousands at a time and no document in two batches, and with the value given for missing ones
  /// (numbers only). A batch lies in `frame`, or in memory that whatever aggregates next may use.
  template <class Each>
  Status batches(Docs docs, Frame& frame, Each each) const {
    if (is_single()) {
      const ValueBatch batch = single_batch(docs, frame);
      return batch.size() == 0 ? ok_status() : each(batch);
    }
    for (std::size_t at = 0; at < docs.size();) {
      ValueBatch batch = next_batch(docs, at, frame);
      if (batch.size() > 0) CAIRN_CHECK(each(batch));
    }
    return ok_status();
  }
  /// Where documents have one value at most, how many of `docs` have one or count as if.
  std::optional<std::size_t> count(Docs docs) const;
  /// Those without a value.
  Docs without(Docs docs, Frame& frame) const;
  bool has(std::uint32_t doc) const { return column_ != nullptr && column_->reader.has(doc); }
  double number(std::int64_t value) const;

 private:
  std::string name_;
  const Field* field_ = nullptr;
  Json missing_;
  std::int64_t missing_number_ = 0;
  std::shared_ptr<const Column> column_;
  BucketCount* held_ = nullptr;

  bool is_single() const { return column_ == nullptr || column_->reader.is_single(); }
  bool fills_in() const { return !missing_.is_null() && field_ != nullptr && !is_terms(); }
  ValueBatch single_batch(Docs docs, Frame& frame) const;
  ValueBatch next_batch(Docs docs, std::size_t& at, Frame& frame) const;
  const std::int64_t* decoded(Docs docs) const;

  // How often single values of a chunk were asked for: at some number it is decoded.
  mutable std::size_t asked_chunk_ = SIZE_MAX, asked_ = 0;
  mutable std::size_t hint_ = 0;
};

/// Documents that fell into one place, and what is counted below it.
struct Bucket {
  std::uint64_t count = 0;
  StateList subs;
  Status add(Docs docs) {
    count += docs.size();
    if (docs.empty()) return ok_status();
    for (const auto& sub : subs) CAIRN_CHECK(sub->add(docs));
    return ok_status();
  }
  Status absorb(const Bucket& other) {
    count += other.count;
    return absorb_states(subs, other.subs);
  }
};
/// Those of two lists of one length, each into its like.
Status absorb_buckets(std::vector<Bucket>& into, const std::vector<Bucket>& from);

/// Counts `count` buckets that are about to be made. Errors: too_many_buckets_exception; timeout,
/// cancelled.
Status count_buckets(BucketCount& buckets, std::size_t count);
/// The same question before the work, without counting.
Status check_buckets(const BucketCount& buckets, std::size_t count);
Status render_subs(Json& out, const AggregationList& list, const StateList& states);

/// How a column value is shown as a key.
struct KeyText {
  std::optional<DateFormat> dates;
  std::optional<NumberFormat> numbers = {};
  text::TimeZone zone = {};  // dates are read and shown in it
  std::string date(std::int64_t ms) const { return dates->write(ms, zone); }
  static Result<KeyText> open(const AggregationRequest& request, const FieldSource& source);
};

/// How buckets are ordered.
struct TermsOrder {
  enum class By { count, key, sub } by = By::count;
  std::string sub = {}, value = {};
  bool descending = true;
};
Result<std::vector<TermsOrder>> read_order(const Json* given, const AggregationList& subs);

}  // namespace cairn::index
