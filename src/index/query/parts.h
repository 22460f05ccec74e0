// SPDX-License-Identifier: Apache-2.0
// Parts of one search that free cores take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "index/query/view_state.h"

namespace cairn::index {

/// Documents [from, to) of one segment.
struct DocRange {
  std::size_t segment = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// Whether a search that looks at about so many postings or documents is worth a call of other
/// threads. Never where it is measured, or where Options::compute is null.
bool is_worth_sharing(const QueryContext& context, std::uint64_t work);

/// How much work a part of such a search should be, so that each core takes a few.
std::uint64_t work_of_part(const QueryContext& context, std::uint64_t work);

/// Cores that may take parts now, this thread's among them. Eight at most: each part holds what it
/// has found.
std::size_t free_cores(const QueryContext& context);

/// All documents of a view in their order, cut into up to `count` parts of about one size. No part
/// cuts a chunk of column_chunk.
std::vector<std::vector<DocRange>> equal_parts(const ViewState& view, std::size_t count);

/// Calls `body(i, own)` for each i in [0, count), each with a context of its own, on this thread
/// and on those that are free. Returns the error of the first part that has one; parts that have
/// begun come to their ends.
Status for_each_part(const QueryContext& context, std::size_t count,
                     const std::function<Status(std::size_t, const QueryContext&)>& body);

}  // namespace cairn::index
