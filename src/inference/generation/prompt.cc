// SPDX-License-Identifier: Apache-2.0
#include "inference/generation/prompt.h"

#include <span>
#include <string>
#include <utility>

#include "inference/chat/prompt_tokens.h"
#include "inference/errors.h"

namespace cairn::inference {
namespace {

// No token is longer but for runs of spaces, so that what is over it is over the model's window.
constexpr std::size_t most_token_bytes = 256;

using PromptIds = std::vector<std::uint32_t>;

Json user_message(const std::string& text) {
  return Json::array({Json::object({{"role", "user"}, {"content", text}})});
}

Result<PromptIds> rendered(const TextModel& model, TextPrompt prompt, std::int64_t now_s,
                           const os::Deadline& deadline) {
  Json variables = Json::object();
  if (prompt.template_arguments.is_object()) variables = std::move(prompt.template_arguments);
  variables.set("messages", std::move(prompt.messages));
  if (prompt.tools.is_array()) variables.set("tools", std::move(prompt.tools));
  variables.set("add_generation_prompt", true);
  RenderOptions options;
  options.now_s = now_s;
  CAIRN_TRY(const std::vector<PromptSpan> spans,
            model.chat_template()->render(variables, model.template_tokens(), options, deadline));
  return prompt_tokens(model.tokenizer(), spans, deadline);
}

Result<PromptIds> framed(const TextModel& model, const std::string& text, std::size_t most_tokens,
                         const os::Deadline& deadline) {
  if (text.size() / most_token_bytes > most_tokens) {
    return Error{.kind = ErrorKind::too_large,
                 .message = "the prompt has [" + std::to_string(text.size()) +
                            "] bytes; the model takes [" + std::to_string(most_tokens) +
                            "] tokens"};
  }
  text::EncodeOptions how;
  how.truncation = text::Truncation{.max_tokens = SIZE_MAX};
  how.trusted = std::span<const text::TokenRange>();  // no part of it is a template's
  text::Encoding encoding;
  CAIRN_CHECK(model.tokenizer().encode(text, how, deadline, encoding));
  if (encoding.ids.empty()) {  // what a model says unasked begins at its first token
    const auto first = model.tokenizer().facts().bos;
    if (!first) return bad_request("the prompt is empty, and the model has no first token");
    encoding.ids.push_back(*first);
  }
  return std::move(encoding.ids);
}

}  // namespace

Result<PromptIds> prompt_of(const TextModel& model, TextPrompt prompt, std::size_t most_tokens,
                            std::int64_t now_s, const os::Deadline& deadline) {
  const bool chats = model.chat_template() != nullptr;
  if (!chats && !prompt.messages.is_null()) {
    return bad_request(
        "the model's files have no chat template, so that it does not chat; use a completion");
  }
  if (chats && prompt.as_message && prompt.messages.is_null())
    prompt.messages = user_message(prompt.text);
  if (!prompt.messages.is_null()) return rendered(model, std::move(prompt), now_s, deadline);
  return framed(model, prompt.text, most_tokens, deadline);
}

}  // namespace cairn::inference
