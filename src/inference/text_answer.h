// SPDX-License-Identifier: Apache-2.0
// The texts that a model makes for one call, as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "inference/generation/text_flow.h"
#include "os/deadline.h"

namespace cairn::inference {

/// Of one call and one thread, which must not be one of the pool that computes. When it goes away
/// before the texts are over, they end. What they cost counts as that of the calling thread's
/// request.
class TextAnswer {
 public:
  virtual ~TextAnswer() = default;
  /// As TextFlow::next().
  virtual Result<std::optional<TextPiece>> next(const os::Deadline& deadline) = 0;
  /// As TextFlow::wait_ms().
  virtual bool wait_ms(std::int64_t ms, const os::Deadline& deadline) = 0;

  virtual std::size_t choices() const = 0;
  // Of another server's model both numbers are known once the texts are over, if it tells them.
  virtual std::uint64_t prompt_tokens() const = 0;
  virtual std::uint64_t new_tokens() const = 0;
  /// That of the model; null where pieces never tell tokens.
  virtual const text::Tokenizer* tokenizer() const = 0;
  /// What answers show as the model where that is not what the call names; else empty.
  virtual std::string model_name() const { return {}; }
};

}  // namespace cairn::inference
