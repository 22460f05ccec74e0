// SPDX-License-Identifier: Apache-2.0
// Which part of a document's source a hit shows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::search {

struct SourceFilter {
  bool enabled = true;
  std::vector<std::string> includes = {};  // paths, with *; empty: all
  std::vector<std::string> excludes = {};

  bool is_all() const { return enabled && includes.empty() && excludes.empty(); }
};

/// Reads `_source`: true, false, a pattern, a list of patterns, or {includes, excludes}.
Result<SourceFilter> parse_source_filter(std::string_view text, const Json& json);

/// The members of an object that the filter lets through; a path that is included brings all that
/// is below it.
Json filter_source(const Json& source, const SourceFilter& filter);

/// Values of a dotted path, in the order of the document; lists are taken apart. A path may be
/// written with dots in the names of members.
std::vector<Json> values_at(const Json& source, std::string_view path);

}  // namespace cairn::search
