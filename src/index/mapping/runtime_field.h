// SPDX-License-Identifier: Apache-2.0
// Runtime fields in mappings: what they are, and reading them from JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::index {

/// The members of `runtime` or `runtime_mappings`: name to definition.
/// Errors: mapper_parsing_exception; a script that is none is the cause of one (script_exception).
/// What is kept is taken without its script being looked at.
Result<Field> read_runtime_field(const std::string& name, const Json& json,
                                 const MappingLimits& limits);

/// Errors: mapper_parsing_exception for a name that no runtime field can have.
Status check_runtime_name(const std::string& name);

/// The mapping with these fields beside its own, and before them: for one request.
/// Errors: those of read_runtime_field; illegal_argument_exception for more than `fields_max`.
Result<std::shared_ptr<const Mapping>> with_runtime_fields(const Mapping& mapping,
                                                           const Json& runtime_mappings);

}  // namespace cairn::index
