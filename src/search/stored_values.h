// SPDX-License-Identifier: Apache-2.0
// Values of fields with `store`, as a get shows them.
#pragma once

#include <string>
#include <vector>

#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::search {

/// {"title": ["Sea"]}: the values in a source of those fields with `store` that names and patterns
/// mean; fields without values, and those without `store`, are left out.
Json stored_values(const std::vector<std::string>& patterns, const index::Mapping& mapping,
                   const Json& source);

}  // namespace cairn::search
