// SPDX-License-Identifier: Apache-2.0
// What every schema has: scalars, directives, and the types that describe a schema.
#pragma once

#include <string_view>

namespace cairn::graphql {

extern const std::string_view built_in_types;
/// A type whose fields each query may ask for besides.
extern const std::string_view meta_fields;

}  // namespace cairn::graphql
