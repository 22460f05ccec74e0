// SPDX-License-Identifier: Apache-2.0
// The source of a template, cut into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::inference::templates {

inline constexpr std::size_t most_name_bytes = 256;  // names are compared at every step

/// Both from 1; columns count characters.
struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct Token {
  enum class Kind {
    data,  // text between tags
    print_begin,
    print_end,
    tag_begin,
    tag_end,
    name,
    string,  // its text, escapes undone
    integer,
    number,
    sign,  // an operator or a bracket
    end
  };
  Kind kind = Kind::end;
  std::string text = {};
  Place place = {};
  std::int64_t integer = 0;
  double number = 0;
};

/// `chat template, line 3, column 7: ` and the message; invalid_argument with details line and col.
Error template_error(Place place, std::string_view message);

/// Cuts a source as Jinja does with trim_blocks and lstrip_blocks, without a newline at its end.
/// Line ends become \n. Errors: invalid_argument, with line and column.
Result<std::vector<Token>> read_tokens(std::string_view source);

}  // namespace cairn::inference::templates
