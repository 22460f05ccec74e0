// SPDX-License-Identifier: Apache-2.0
#include "search/run/tie_breaker.h"

#include <algorithm>

namespace cairn::search {
namespace {

using index::SortKey;

constexpr std::int64_t places_of_one = std::int64_t{1} << 32;

// True where the request's own order has a place as its last key already.
bool ends_with_place(SearchRequest& request) {
  if (request.sort.empty() || request.sort.back().by != SortKey::By::doc) return false;
  request.sort.back().field = place_key_name;
  return true;
}

}  // namespace

bool is_place_key(const SortKey& key) {
  return key.by == SortKey::By::doc && key.field == place_key_name;
}

void add_shown_tie_breaker(SearchRequest& request) {
  if (request.sort.empty() || ends_with_place(request)) return;
  request.sort.push_back({.by = SortKey::By::doc, .field = place_key_name});
  request.sort_formats.emplace_back();
  // A cursor without a place begins behind all hits that are equal to it.
  if (!request.search_after.empty() && request.search_after.size() + 1 == request.sort.size())
    request.search_after.emplace_back(INT64_MAX);
}

void add_hidden_tie_breaker(SearchRequest& request) {
  if (request.sort.empty()) {
    request.sort.push_back({.by = SortKey::By::score, .descending = true});
    request.sort_formats.emplace_back();
    request.hidden_sort_keys = 1;
  }
  if (ends_with_place(request)) return;
  request.sort.push_back({.by = SortKey::By::doc, .field = place_key_name});
  request.sort_formats.emplace_back();
  ++request.hidden_sort_keys;
}

std::int64_t place_over_all(std::size_t target, std::int64_t doc) {
  return static_cast<std::int64_t>(target) * places_of_one + doc;
}

std::int64_t place_within(std::size_t target, std::int64_t place) {
  const std::int64_t first = place_over_all(target, 0);
  if (place < first) return -1;
  return std::min(place - first, places_of_one);
}

}  // namespace cairn::search
