// SPDX-License-Identifier: Apache-2.0
// The texts of one call to a model that quotes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "inference/chat/text_stream.h"
#include "inference/model/model.h"
#include "inference/text_answer.h"

namespace cairn::inference {

/// All is there from the start; it is given out token by token, as other texts come. All choices
/// are the same.
class QuotedAnswer final : public TextAnswer {
 public:
  struct Params {
    std::string model_name = {};
    std::size_t choices = 1;
    std::size_t most_tokens = SIZE_MAX;  // of each choice
  };
  QuotedAnswer(QuotedText text, StopFinder stops, Params params);

  Result<std::optional<TextPiece>> next(const os::Deadline& deadline) override;
  bool wait_ms(std::int64_t, const os::Deadline&) override { return true; }
  std::size_t choices() const override { return params_.choices; }
  std::uint64_t prompt_tokens() const override { return text_.prompt_tokens; }
  std::uint64_t new_tokens() const override { return new_tokens_; }
  const text::Tokenizer* tokenizer() const override { return nullptr; }
  std::string model_name() const override { return params_.model_name; }

 private:
  TextPiece next_piece();

  const QuotedText text_;
  const StopFinder stops_;  // as each choice begins
  const Params params_;
  StopFinder finder_;
  std::size_t choice_ = 0;
  std::size_t token_ = 0;  // of the choice
  std::uint64_t new_tokens_ = 0;
};

}  // namespace cairn::inference
