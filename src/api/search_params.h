// SPDX-License-Identifier: Apache-2.0
// What the URL of a search says, and the rows of the routes that search.
#pragma once

#include <string>
#include <vector>

#include "api/call.h"
#include "gate/route.h"
#include "index/indices.h"
#include "search/request.h"

namespace cairn::api {

/// All parameters of a search, with what it may look up. Not to outlive the call. Errors: those of
/// reading parameters.
Result<search::SearchParameters> search_params(const Call& call, const index::Indices& indices);

/// Parameters of routes that count, and of those that search.
std::vector<gate::Parameter> count_parameters();
std::vector<gate::Parameter> search_parameters();

/// A row of the table for searching indices that the caller may read.
gate::Route search_row(std::string method, std::string path, std::string operation,
                       std::string summary, std::vector<gate::Parameter> query);

}  // namespace cairn::api
