// SPDX-License-Identifier: Apache-2.0
// The mini-language of query_string, and what it shares with that of simple_query_string.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/query.h"

namespace cairn::search {

using WeightedFields = std::vector<std::pair<std::string, float>>;

struct QueryStringOptions {
  WeightedFields fields = {};  // searched where the text names none
  std::function<Result<WeightedFields>(const std::string& pattern)> expand =
      {};                    // "book.\\*:words"
  bool every_field = false;  // these are all there are: * alone means every document
  index::Operator default_operator = index::Operator::or_;
  std::string analyzer = {};
  std::string minimum_should_match = {};
  std::string fuzziness = "AUTO";  // of word~
  std::size_t phrase_slop = 0;
  bool allow_leading_wildcard = true;
  bool lenient = false;        // what a field cannot be asked matches nothing there
  std::string time_zone = {};  // of ranges over dates
  std::size_t max_regexp_states = 10'000;  // of /a pattern/
  /// A pattern in the letters that words of a field have. Empty: as it is.
  std::function<std::string(const std::string& field, const std::string& pattern)> in_letters_of =
      {};
  /// Whether a text has words of a field: what has none is as if it did not stand there. Empty: all
  /// have.
  std::function<bool(const std::string& field, const std::string& text)> has_words = {};
  /// Whether a field has values as a whole, and no words. Empty: none has.
  std::function<bool(const std::string& field)> takes_values = {};
  std::size_t max_clauses = 4096;
};

/// Errors: query_shard_exception, `Failed to parse query [text]`; illegal_argument_exception for
/// more clauses than are allowed.
Result<index::Query> parse_query_string(std::string_view text, const QueryStringOptions& options);

}  // namespace cairn::search
