// SPDX-License-Identifier: Apache-2.0
// Sort keys that are values of objects in a document.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/query.h"
#include "index/query/nested_view.h"
#include "index/query/plan.h"

namespace cairn::index {

/// The objects of one segment whose values count.
struct ObjectsOfSegment {
  const NestedView* view = nullptr;  // null: values are the documents' own
  std::size_t index = 0;             // of the segment
  std::shared_ptr<const BitSet> accepted = {};  // null: all of them
  std::size_t most = SIZE_MAX;       // so many with a value count, of each document

  /// Calls `each(object)` for those of a document, in order, until it gives false.
  template <class Each>
  void of(std::uint32_t doc, Each each) const {
    const auto [first, last] = view->objects_of(index, doc);
    for (std::uint32_t object = first; object < last; ++object)
      if ((accepted == nullptr || accepted->test(object)) && !each(object)) return;
  }
};

/// What SortKey::nested says, made ready for a view.
class NestedKeys {
 public:
  /// Errors: query_shard_exception for a path of no nested field, illegal_argument_exception; those
  /// of `read_query` and of planning.
  static Result<std::shared_ptr<const NestedKeys>> make(const QueryContext& context,
                                                        const SortKey& key,
                                                        const QueryReader& read_query);
  /// Finds the objects that pass the filters.
  Result<ObjectsOfSegment> open(const QueryContext& context, std::size_t segment) const;
  const Segment& segment(std::size_t index) const {
    return *objects_->state.segments[index].segment;
  }

 private:
  struct Level {
    std::shared_ptr<const NestedView> view;    // its objects, from those of the level above on
    std::shared_ptr<const NestedView> within;  // the innermost objects, from its own; null: its own
    PlanPtr filter;                            // null: all
  };
  Status narrow(const QueryContext& context, std::size_t segment, const Level& level,
                std::shared_ptr<BitSet>& accepted) const;

  std::shared_ptr<const NestedView> objects_;  // the innermost, from the documents on
  std::vector<Level> levels_;
  std::size_t most_ = SIZE_MAX;
};

}  // namespace cairn::index
