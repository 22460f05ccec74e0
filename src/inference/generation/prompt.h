// SPDX-License-Identifier: Apache-2.0
// From messages or a text to the tokens that a model goes on with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "inference/text_call.h"
#include "inference/decoder/text_model.h"
#include "os/deadline.h"

namespace cairn::inference {

/// The tokens of a prompt: messages by the model's template, a text as the tokenizer frames it.
/// `most_tokens` bounds what is looked at; `now_s`, seconds since 1970, is the template's clock.
/// Computes in proportion to the prompt. Errors: invalid_argument for messages to a model without a
/// template, those that the template refuses, and an empty prompt; too_large; timeout, cancelled.
Result<std::vector<std::uint32_t>> prompt_of(const TextModel& model, TextPrompt prompt,
                                             std::size_t most_tokens, std::int64_t now_s,
                                             const os::Deadline& deadline);

}  // namespace cairn::inference
