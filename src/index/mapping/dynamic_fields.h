// SPDX-License-Identifier: Apache-2.0
// What a field becomes that a document has and the mapping lacks.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::index {

/// The mapping of a new field with this value: a text with a keyword beside it, a long, a float, a
/// boolean, a date, an object, a dense_vector (128 to 4,096 floats), or what a dynamic template
/// says. Null where the value tells nothing (null, an empty list).
Result<Json> dynamic_field(const Mapping& mapping, const std::string& path, const Json& value);

/// Puts the mapping of the field `path` into a change: {"properties": {"a": {"properties": ...}}}.
void place_change(Json& change, std::string_view path, const Json& field);

}  // namespace cairn::index
