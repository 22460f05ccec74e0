// SPDX-License-Identifier: Apache-2.0
// The normalizers of tokenizer.json: how text is made uniform before it is cut.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "format/json.h"

namespace cairn::text {

/// Rewrites UTF-8 text in place.
using Normalize = std::function<void(std::string& text)>;

/// Reads the `normalizer` of a tokenizer.json; null leaves text as it is.
/// Errors: invalid_argument; unsupported for a type that is not offered (tokenizer.h lists them).
Result<Normalize> parse_normalizer(const Json& normalizer);

}  // namespace cairn::text
