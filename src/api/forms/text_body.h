// SPDX-License-Identifier: Apache-2.0
// Bodies of completions and chats: those of the platform and those of OpenAI's interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/forms/fields.h"
#include "base/result.h"
#include "inference/text_call.h"

namespace cairn::api {

/// Errors of all: invalid_argument, which name the field.

/// The settings of a call of the task completion, in `task_settings`: temperature, top_p, top_k,
/// min_p, the penalties, seed, max_completion_tokens and stop.
Status read_text_settings(const Json& settings, inference::TextCall& out);

/// Messages as templates take them: texts of several parts are joined by line breaks, arguments of
/// tool calls are objects. Roles: system, developer, user, assistant, tool.
Result<Json> read_messages(const Json& messages);

/// The unified body of the platform: messages, model, max_completion_tokens, stop, temperature,
/// top_p, tools, tool_choice; and, beyond it, the other settings of read_text_settings().
struct ChatBody {
  inference::TextCall call = {};
  std::optional<std::string> model = {};
};
Result<ChatBody> read_unified(const Json& body);

/// The bodies of POST /v1/chat/completions and /v1/completions. What is known there and cannot be
/// done here is refused by name; what changes no answer is let through.
struct OpenAiBody {
  std::string model = {};
  std::vector<inference::TextCall> calls = {};  // one for each prompt
  bool stream = false;
  bool stream_usage = false;
  bool echo = false;
};
Result<OpenAiBody> read_openai_chat(const Json& body);
Result<OpenAiBody> read_openai_completion(const Json& body);

}  // namespace cairn::api
