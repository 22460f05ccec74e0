// SPDX-License-Identifier: Apache-2.0
// Hits within a hit: some of its group, or the objects of it that matched.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"

namespace cairn::search {

struct InnerHits {
  std::string name;
  Json body;  // members of a search request: size, sort, _source, ...
  std::size_t window = 0;  // from + size
};

/// The `inner_hits` of a nested query.
struct NestedInnerHits {
  InnerHits inner;
  std::string path;
  Json query;  // of the objects
};

/// Reads the object at `path` of the request `text`. `name` is what they are called where they do
/// not say. Errors: parsing_exception, illegal_argument_exception.
Result<InnerHits> read_inner_hits(std::string_view text, const std::string& path, const Json& json,
                                  const std::string& name);

/// Errors: illegal_argument_exception for more than `most` hits. `setting`: which one says so; empty:
/// none does.
Status check_inner_window(const InnerHits& inner, std::size_t most, std::string_view setting);

}  // namespace cairn::search
