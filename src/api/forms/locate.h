// SPDX-License-Identifier: Apache-2.0
// Where a member stands in a JSON text: line and column for errors about it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace cairn::api {

/// Between the names of a path; a name may hold dots.
inline constexpr char path_separator = '\x1f';

struct Position {
  std::size_t line = 1;
  std::size_t column = 1;  // in bytes, from 1
};

/// The position of the member at `path` (names, and indices of arrays), or of its value. Nothing
/// where the text has no such member. The text is JSON that was parsed before.
std::optional<Position> locate(std::string_view text, std::string_view path, bool of_value);

}  // namespace cairn::api
