// SPDX-License-Identifier: Apache-2.0
// The texts that a model makes for one call, as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "inference/deployment/deployment.h"
#include "inference/generation/text_flow.h"
#include "os/deadline.h"

namespace cairn::inference {

/// Of one call and one thread, which must not be one of the pool that computes. When it goes away
/// before the texts are over, they end before the next step. The CPU time of the steps counts as
/// that of the calling thread's request.
class TextAnswer {
 public:
  TextAnswer(std::shared_ptr<Deployment> deployment, std::shared_ptr<TextAllocation> allocation,
             std::shared_ptr<TextFlow> flow, std::size_t choices, std::size_t prompt_tokens);
  ~TextAnswer();
  TextAnswer(const TextAnswer&) = delete;
  TextAnswer& operator=(const TextAnswer&) = delete;

  /// As TextFlow::next().
  Result<std::optional<TextPiece>> next(const os::Deadline& deadline);
  /// As TextFlow::wait_ms().
  bool wait_ms(std::int64_t ms, const os::Deadline& deadline) {
    return flow_->wait_ms(ms, deadline);
  }

  std::size_t choices() const { return choices_; }
  std::uint64_t prompt_tokens() const { return prompt_tokens_; }
  std::uint64_t new_tokens() const { return flow_->new_tokens(); }
  const text::Tokenizer& tokenizer() const { return allocation_->model().tokenizer(); }

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
