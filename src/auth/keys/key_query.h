// SPDX-License-Identifier: Apache-2.0
// Searching keys by the query language of the platform, over the small set of their fields.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "auth/keys/key.h"
#include "base/result.h"
#include "format/json.h"

namespace cairn::auth {

/// A query over id, name, type, creation, expiration, invalidated, invalidation, username, realm,
/// and metadata.*: match_all, ids, term, terms, match (as term), prefix, wildcard, range, exists,
/// bool. Dates are milliseconds or ISO 8601.
/// Errors: invalid_argument for other queries and fields, also where no key is there to look at.
class KeyQuery {
 public:
  static Result<KeyQuery> parse(const Json& query);
  bool fits(const Key& key) const { return fits(query_, key.shown(false)); }

 private:
  explicit KeyQuery(Json query) : query_(std::move(query)) {}
  static bool fits(const Json& query, const Json& shown);
  Json query_;  // checked
};

struct KeySort {
  std::string field;
  bool descending = false;
};
/// "name", {"creation": "desc"}, {"creation": {"order": "desc"}}, or a list of such.
Result<std::vector<KeySort>> parse_key_sort(const Json& sort);
/// The values that a key is sorted by, as search_after takes them.
Json sort_values(const Key& key, const std::vector<KeySort>& sort);
/// Less than zero where `a` comes first.
int compare_sort_values(const Json& a, const Json& b, const std::vector<KeySort>& sort);

}  // namespace cairn::auth
