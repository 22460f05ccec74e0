// SPDX-License-Identifier: Apache-2.0
// A plain parser of JSON that knows where it is: it words every error of parse_json, reads the rare
// texts that the fast parser leaves out, and is its oracle in tests.
#pragma once

#include <string_view>

#include "format/json.h"

namespace cairn {

/// As parse_json, some times slower.
Result<Json> parse_json_strictly(std::string_view text, JsonLimits limits = {});

/// The error of parse_json for the byte at `offset` of `text`.
Error json_error_at(std::string_view text, std::size_t offset, std::string_view what);

/// Makes the last of several members with one name the only one, in the place of the first. False
/// where there were none.
bool keep_last_members(Json::Object& object);

}  // namespace cairn
