// SPDX-License-Identifier: Apache-2.0
// The best documents by other keys than the score alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "index/view.h"
#include "index/query/view_state.h"

namespace cairn::index {

/// One value to sort by, in one segment: missing ones stand before or behind all others.
struct KeyValue {
  std::int8_t rank = 0;  // -1: before, 1: behind
  std::int64_t value = 0;
  friend bool operator==(const KeyValue&, const KeyValue&) = default;
};

/// Brings the values of one sort key in one segment.
class KeyReader {
 public:
  virtual ~KeyReader() = default;
  virtual KeyValue read(std::uint32_t doc, float score) const = 0;
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
  /// Whether the keys and search_after fit the mapping.
  Status check() const;
  bool needs_scores() const;

  Status begin_segment(std::size_t segment);
  void add(std::uint32_t doc, float score);
  Status end_segment();
  /// Best first.
  std::vector<Hit> take();

 private:
  struct Entry {
    std::uint32_t doc = 0;
    float score = 0;
    std::vector<KeyValue> keys;
  };
  bool before(const Entry& a, const Entry& b) const;
  int compare_keys(const std::vector<KeyValue>& a, const std::vector<KeyValue>& b) const;
  Result<std::unique_ptr<KeyReader>> reader_for(const SortKey& key, std::size_t segment) const;
  bool before(const Hit& a, const Hit& b) const;

  const QueryContext& context_;
  const SearchParams& params_;
  std::size_t keep_;
  std::size_t segment_ = 0;
  std::vector<std::unique_ptr<KeyReader>> readers_;
  std::vector<KeyValue> after_;
  std::vector<Entry> heap_;  // the worst on top
  Entry scratch_;
  std::vector<Hit> hits_;
};

}  // namespace cairn::index
