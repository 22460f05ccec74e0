// SPDX-License-Identifier: Apache-2.0
// Date math in names of indices: <logs-{now/d}> is logs-2026.03.29 on that day. Source: the field's
// engine; docs/reference/names.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::index {

/// The expression (names with commas between them) with the names that stand between < and > made
/// plain; other names are left as they are. `now_ms`: milliseconds since 1970. No comma comes about
/// that was not there. Errors: parse_exception; illegal_argument_exception for a format or a zone.
Result<std::string> resolve_dated_names(std::string_view expression, std::int64_t now_ms);

/// Whether one of the names may be such.
inline bool has_dated_names(std::string_view expression) {
  return expression.find('<') != std::string_view::npos;
}

}  // namespace cairn::index
