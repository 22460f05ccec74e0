// SPDX-License-Identifier: Apache-2.0
// Collapsed hits: of each group the best, and beside it some of the group.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "search/read/inner_hits.h"
#include "search/run/ranking.h"

namespace cairn::search {

struct Collapse {
  std::string field = {};  // empty: hits are not collapsed
  std::vector<InnerHits> inner = {};
};

/// Reads `collapse`. `text` is the request. Errors: x_content_parse_exception, parsing_exception,
/// illegal_argument_exception.
Result<Collapse> read_collapse(std::string_view text, const Json& json);

/// The request for some hits of a group: `query` and `post_filter` of the request (null: none),
/// narrowed to the group.
Json inner_request(const Collapse& collapse, const InnerHits& inner, const index::SortValue& group,
                   const Json& query, const Json& post_filter);

/// A group's value in JSON.
Json group_json(const index::SortValue& group);

}  // namespace cairn::search
