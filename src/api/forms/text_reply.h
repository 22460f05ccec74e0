// SPDX-License-Identifier: Apache-2.0
// Texts of models as replies: the platform's forms and those of OpenAI's interface.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inference/text_answer.h"

namespace cairn::api {

/// One choice, whole.
struct WholeText {
  std::string text = {};
  std::vector<inference::ToolCall> calls = {};
  std::vector<inference::SampledToken> tokens = {};
  inference::FinishReason finished = inference::FinishReason::stop;
};

/// Takes the pieces until the texts are over. Blocks. Errors: those of TextAnswer::next().
Result<std::vector<WholeText>> gather(inference::TextAnswer& answer, const os::Deadline& deadline);

struct TextUsage {
  std::uint64_t prompt_tokens = 0;
  std::uint64_t completion_tokens = 0;
};

/// {"completion": [{"result": …}]}
std::string completion_reply(const std::vector<std::string>& results);
/// {"completion": [{"delta": …}]}
std::string completion_delta(std::string_view text);

/// What the events and replies of one chat or OpenAI completion have in common.
class ChatForm {
 public:
  enum class Kind { chat, completion };  // completion: POST /v1/completions
  /// `id` and `created_s` are new for each call; `tokenizer` outlives this, for logprobs.
  ChatForm(Kind kind, std::string id, std::int64_t created_s, std::string model,
           const text::Tokenizer* tokenizer, bool with_logprobs);

  /// The reply that holds all choices.
  std::string whole(const std::vector<WholeText>& choices, const TextUsage& usage) const;
  /// The event of one piece; the first of a choice says who speaks. `calls`: how many of the choice
  /// came before, as each has a number.
  std::string chunk(const inference::TextPiece& piece, bool first, std::size_t calls) const;
  /// The event that ends a choice, after its last text.
  std::string last_chunk(std::size_t choice, inference::FinishReason finished) const;
  /// The event without choices that tells the usage.
  std::string usage_chunk(const TextUsage& usage) const;

 private:
  JsonWriter& begin(JsonWriter& out, std::string_view object) const;
  void logprobs(JsonWriter& out, const std::vector<inference::SampledToken>& tokens) const;
  void chat_logprobs(JsonWriter& out, const std::vector<inference::SampledToken>& tokens) const;
  void token(JsonWriter& out, std::uint32_t id, float logprob) const;
  std::string text_of(std::uint32_t id) const;

  Kind kind_;
  std::string id_;
  std::int64_t created_s_;
  std::string model_;
  const text::Tokenizer* tokenizer_;  // not null with logprobs
  bool with_logprobs_;
};

}  // namespace cairn::api
