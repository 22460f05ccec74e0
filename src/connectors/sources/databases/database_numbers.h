// SPDX-License-Identifier: Apache-2.0
// Numbers of databases, as they are written in text, as JSON.
#pragma once

#include <string_view>

#include "format/json.h"

namespace cairn::connectors {

/// A number as JSON has it (RFC 8259, section 6).
bool is_json_number(std::string_view text);

/// The digits as they are; null for what is no number, and for what no double holds.
void append_database_number(JsonWriter& out, std::string_view text);

}  // namespace cairn::connectors
