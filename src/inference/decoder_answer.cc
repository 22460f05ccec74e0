// SPDX-License-Identifier: Apache-2.0
#include "inference/decoder_answer.h"

#include <utility>

#include "os/threads/pool.h"

namespace cairn::inference {
namespace {

constexpr std::int64_t longest_step_ms = 10'000;

}  // namespace

DecoderAnswer::DecoderAnswer(std::shared_ptr<Deployment> deployment,
                             std::shared_ptr<TextAllocation> allocation,
                             std::shared_ptr<TextFlow> flow, std::size_t choices,
                             std::size_t prompt_tokens)
    : deployment_(std::move(deployment)),
      allocation_(std::move(allocation)),
      flow_(std::move(flow)),
      choices_(choices),
      prompt_tokens_(prompt_tokens) {}

DecoderAnswer::~DecoderAnswer() {
  flow_->leave();
  // The step that runs is paid for by those that are in it.
  flow_->wait_gone(os::Deadline::in_ms(longest_step_ms));
  charge();
  const Status cut = Error{.kind = ErrorKind::cancelled, .message = "nobody waits for the text"};
  deployment_->count_texts(choices_, cpu_ns_, how_.value_or(cut));
}

void DecoderAnswer::charge() {
  const std::int64_t more = flow_->take_cpu_ns();
  cpu_ns_ += more;
  os::charge_pool_cpu(more);
}

Result<std::optional<TextPiece>> DecoderAnswer::next(const os::Deadline& deadline) {
  auto piece = flow_->next(deadline);
  charge();
  if (!piece.ok())
    how_ = piece.error();
  else if (!*piece)
    how_ = ok_status();
  return piece;
}

}  // namespace cairn::inference
