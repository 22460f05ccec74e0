// SPDX-License-Identifier: Apache-2.0
// How good searches are, by documents that people have rated for them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/deadline.h"
#include "search/search_template.h"
#include "search/service.h"

namespace cairn::search {

/// Does the searches of a request (`requests`, each with `ratings`, some made from `templates`) over
/// these indices, and gives what they are worth by its `metric`: {"metric_score", "details": {id:
/// ...}, "failures": {id: ...}}. A search that fails is among the failures, and not in the mean.
/// Blocks until the deadline. Errors: parsing_exception, x_content_parse_exception,
/// illegal_argument_exception; timeout, cancelled.
Result<Json> rank_eval(Service& service, const IndexList& indices, std::string_view body,
                       const SearchParameters& parameters, const FindTemplate& find,
                       const os::Deadline& deadline);

}  // namespace cairn::search
