// SPDX-License-Identifier: Apache-2.0
// The documents that filters select, as bits, kept while their segments live.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "index/segment/bits.h"
#include "index/segment/segment.h"

namespace cairn::index {

/// Bits of (segment, filter), least recently used ones go first. Deleted documents are among them:
/// what a segment holds does not change. Safe from any thread.
class FilterCache {
 public:
  /// Segments with fewer documents are searched sooner than they are looked up.
  static constexpr std::uint32_t documents_min = 10'000;

  explicit FilterCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Null where there are none.
  std::shared_ptr<const BitSet> find(const std::shared_ptr<const Segment>& segment,
                                     std::string_view key);
  /// Keeps the bits where the filter was offered before: what is asked once is not worth the room.
  void offer(const std::shared_ptr<const Segment>& segment, std::string_view key,
             std::shared_ptr<const BitSet> bits);
  /// Lets go of all that is of these segments.
  void forget(const std::vector<std::shared_ptr<const Segment>>& segments);
  std::size_t bytes() const;

 private:
  struct Entry {
    std::string name;  // the segment's place in memory, then the key
    std::weak_ptr<const Segment> segment;
    std::shared_ptr<const BitSet> bits;
    std::size_t bytes = 0;
  };
  using Order = std::list<Entry>;  // most recently used first

  void remove(Order::iterator at) CAIRN_REQUIRES(mutex_);
  void remove_ended() CAIRN_REQUIRES(mutex_);

  const std::size_t bytes_max_;
  mutable Mutex mutex_;
  Order order_ CAIRN_GUARDED_BY(mutex_);
  std::unordered_map<std::string_view, Order::iterator> entries_ CAIRN_GUARDED_BY(mutex_);
  std::array<std::uint64_t, 1024> offered_ CAIRN_GUARDED_BY(mutex_){};  // hashes of names
  std::size_t bytes_ CAIRN_GUARDED_BY(mutex_) = 0;
};

class Plan;
struct QueryContext;

/// The documents of a segment that `filter` matches, deleted ones too, as bits that are kept where
/// they are asked for often. `key` names the filter among all (narrowing_key); empty: they are not
/// kept. Errors: those of reading; timeout, cancelled.
Result<std::shared_ptr<const BitSet>> kept_bits(const QueryContext& context, const Plan& filter,
                                                std::string_view key, std::size_t segment);

}  // namespace cairn::index
