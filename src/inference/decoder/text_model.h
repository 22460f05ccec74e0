// SPDX-License-Identifier: Apache-2.0
// What a model that makes texts gives to whoever runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "format/json.h"
#include "inference/chat/sampler.h"
#include "inference/chat/tool_calls.h"
#include "inference/decoder/step_model.h"
#include "inference/templates/chat_template.h"
#include "text/tokenizer.h"

namespace cairn::inference {

/// The face of a model that expects the next token. Immutable, safe from any thread; lives as long
/// as its Model, and what steps() gives must not live longer.
class TextModel {
 public:
  virtual ~TextModel() = default;
  /// Steps of this model, with pages of keys and values of at most `kv_bytes`, taken as they are
  /// needed. Takes memory for one step. Errors: invalid_argument where not even a page is that
  /// small; rate_limited where memory ends.
  virtual Result<std::unique_ptr<StepModel>> steps(std::size_t kv_bytes) const = 0;
  virtual const text::Tokenizer& tokenizer() const = 0;
  /// Null where the files have none: such a model goes on with texts, and does not chat.
  virtual const ChatTemplate* chat_template() const = 0;
  /// How the model writes calls of tools, as its template shows.
  virtual ToolCallFormat tool_calls() const = 0;
  /// `bos_token`, `eos_token` and others by name: what a template may take for its own words.
  virtual const Json& template_tokens() const = 0;
  /// Whether a text is over with this token, which is no part of it.
  virtual bool ends_text(std::uint32_t id) const = 0;
  /// How tokens are drawn where a call does not say.
  virtual const SamplingOptions& sampling() const = 0;
};

}  // namespace cairn::inference
