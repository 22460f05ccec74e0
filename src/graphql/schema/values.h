// SPDX-License-Identifier: Apache-2.0
// Values that callers send, as literals and in variables, by the types that want them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "graphql/schema/schema.h"

namespace cairn::graphql {

/// The literal as it would be written.
std::string print_value(const Value& value);
/// A JSON value as errors show it: strings quoted, objects as {a: 1}.
std::string print_json(const Json& value);

/// What is wrong with a value that is no variable for a type of leaves; empty: nothing. Own scalars
/// take everything but what their name promises against.
std::string fault_of_leaf(const SchemaType& type, const Value& value);

/// The value of a literal whose type was checked; `variables` are coerced, and one that was not
/// given reads as nothing. `given` says whether there is a value at all.
Result<Json> literal_value(const Schema& schema, const TypeRef& type, const Value& value,
                           const Json& variables, bool& given);

/// Where a value that was sent does not fit, "a.b[2]" or empty for all of it, and why.
using ValueFault =
    std::function<void(const std::string& path, const Json& value, const std::string& why)>;
/// A value sent in variables, with defaults of input objects put in. Calls `fault` for each place
/// that does not fit; what it gives is then of no use. Depth is that of the JSON.
Json coerce_input(const Schema& schema, const TypeRef& type, const Json& value,
                  const ValueFault& fault, const std::string& path = {});

}  // namespace cairn::graphql
