// SPDX-License-Identifier: Apache-2.0
// Values of leaves on their way out, as their types promise them.
#pragma once

#include "base/result.h"
#include "format/json.h"
#include "graphql/schema/schema.h"

namespace cairn::graphql {

/// A scalar or enum value that is not null. Numbers in text become numbers, enum values upper case,
/// milliseconds of a DateTime a date. Errors: internal, for what the type cannot be.
Result<Json> leaf_output(const SchemaType& type, const Json& value);

}  // namespace cairn::graphql
