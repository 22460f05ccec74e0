// SPDX-License-Identifier: Apache-2.0
// What happens to the tokens of one text or two before they get their special tokens.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "text/tokenizer.h"
#include "text/tokenizer/pipeline.h"

namespace cairn::text::tokenizer {

/// Reads the `truncation` of a tokenizer.json. Errors: invalid_argument.
Result<std::optional<Truncation>> read_truncation(const Json& truncation);

/// Leaves `room` tokens of all texts together. True where something was cut.
/// Errors: invalid_argument where the text that may be cut is too short.
Result<bool> truncate(std::span<TokenList> texts, const Truncation& how, std::size_t room);

/// Takes the spaces that byte-level tokens begin and end with out of their ranges; the first token
/// keeps a single one where `keeps_added`, as that was added and is none of the text's.
void trim_ranges(std::string_view text, const Pipeline& pipeline, bool keeps_added,
                 TokenList& tokens);

}  // namespace cairn::text::tokenizer
