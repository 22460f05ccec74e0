// SPDX-License-Identifier: Apache-2.0
// What a search may look up beside its indices, with the rights of who calls.
#pragma once

#include "api/call.h"
#include "index/indices.h"
#include "search/request.h"
#include "search/search_template.h"

namespace cairn::api {

/// Documents that queries name, as a get with the rights of the caller sees them. Not to outlive
/// the call.
search::FindDocument document_finder(const Call& call, const index::Indices& indices);

/// Names of indices as the call itself names them. Not to outlive the call.
search::ResolveIndices index_resolver(const Call& call, const index::Indices& indices);

/// Kept templates of searches. Not to outlive the catalogue.
search::FindTemplate template_finder(const index::Indices& indices);

/// Who reads on by this call, for search::Service: its key, and what it may read. Not to outlive
/// the call.
search::ContextCaller context_caller(const Call& call);

/// Lets a search go on after the call: from now on documents, indices and points in time are looked
/// up with the rights that the caller has now, by copies of what says so, until `until`. `indices`
/// outlive the search. Errors: those of the parameters that say how names of indices are taken.
Status let_outlive(const Call& call, const index::Indices& indices, const os::Deadline& until,
                   search::SearchParameters& parameters);

}  // namespace cairn::api
