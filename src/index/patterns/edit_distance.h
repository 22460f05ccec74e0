// SPDX-License-Identifier: Apache-2.0
// How many edits lead from one word to another.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::index {

std::vector<char32_t> letters_of(std::string_view text);

/// Edits between the two, at most `most` + 1 (which stands for more). Neighbours that changed
/// places count as one edit where `swaps`. Only cells within `most` of the diagonal can count, so
/// that the time grows with the length of the terms.
std::size_t edit_distance(const std::vector<char32_t>& a, const std::vector<char32_t>& b,
                          std::size_t most, bool swaps);

/// How many edits a fuzziness ("AUTO", "AUTO:3,6", "0" to "2") allows a word of so many characters.
/// Errors: illegal_argument_exception.
Result<std::size_t> edits_for(std::string_view fuzziness, std::size_t length);

}  // namespace cairn::index
