// SPDX-License-Identifier: Apache-2.0
// The pre-tokenizers of tokenizer.json: how normalized text is cut into words.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::text {

/// Appends the words of `text`, as views into it, in order.
using PreTokenize = std::function<void(std::string_view text, std::vector<std::string_view>& out)>;

/// Reads the `pre_tokenizer` of a tokenizer.json; null takes the text as one word.
/// Errors: invalid_argument; unsupported for a type that is not offered (tokenizer.h lists them).
Result<PreTokenize> parse_pre_tokenizer(const Json& pre_tokenizer);

}  // namespace cairn::text
