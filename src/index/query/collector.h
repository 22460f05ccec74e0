// SPDX-License-Identifier: Apache-2.0
// The best documents by other keys than the score alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/query/hit_groups.h"
#include "index/query/nested_keys.h"
#include "index/query/view_state.h"
#include "index/segment/column.h"
#include "index/view.h"

namespace cairn::index {

/// One value to sort by, in one segment: missing ones stand before or behind all others.
struct KeyValue {
  std::int8_t rank = 0;  // -1: before, 1: behind
  std::int64_t value = 0;
  friend bool operator==(const KeyValue&, const KeyValue&) = default;
};

/// Values of a column that are a sort key.
struct KeyColumn {
  const ColumnReader* column = nullptr;  // null: every document lacks a value
  bool shifted = false;                  // 2 * value + 1, else the value
  KeyValue missing = {};
  bool same_in_all = false;  // keys of other segments compare with these
};

/// Brings the values of one sort key in one segment.
class KeyReader {
 public:
  virtual ~KeyReader() = default;
  virtual KeyValue read(std::uint32_t doc, float score) const = 0;
  /// Where keys are the least or the greatest value of a column; nothing where they are not.
  virtual std::optional<KeyColumn> column() const { return std::nullopt; }
  /// The value as the caller sees it.
  virtual Result<SortValue> show(const KeyValue& value, const os::Deadline& deadline) const = 0;
  /// What a value of search_after is in this segment.
  virtual Result<KeyValue> place(const SortValue& value, const os::Deadline& deadline) const = 0;
};

/// Collects hits sorted by keys over all segments.
class SortedHits {
 public:
  /// `keep`: how many hits from the front. Errors of check(): illegal_argument_exception.
  SortedHits(const QueryContext& context, const SearchParams& params, std::size_t keep)
      : context_(context), params_(params), keep_(keep) {}
  SortedHits(const SortedHits&) = delete;
  SortedHits& operator=(const SortedHits&) = delete;
  /// Whether the keys and search_after fit the mapping.
  Status check() const;
  bool needs_scores() const;

  Status begin_segment(std::size_t segment);
  /// Live documents of one chunk of column_chunk, ascending. `scores`: of each, where needed.
  Status add(std::span<const std::uint32_t> docs, std::span<const float> scores);
  /// False where no document of [first, last], which lies in one chunk, can be among the hits.
  bool may_enter(std::uint32_t first, std::uint32_t last) const;
  Status end_segment();
  /// Adds the hits that another of the same search has found in other documents.
  void absorb(SortedHits& other);
  /// Best first.
  std::vector<Hit> take();

 private:
  struct Entry {
    std::uint32_t doc = 0;
    float score = 0;
    std::vector<KeyValue> keys;
    HitGroups::Number group = {};
  };
  struct Before {
    const SortedHits* hits;
    bool operator()(const Entry& a, const Entry& b) const { return hits->before(a, b); }
  };
  using BestOfGroups = std::set<Entry, Before>;
  // Keys in first place that may be of a hit: column values in [low, high], and none.
  struct Interval {
    std::int64_t low = INT64_MIN, high = INT64_MAX;
    bool missing = true;
  };
  Interval interval() const;
  std::optional<KeyValue> worst() const;
  void add_one(std::uint32_t doc, float score);
  void add_to_group();
  Status keep(const Entry& entry);
  void keep_firsts();
  bool before(const Entry& a, const Entry& b) const;
  int compare_keys(const std::vector<KeyValue>& a, const std::vector<KeyValue>& b) const;
  Status make_nested();
  Result<std::unique_ptr<KeyReader>> reader_for(std::size_t key, std::size_t segment) const;
  bool before(const Hit& a, const Hit& b) const;

  const QueryContext& context_;
  const SearchParams& params_;
  std::size_t keep_;
  std::size_t segment_ = 0;
  std::vector<std::shared_ptr<const NestedKeys>> nested_;  // of each key; null: none
  std::vector<std::unique_ptr<KeyReader>> readers_;
  std::vector<KeyValue> after_;
  std::optional<KeyColumn> first_;       // of the first key
  std::vector<Entry> heap_;              // the worst on top
  std::vector<KeyValue> firsts_;         // first keys of the best of the segments before
  std::optional<KeyValue> worst_first_;  // of them, once there are as many as are kept
  std::vector<std::int64_t> values_;
  Entry scratch_;
  std::optional<HitGroups> groups_;  // of the segment, where hits are collapsed
  BestOfGroups best_{Before{this}};  // one of each group, as many as are kept
  std::map<HitGroups::Number, BestOfGroups::iterator> of_group_;
  std::vector<Hit> hits_;
};

}  // namespace cairn::index
