// SPDX-License-Identifier: Apache-2.0
// How the search page of an index looks, and what it asks: of what strangers send, the words, the
// chosen values of facets and the place to go on at reach a search, and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::api {

/// `_meta.search_page` of a mapping, and what its fields suggest where that says nothing. What is
/// wrong in it is passed over: the mapping belongs to whoever made it.
struct SearchPage {
  struct Facet {
    std::string field = {};
    std::string title = {};
  };
  std::string title = {}, lead = {}, placeholder = {};
  std::vector<std::string> fields = {};  // that words are looked for in, with weights: "title^2"
  std::string title_field = {}, text_field = {}, url_field = {};  // empty: none
  std::string semantic_field = {};  // the search is then by words and by meaning
  std::vector<Facet> facets = {};
  std::int64_t size = 10;  // results at a time

  /// `mapping` as Mapping::to_json gives it.
  static SearchPage of(const Json& mapping, std::string_view index);
  Json to_json() const;
};

/// One search of a page.
struct PageSearch {
  std::string words = {};
  std::vector<std::pair<std::string, std::string>> filters = {};  // a facet's field, and its value
  std::int64_t from = 0;

  /// Reads {"words", "filters": {FIELD: VALUE}, "from"}. Errors: those of Fields; a field that is no
  /// facet of the page, words of over 1,000 bytes, and results after the thousandth.
  static Result<PageSearch> read(const Json& body, const SearchPage& page);
  /// The same as the body of a search.
  Json search_body(const SearchPage& page) const;
};

}  // namespace cairn::api
