// SPDX-License-Identifier: Apache-2.0
// The mini-languages of query_string and simple_query_string.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/query.h"

namespace cairn::search {

struct QueryStringOptions {
  bool simple = false;                                     // + | - " * ( ) ~N, and no error ever
  std::vector<std::pair<std::string, float>> fields = {};  // searched where the text names none
  bool every_field = false;  // these are all there are: * alone means every document
  index::Operator default_operator = index::Operator::or_;
  std::string analyzer = {};
  std::string minimum_should_match = {};
  std::string fuzziness = "AUTO";  // of word~
  std::size_t phrase_slop = 0;
  bool allow_leading_wildcard = true;
  bool lenient = false;
};

/// Errors: query_shard_exception, `Failed to parse query [text]`; never for
/// simple ones.
Result<index::Query> parse_query_string(std::string_view text, const QueryStringOptions& options);

}  // namespace cairn::search
