// SPDX-License-Identifier: Apache-2.0
// Pieces of texts that are made, and the choices that make them.
#include "inference/generation/text_flow.h"

#include <iterator>
#include <utility>

#include "os/threads/blocking.h"

namespace cairn::inference {

std::string_view name_of(FinishReason reason) {
  return reason == FinishReason::stop ? "stop" : "length";
}

bool TextFlow::is_ready() const { return !pieces_.empty() || failure_ || open_ == 0; }

Result<std::optional<TextPiece>> TextFlow::next(const os::Deadline& deadline) {
  const os::Blocking blocking;
  MutexLock lock(mutex_);
  const bool ready =
      os::wait(changed_, lock, deadline, [&]() CAIRN_REQUIRES(mutex_) { return is_ready(); });
  if (!ready) return deadline.check("waiting for a text").error();
  if (!pieces_.empty()) {
    TextPiece out = std::move(pieces_.front());
    pieces_.pop_front();
    return std::optional<TextPiece>(std::move(out));
  }
  if (failure_) return *failure_;
  return std::optional<TextPiece>();
}

bool TextFlow::wait_ms(std::int64_t ms, const os::Deadline& deadline) {
  const os::Blocking blocking;
  MutexLock lock(mutex_);
  return os::wait(changed_, lock, deadline.sooner_ms(ms),
                  [&]() CAIRN_REQUIRES(mutex_) { return is_ready(); });
}

void TextFlow::put(TextPiece piece) {
  const MutexLock lock(mutex_);
  if (piece.finished) --open_;
  for (TextPiece& waiting : pieces_) {
    if (waiting.choice != piece.choice) continue;
    waiting.text += piece.text;
    waiting.tokens.insert(waiting.tokens.end(), std::make_move_iterator(piece.tokens.begin()),
                          std::make_move_iterator(piece.tokens.end()));
    waiting.finished = piece.finished;
    return;
  }
  pieces_.push_back(std::move(piece));
  changed_.notify_all();
}

void TextFlow::fail(Error error) {
  const MutexLock lock(mutex_);
  if (!failure_) failure_ = std::move(error);
  changed_.notify_all();
}

TextChoice::TextChoice(std::shared_ptr<TextFlow> flow, const TextModel& model, Sampler sampler,
                       StopFinder stops, Params params)
    : flow_(std::move(flow)),
      model_(model),
      sampler_(std::move(sampler)),
      stream_(model.tokenizer(), std::move(stops)),
      params_(params) {}

std::optional<std::uint32_t> TextChoice::next(std::span<const float> logits) {
  SampledToken token = sampler_.draw(logits, drawn_++);
  const std::uint32_t id = token.id;
  flow_->count_token();
  if (model_.ends_text(id)) {
    reason_ = FinishReason::stop;
    return std::nullopt;
  }
  TextPiece piece{.choice = params_.index, .text = stream_.push(id)};
  if (params_.with_tokens) piece.tokens.push_back(std::move(token));
  if (!piece.text.empty() || !piece.tokens.empty()) flow_->put(std::move(piece));
  if (stream_.stopped()) reason_ = FinishReason::stop;
  if (stream_.stopped() || drawn_ >= params_.most_tokens) return std::nullopt;
  return id;
}

void TextChoice::ended(const Status& how) {
  if (!how.ok()) return flow_->fail(how.error());
  std::string rest = stream_.finish();
  if (stream_.stopped()) reason_ = FinishReason::stop;
  flow_->put({.choice = params_.index, .text = std::move(rest), .finished = reason_});
}

}  // namespace cairn::inference
