// SPDX-License-Identifier: Apache-2.0
// Which documents a query is of: those of a view, or objects in them.
#pragma once

#include <string_view>

#include "index/mapping/mapping.h"
#include "index/query.h"

namespace cairn::index {

/// Whether a query asks a field that objects of `path` have, so that it is one of these objects.
/// What stands in a nested query of its own, or is of documents, does not count.
bool asks_objects(const Query& query, const Mapping& mapping, std::string_view path);

/// The part of the documents that a list of filters leaves; null where none of them says so.
const WithinQuery* within_of(const std::vector<Query>& filters);

/// Narrows the nearest vectors that the query asks for, wherever in it, to those of a part. False
/// where it asks for none.
bool narrow_nearest(Query& query, const WithinQuery& within);

}  // namespace cairn::index
