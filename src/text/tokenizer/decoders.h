// SPDX-License-Identifier: Apache-2.0
// The decoders of tokenizer.json: how tokens become text again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/tokenizer/fields.h"

namespace cairn::text::tokenizer {

/// One step: rewrites the texts of tokens. Immutable; safe from any thread.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void apply(std::vector<std::string>& tokens) const = 0;
};

using Decoders = std::vector<std::unique_ptr<const Decoder>>;

/// Reads the `decoder` of a tokenizer.json, sequences made flat; none for null, which joins tokens
/// by spaces. Errors: invalid_argument; unsupported for a type that is not offered.
Result<Decoders> read_decoders(const Json& decoder);

}  // namespace cairn::text::tokenizer
