// SPDX-License-Identifier: Apache-2.0
// Texts that suggestions are made for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "search/run/execution.h"
#include "text/analyzer.h"

namespace cairn::search {

/// What a suggester is given; empty where it was not said.
struct SuggestText {
  std::string text = {};    // its own, or that of all
  std::string prefix = {};
  std::string regex = {};
  bool has_prefix = false;
  bool has_regex = false;
};

/// The words of a text as the field has them in the first target that has it, or as an analyzer
/// makes them. At most 100. Errors: illegal_argument_exception.
Result<text::Tokens> words_of(const std::string& text, const std::string& name,
                              const std::string& analyzer_name, const Execution& execution);

}  // namespace cairn::search
