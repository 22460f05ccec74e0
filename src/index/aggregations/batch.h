// SPDX-License-Identifier: Apache-2.0
// Documents and values some thousands at a time: what aggregations count with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/segment/column.h"

namespace cairn::index {

/// Steps (os/steps.h) of so many documents that are counted at a time.
inline std::uint64_t steps_of(std::size_t docs) { return 1 + docs / 4; }

/// Documents of one segment, ascending, all of one chunk of column_chunk.
using Docs = std::span<const std::uint32_t>;

/// Values with their documents. One that has several stands several times, one after the other.
struct ValueBatch {
  Docs docs;
  const std::int64_t* values = nullptr;
  bool single = true;  // no document stands twice
  std::size_t size() const { return docs.size(); }
};

/// Room for one aggregation at work; those below it have others.
struct Frame {
  std::vector<std::uint32_t> docs;
  std::vector<std::int64_t> values;
  std::vector<std::uint32_t> counts;   // by value, above the least; all 0 between uses
  std::vector<std::uint32_t> grouped;  // documents by value
  std::vector<std::uint32_t> order;
  std::vector<std::int64_t> sorted;
};

/// The frames of a request: as many as its aggregations are deep. One thread.
class Frames {
 public:
  class Scope {
   public:
    explicit Scope(Frames& frames) : frames_(frames) {
      if (frames.used_ == frames.all_.size()) frames.all_.push_back(std::make_unique<Frame>());
      frame_ = frames.all_[frames.used_++].get();
    }
    ~Scope() { --frames_.used_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    Frame& operator*() const { return *frame_; }

   private:
    Frames& frames_;
    Frame* frame_ = nullptr;
  };

 private:
  std::vector<std::unique_ptr<Frame>> all_;
  std::size_t used_ = 0;
};

/// The chunks of columns that were decoded last, for all aggregations of a request. One thread.
class DecodedChunks {
 public:
  static constexpr std::size_t most = 64;

  /// The values of a chunk where they are here; null where not. `hint`: the caller's own, of one
  /// column, 0 at first.
  const std::int64_t* find(const ColumnReader& column, std::size_t chunk, std::size_t& hint) const;
  /// The same, decoded where they are not here. Valid until others are asked for.
  const std::int64_t* get(const ColumnReader& column, std::size_t chunk, std::size_t& hint);
  /// Columns are about to go.
  void forget();

 private:
  struct Entry {
    const ColumnReader* column = nullptr;
    std::size_t chunk = 0;
    std::vector<std::int64_t> values;
  };
  std::vector<Entry> entries_;
  std::size_t next_ = 0;  // to be replaced
};

/// Where all values lie close together they are counted in a table.
inline constexpr std::uint64_t counted_range = 4 * column_chunk;

/// Takes out a value that stands twice in one document. Equal ones stand side by side.
void remove_doubles(ValueBatch& batch, Frame& frame);

/// Calls `each(value, count, docs)` once for every different value, with its documents in their
/// order. Without `with_docs` there are none, only their count, and a value may come several times.
/// What `each` does may use deeper frames.
template <class Each>
Status group(const ValueBatch& batch, bool with_docs, Frame& frame, Each each) {
  const std::size_t n = batch.size();
  if (n == 0) return ok_status();
  const std::int64_t* values = batch.values;
  std::int64_t low = values[0], high = values[0];
  for (std::size_t i = 1; i < n; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (range == 0) return each(low, n, with_docs ? batch.docs : Docs());
  const auto at = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(values[i]) -
                                    static_cast<std::uint64_t>(low));
  };
  if (with_docs) frame.grouped.resize(std::max(frame.grouped.size(), n));
  if (range < counted_range && range < 4 * n) {
    const auto size = static_cast<std::size_t>(range) + 1;
    if (frame.counts.size() < 2 * size) frame.counts.resize(2 * size);
    std::uint32_t* const counts = frame.counts.data();
    // Two tables, so that equal values one after the other do not wait for each other.
    std::uint32_t* const second = counts + size;
    std::size_t i = 0;
    for (; i + 2 <= n; i += 2) {
      ++counts[at(i)];
      ++second[at(i + 1)];
    }
    if (i < n) ++counts[at(i)];
    std::uint32_t sum = 0;
    for (std::size_t v = 0; v < size; ++v) {
      const std::uint32_t count = counts[v] + second[v];
      counts[v] = with_docs ? sum : count;  // where its documents begin
      second[v] = 0;
      sum += count;
    }
    if (with_docs)
      for (i = 0; i < n; ++i) frame.grouped[counts[at(i)]++] = batch.docs[i];
    Status status = ok_status();
    std::uint32_t before = 0;
    for (std::size_t v = 0; v < size; ++v) {
      const std::uint32_t count = with_docs ? counts[v] - before : counts[v];
      counts[v] = 0;
      if (count == 0) continue;
      const Docs docs = with_docs ? Docs(frame.grouped.data() + before, count) : Docs();
      before += count;
      if (status.ok())
        status = each(static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + v),
                      std::size_t{count}, docs);
    }
    return status;
  }
  if (!with_docs) {  // one may come several times
    for (std::size_t i = 0, end = 0; i < n; i = end) {
      while (end < n && values[end] == values[i]) ++end;
      CAIRN_CHECK(each(values[i], end - i, Docs()));
    }
    return ok_status();
  }
  frame.order.resize(n);
  for (std::size_t i = 0; i < n; ++i) frame.order[i] = static_cast<std::uint32_t>(i);
  std::sort(frame.order.begin(), frame.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return values[a] != values[b] ? values[a] < values[b] : a < b;
  });
  frame.sorted.resize(n);  // whoever is called may use the memory that the values lie in
  for (std::size_t i = 0; i < n; ++i) {
    frame.grouped[i] = batch.docs[frame.order[i]];
    frame.sorted[i] = values[frame.order[i]];
  }
  for (std::size_t i = 0; i < n;) {
    const std::int64_t value = frame.sorted[i];
    std::size_t end = i + 1;
    while (end < n && frame.sorted[end] == value) ++end;
    CAIRN_CHECK(each(value, end - i, Docs(frame.grouped.data() + i, end - i)));
    i = end;
  }
  return ok_status();
}

}  // namespace cairn::index
