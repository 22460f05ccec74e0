// SPDX-License-Identifier: Apache-2.0
// Regular expressions over terms, in the syntax of the field's engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/query.h"

namespace cairn::index {

/// A pattern taken apart.
struct RegexpNode {
  enum class Kind {
    nothing,     // matches no text
    characters,  // one character of `ranges`
    sequence,    // all of `parts`, one behind another; none: the empty text
    any_of,
    all_of,
    none_of,  // any text that its one part does not match
    repeat    // its one part, `least` to `most` times
  };
  static constexpr std::uint32_t no_end = UINT32_MAX;
  static constexpr char32_t last_character = 0x10FFFF;
  using Range = std::pair<char32_t, char32_t>;  // both ends belong to it

  Kind kind = Kind::sequence;
  std::vector<Range> ranges = {};
  std::vector<std::unique_ptr<RegexpNode>> parts = {};
  std::uint32_t least = 0, most = no_end;
};
using RegexpTree = std::unique_ptr<RegexpNode>;

/// Reads a pattern. `fold`: ASCII letters that stand for themselves match both cases; those of a
/// range do not. Takes time of the pattern's size. Errors: illegal_argument_exception, with the
/// engine's texts.
Result<RegexpTree> parse_regexp(std::string_view pattern, std::uint32_t flags, bool fold);

/// What every text that matches begins with, in UTF-8; often nothing.
std::string literal_prefix(const RegexpNode& node);

}  // namespace cairn::index
