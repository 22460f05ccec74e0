// SPDX-License-Identifier: Apache-2.0
// What a request adds to the fields of the indices that it searches: runtime fields, and the
// scripts that it sorts by.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/read/document_lookup.h"
#include "search/request.h"
#include "search/run/execution.h"

namespace cairn::search {

/// Whether a request has any.
bool adds_fields(const SearchRequest& request);

/// Looks up the kept scripts that sort keys and script_fields name. Errors: those of looking up.
Status find_scripts(SearchRequest& request, const DocumentLookup& kept);

/// The same targets with the fields of the request. Errors: mapper_parsing_exception,
/// script_exception; illegal_argument_exception for too many.
Result<std::vector<Target>> with_request_fields(std::vector<Target> targets,
                                                const SearchRequest& request);

}  // namespace cairn::search
