// SPDX-License-Identifier: Apache-2.0
// Parameters given as a map of names: converted, checked, and put into an operation's structure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "s3/operations/shape.h"

namespace cairn::objectclient {

struct ParamRules {
  bool convert_params = true;   // "5" for an integer, 1.9 for 1, "true" for a boolean ...
  bool validate_params = true;  // required ones, unknown ones, types
};

/// Puts `params` (an object) into `structure`, which has the shape. With validation every fault is
/// named with its path: one as it is, several as "parameter validator found 2 errors:" and a line
/// each. Without it, values that do not fit are left out.
/// Errors: invalid_argument, ArgumentError.
Status read_params(const s3::Shape& shape, const Json& params, const ParamRules& rules,
                   void* structure);

/// The structure as a map: what read_params would take. Fields that are not set are left out.
Json params_json(const s3::Shape& shape, const void* structure);

/// Faults of parameters that are in their structure already, named with their paths: required ones
/// that are missing, and a text that should be a time.
void find_param_faults(const s3::Shape& shape, const void* input, std::vector<std::string>& faults);

/// A time as a field of a header has it, "Fri, 02 Jan 2026 03:04:05 GMT", from that, ISO 8601 or
/// seconds since 1970; nothing where the text is no time of the years 1 to 9999.
std::optional<std::string> http_date_of(std::string_view text);

/// Faults found, as one error. Not for an empty list.
Error parameter_error(const std::vector<std::string>& faults);

}  // namespace cairn::objectclient
