// SPDX-License-Identifier: Apache-2.0
// What a field becomes that a document has and the mapping lacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::index {

/// A new field as a mapping has it.
struct DynamicField {
  Json made = {};               // its parameters; null: the value tells nothing
  bool is_runtime = false;      // among the runtime fields
  bool is_of_template = false;  // a template says so
};

/// The mapping of a new field with this value: a text with a keyword beside it, a long, a float, a
/// boolean, a date, an object, a dense_vector (128 to 4,096 floats), or what a dynamic template
/// says; where `dynamic` is runtime, a runtime field of such a value. Null where the value tells
/// nothing (null, an empty list). `steps` of the limits counts the patterns that are tried.
Result<DynamicField> dynamic_field(const Mapping& mapping, const std::string& path,
                                   const Json& value, Dynamic dynamic, const MappingLimits& limits);

/// Whether templates and date formats are few and short enough to be tried on every new field.
/// Errors: mapper_parsing_exception.
Status check_dynamic_rules(const Json& templates, const std::vector<std::string>& date_formats);

}  // namespace cairn::index
