// SPDX-License-Identifier: Apache-2.0
// The body of a reindex: where from, where to, how much.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "search/service.h"
#include "tasks/by_query.h"
#include "tasks/options.h"

namespace cairn::api {

/// Reads a body into `out`; what the URL says stands there already. Checks nothing against indices.
/// Errors: illegal_argument_exception, action_request_validation_exception,
/// x_content_parse_exception, parsing_exception.
Status read_reindex(std::string_view text, const Json& body, const search::Service& search,
                    const tasks::Options& limits, tasks::ByQuery& out);

}  // namespace cairn::api
