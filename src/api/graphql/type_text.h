// SPDX-License-Identifier: Apache-2.0
// The types of the schema that are written by hand: what there is, and how it hangs together.
#pragma once

#include <string_view>

namespace cairn::api {

/// In the schema language. Query and Mutation are left open for the fields that the table of routes
/// adds, in place of a line of each.
extern const std::string_view graphql_types;
/// The types of connectors, inference, snapshots, keys, objects and tasks.
extern const std::string_view graphql_resource_types;
inline constexpr std::string_view query_fields_here = "# fields of Query follow";
inline constexpr std::string_view mutation_fields_here = "# fields of Mutation follow";

}  // namespace cairn::api
