// SPDX-License-Identifier: Apache-2.0
// Chat templates of models: messages to the text that a model is given.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "inference/templates/machine.h"
#include "os/deadline.h"

namespace cairn::inference {

/// A run of text of one origin. Only in what comes from the template may a tokenizer find special
/// tokens: what users and tools write stays text, whatever it spells.
struct PromptSpan {
  std::string text;
  bool from_template = false;
  friend bool operator==(const PromptSpan&, const PromptSpan&) = default;
};

struct RenderOptions {
  TemplateLimits limits = {};
  std::int64_t now_s = 0;  // seconds since 1970, for strftime_now, which shows UTC
};

/// A parsed template: the part of Jinja that chat templates use, with trim_blocks and
/// lstrip_blocks, in a sandbox. docs/reference/chat-templates.md lists what is offered.
/// Immutable; safe from any thread.
class ChatTemplate {
 public:
  /// Errors: invalid_argument with line and column, details line and col; too_large for sources
  /// over 256 KiB.
  static Result<ChatTemplate> parse(std::string_view source);

  /// The text for these variables (`messages`, `tools`, `add_generation_prompt` …), an object of at
  /// most 256 names. Of a message the `role` counts as the template's where it is system,
  /// developer, user, assistant or tool; all else is a value. `trusted` (an object too) holds what
  /// the model's own files say, as `bos_token`: it counts as the template's. Of one name,
  /// `variables` counts. Takes time in proportion to the variables and to the steps. Errors:
  /// invalid_argument with line and column, or the words of the template's own raise_exception;
  /// too_large over a limit; timeout, cancelled.
  Result<std::vector<PromptSpan>> render(const Json& variables, const Json& trusted,
                                         const RenderOptions& options,
                                         const os::Deadline& deadline) const;

  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

 private:
  struct Impl;
  explicit ChatTemplate(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

/// The text of all spans.
std::string text_of(const std::vector<PromptSpan>& spans);

}  // namespace cairn::inference
