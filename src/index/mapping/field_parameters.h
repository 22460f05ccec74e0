// SPDX-License-Identifier: Apache-2.0
// Which parameters fields of each type have, and which of them may change later.
#pragma once

#include <string_view>

#include "index/mapping/mapping.h"

namespace cairn::index {

/// What an object field keeps of its JSON, beside properties.
bool is_object_parameter(std::string_view name, bool nested);
bool is_allowed(FieldType type, std::string_view name);
/// Whether it may differ in an update of a field that exists.
bool is_updatable(FieldType type, std::string_view name);

}  // namespace cairn::index
