// SPDX-License-Identifier: Apache-2.0
// The pieces of a chat as another server streams them, in OpenAI's form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "inference/generation/text_flow.h"

namespace cairn::inference {

/// Bounds of one answer.
struct ChunkLimits {
  std::size_t bytes = 32 << 20;  // of texts and calls together
  std::size_t calls = 128;       // of one choice
};

/// Takes chunks in their order; one thread. Calls of tools, which come in parts, are handed out
/// whole at the end of their choice.
class ChatChunks {
 public:
  explicit ChatChunks(std::size_t choices, ChunkLimits limits = {});

  /// The texts of one chunk, `chat.completion.chunk`; a whole answer, `chat.completion`, counts as
  /// one too. Errors: unavailable where it makes no sense, or says that the server failed.
  Result<std::vector<TextPiece>> take(std::string_view chunk);
  /// The stream is over: the last piece of each choice. `marked`: it said so itself. Errors:
  /// unavailable where it did not, and a choice has no end.
  Result<std::vector<TextPiece>> finish(bool marked);

  std::uint64_t prompt_tokens() const { return prompt_tokens_; }  // 0: not told
  std::uint64_t new_tokens() const { return new_tokens_; }

 private:
  struct Choice {
    std::map<std::size_t, ToolCall> calls = {};  // by their numbers
    std::optional<FinishReason> finished = {};
  };
  Status take_choice(const Json& given, std::vector<TextPiece>& out);
  Status take_calls(const Json& given, Choice& choice);
  Status count(std::size_t bytes);

  ChunkLimits limits_;
  std::vector<Choice> choices_;
  std::size_t bytes_ = 0;
  std::uint64_t prompt_tokens_ = 0;
  std::uint64_t new_tokens_ = 0;
};

}  // namespace cairn::inference
