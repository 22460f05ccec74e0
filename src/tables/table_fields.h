// SPDX-License-Identifier: Apache-2.0
// The mapping and the settings of the index of a table.
#pragma once

#include <cstdint>

#include "format/json.h"

namespace cairn::tables {

enum class TableKind : std::uint8_t { journal, inventory };

/// Strict: the columns of the table, and two lists by which tags and metadata are searched
/// ("name=value"), since their names are chosen by users and must not become fields.
Json mapping_of(TableKind kind);
/// Longer values of tags and metadata, in characters, are not searched.
inline constexpr std::int64_t list_value_max = 8191;

/// Hidden: patterns that begin with no dot leave it out.
Json settings_of_tables();

}  // namespace cairn::tables
