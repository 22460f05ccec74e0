// SPDX-License-Identifier: Apache-2.0
// Values of a mapping's parameters. Errors of all: mapper_parsing_exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::index {

/// A whole number, or a text that is one.
Result<std::int64_t> read_int(const Json& value, std::string_view name);
Result<std::string> read_text(const Json& value, std::string_view name);
/// One text, or a list of them.
Result<std::vector<std::string>> read_texts(const Json& value, std::string_view name);
/// true or false, or a text that is one.
Result<bool> read_bool(const Json& value, std::string_view name);

}  // namespace cairn::index
