// SPDX-License-Identifier: Apache-2.0
// What changes of indices would do, in numbers.
#pragma once

#include <string>
#include <vector>

#include "api/call.h"
#include "api/index_names.h"
#include "connectors/service.h"
#include "index/indices.h"

namespace cairn::api {

/// Documents and bytes of indices, one by one and together; those of closed ones are not counted.
/// {"indices": [{"index", "documents", "bytes", ...}], "documents", "bytes"}.
Json counted_indices(const IndexList& indices);

/// Whether the deletion of these would be refused, with its errors.
Status check_removal(const index::Indices& indices, const IndexList& gone);

/// What goes with indices that are deleted: counted_indices(), the aliases that would stand for
/// nothing, and, where the caller may see them, the connectors that fill them. Errors: those of the
/// records of connectors.
Result<Json> removal_of(const Call& call, const index::Indices& indices, const IndexList& gone,
                        connectors::Service& connectors);

/// What a change of mappings would do to each: fields that are added or become others, and how many
/// documents stay as they are indexed. Errors: those of Index::put_mapping.
Result<Json> mapping_change_of(const IndexList& found, const Json& change);

/// What a change of settings would do to each: {"index.name": {"from", "to"}}. `change_of` gives
/// the change for an index; `reopens`: open ones are closed for it. Errors: those of put_settings.
Result<Json> settings_change_of(const IndexList& found,
                                const std::function<Result<Json>(const index::Index&)>& change_of,
                                bool reopens, const os::Deadline& deadline);

}  // namespace cairn::api
