// SPDX-License-Identifier: Apache-2.0
// The last key of an order that goes on: where a hit is, so that no two hits are equal.
#pragma once

#include <cstdint>

#include "index/query.h"
#include "search/request.h"

namespace cairn::search {

/// The key that the platform calls `_shard_doc`: its values are places over all targets.
inline constexpr const char* place_key_name = "_shard_doc";
bool is_place_key(const index::SortKey& key);

/// Completes the sort of a request at a point in time: where it sorts by anything, hits show their
/// place last, and a search_after may bring it.
void add_shown_tie_breaker(SearchRequest& request);
/// Completes the sort of a scroll: hits show only what the request asked for.
void add_hidden_tie_breaker(SearchRequest& request);

/// A place over all targets as a number that fits a double.
std::int64_t place_over_all(std::size_t target, std::int64_t doc);
/// What a place means to one target: before all of its documents, behind all, or one of them.
std::int64_t place_within(std::size_t target, std::int64_t place);

}  // namespace cairn::search
