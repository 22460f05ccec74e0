// SPDX-License-Identifier: Apache-2.0
// The text of a script as tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "script/errors.h"
#include "script/value.h"

namespace cairn::script {

struct Token {
  enum class Kind { name, number, text, mark, end };
  Kind kind = Kind::end;
  std::uint32_t at = 0;
  std::string_view word = {};  // as it stands in the source
  std::string text = {};       // of a text: what it says
  Value number = {};
  bool is_least = false;  // a whole number that is taken only behind a minus: 2147483648
};

/// All tokens, an end behind them. Views lie in `source`. False with a fault where a character or a
/// number is none of the language.
bool read_tokens(std::string_view source, std::vector<Token>& out, Fault& fault);

}  // namespace cairn::script
