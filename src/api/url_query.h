// SPDX-License-Identifier: Apache-2.0
// A query in the URL: `q`, and what goes with it.
#pragma once

#include <vector>

#include "api/call.h"
#include "base/result.h"
#include "search/request.h"

namespace cairn::api {

/// Reads q, df, default_operator, analyzer and lenient; the rest of the parameters is as where they
/// are absent. Errors: illegal_argument_exception, also for analyze_wildcard=true.
Result<search::SearchParameters> read_url_query(const Call& call);

/// The parameters that read_url_query() reads, those of routing, which change nothing, and `more`.
std::vector<gate::Parameter> with_url_query(std::vector<gate::Parameter> more = {});

}  // namespace cairn::api
