// SPDX-License-Identifier: Apache-2.0
// The texts of one call that a deployed decoder makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "inference/deployment/deployment.h"
#include "inference/text_answer.h"

namespace cairn::inference {

/// When it goes away before the texts are over, they end before the next step.
class DecoderAnswer final : public TextAnswer {
 public:
  DecoderAnswer(std::shared_ptr<Deployment> deployment, std::shared_ptr<TextAllocation> allocation,
                std::shared_ptr<TextFlow> flow, std::size_t choices, std::size_t prompt_tokens);
  ~DecoderAnswer() override;
  DecoderAnswer(const DecoderAnswer&) = delete;
  DecoderAnswer& operator=(const DecoderAnswer&) = delete;

  Result<std::optional<TextPiece>> next(const os::Deadline& deadline) override;
  bool wait_ms(std::int64_t ms, const os::Deadline& deadline) override {
    return flow_->wait_ms(ms, deadline);
  }
  std::size_t choices() const override { return choices_; }
  std::uint64_t prompt_tokens() const override { return prompt_tokens_; }
  std::uint64_t new_tokens() const override { return flow_->new_tokens(); }
  const text::Tokenizer* tokenizer() const override { return &allocation_->model().tokenizer(); }

 private:
  void charge();

  std::shared_ptr<Deployment> deployment_;
  std::shared_ptr<TextAllocation> allocation_;
  std::shared_ptr<TextFlow> flow_;
  std::size_t choices_;
  std::uint64_t prompt_tokens_;
  std::int64_t cpu_ns_ = 0;
  std::optional<Status> how_ = {};  // once it is over
};

}  // namespace cairn::inference
