// SPDX-License-Identifier: Apache-2.0
// The objects of a nested field as documents of a view of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/document/object_source.h"
#include "index/query.h"
#include "index/query/view_state.h"

namespace cairn::index {

/// Segment i of `state` has the objects in the documents of segment i of the view above. Immutable.
struct NestedView {
  ViewState state;
  const ViewState* above = nullptr;  // the view whose documents have the objects; it keeps this one

  /// The document that an object is in.
  std::uint32_t parent(std::size_t segment, std::uint32_t object) const {
    return row_at<std::uint32_t>(parents[segment], object);
  }
  /// The first object, from `from` on, of a document at or after `doc`.
  std::uint32_t first_from(std::size_t segment, std::uint32_t doc, std::uint32_t from = 0) const;
  /// The objects of a document: from the first to before the second.
  std::pair<std::uint32_t, std::uint32_t> objects_of(std::size_t segment, std::uint32_t doc) const;

  std::vector<std::string_view> parents;  // of each segment: u32 each, ascending
  std::vector<std::string> kept;          // bytes of `parents` that lie in no segment
};

/// The objects of the nested field `path`, which is below the field whose objects `view` has. Made
/// once for a view. Null where the mapping has no such field. Errors: query_shard_exception for
/// one that is not below.
Result<std::shared_ptr<const NestedView>> nested_view(const ViewState& view, std::string_view path);

/// The view whose documents have a field: `view` itself, or the one of the nested field that it is
/// in. Lives as long as `view`.
const ViewState& state_with(const ViewState& view, std::string_view field);

/// Where an object of `view` stands in its document, outermost first.
std::vector<ObjectPlace> place_of(const ViewState& view, DocAddress object);

/// What a query of another view knows, where `outer` asks. It refers to `view`, and to what `outer`
/// refers to.
std::unique_ptr<QueryContext> context_within(const QueryContext& outer, const ViewState& view);
/// What was counted within counts for the whole query.
void take_counts(const QueryContext& outer, const QueryContext& within);

}  // namespace cairn::index
