// SPDX-License-Identifier: Apache-2.0
// Who chooses the tokens of one text, and wants them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"

namespace cairn::inference {

/// The scheduler calls next(), charge() and ended() from the thread of a step, one call at a time;
/// they compute and do not wait. is_wanted() may turn false on any thread.
class TokenSink {
 public:
  virtual ~TokenSink() = default;
  /// The next token, chosen by these numbers, one for each word. None: the text ends here.
  virtual std::optional<std::uint32_t> next(std::span<const float> logits) = 0;
  /// False once nobody waits for the text any more: it ends before the next step.
  virtual bool is_wanted() const = 0;
  /// CPU time that was spent on this text.
  virtual void charge(std::int64_t cpu_ns) = 0;
  /// Called once, last. An error: the text is cut here. Success: next() gave no more, or the model
  /// takes no more tokens.
  virtual void ended(const Status& how) = 0;
};

}  // namespace cairn::inference
