// SPDX-License-Identifier: Apache-2.0
// A rendered prompt as token ids.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "inference/templates/chat_template.h"
#include "os/deadline.h"
#include "text/tokenizer.h"

namespace cairn::inference {

/// The tokens of a prompt. Added tokens, special or not, are matched only where the template wrote
/// them, whatever else spells them; words are cut as if the text were one. Nothing is added or
/// truncated.
/// Errors: those of Tokenizer::encode.
Result<std::vector<std::uint32_t>> prompt_tokens(const text::Tokenizer& tokenizer,
                                                 const std::vector<PromptSpan>& spans,
                                                 const os::Deadline& deadline);

}  // namespace cairn::inference
