// SPDX-License-Identifier: Apache-2.0
// The `fields` of a hit that come from its source: those of nested objects object by object.
#pragma once

#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"
#include "search/show/column_values.h"

namespace cairn::search {

/// {"title": [...], "comments": [{"author": [...]}, ...]}: each field with the values that it
/// takes, without those that have none. Names within an object are told from there on. `bytes`:
/// about how long the texts are. Once they are longer than `most`, the rest is left out: many fields
/// may show one value.
Json values_of_source(const std::vector<ShownField>& fields, const index::Mapping& mapping,
                      const Json& source, std::size_t most, std::size_t& bytes);

}  // namespace cairn::search
