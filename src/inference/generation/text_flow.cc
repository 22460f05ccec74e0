// SPDX-License-Identifier: Apache-2.0
// Pieces of texts that are made, and the choices that make them.
#include "inference/generation/text_flow.h"

#include <iterator>
#include <utility>

#include "os/random.h"
#include "os/threads/blocking.h"

namespace cairn::inference {
namespace {

template <class Element>
void append(std::vector<Element>& to, std::vector<Element>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// The special tokens that are text where calls are looked for.
std::vector<std::uint32_t> call_markers(const TextModel& model, bool with_calls) {
  const std::string_view marker = tool_call_marker(model.tool_calls());
  const auto id = with_calls && !marker.empty() ? model.tokenizer().id_of(marker) : std::nullopt;
  return id ? std::vector{*id} : std::vector<std::uint32_t>();
}

}  // namespace

std::string_view name_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::tool_calls:
      return "tool_calls";
    case FinishReason::content_filter:
      return "content_filter";
  }
  return "stop";
}

bool TextFlow::is_ready() const { return !pieces_.empty() || failure_ || open_ == 0; }

Result<std::optional<TextPiece>> TextFlow::next(const os::Deadline& deadline) {
  CAIRN_CHECK(deadline.check("waiting for a text"));  // pieces that wait do not make time
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
    append(waiting.calls, piece.calls);
    append(waiting.tokens, piece.tokens);
    waiting.finished = piece.finished;
    return;
  }
  pieces_.push_back(std::move(piece));
  changed_.notify_all();
}

void TextFlow::came() {
  const MutexLock lock(mutex_);
  ++alive_;
}

void TextFlow::went() {
  const MutexLock lock(mutex_);
  --alive_;
  changed_.notify_all();
}

void TextFlow::wait_gone(const os::Deadline& deadline) {
  const os::Blocking blocking;
  MutexLock lock(mutex_);
  os::wait(changed_, lock, deadline, [&]() CAIRN_REQUIRES(mutex_) { return alive_ == 0; });
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
      stream_(model.tokenizer(), std::move(stops), call_markers(model, params.with_calls)),
      params_(params) {
  flow_->came();
  if (params_.with_calls) calls_.emplace(model.tool_calls(), os::system_random());
}

/// What of a text is content goes into the piece, and what is a call.
void TextChoice::take(std::string text, TextPiece& piece) {
  if (!calls_) {
    piece.text += text;
    return;
  }
  ToolCallPiece taken = calls_->push(text);
  piece.text += taken.content;
  append(piece.calls, taken.calls);
  has_calls_ = has_calls_ || !piece.calls.empty();
}

std::optional<std::uint32_t> TextChoice::next(std::span<const float> logits) {
  SampledToken token = sampler_.draw(logits, drawn_++);
  const std::uint32_t id = token.id;
  flow_->count_token();
  if (model_.ends_text(id)) {
    reason_ = FinishReason::stop;
    return std::nullopt;
  }
  TextPiece piece{.choice = params_.index};
  take(stream_.push(id), piece);
  if (params_.with_tokens) piece.tokens.push_back(std::move(token));
  if (!piece.text.empty() || !piece.tokens.empty() || !piece.calls.empty())
    flow_->put(std::move(piece));
  if (stream_.stopped()) reason_ = FinishReason::stop;
  if (stream_.stopped() || drawn_ >= params_.most_tokens) return std::nullopt;
  return id;
}

void TextChoice::ended(const Status& how) {
  if (!how.ok()) return flow_->fail(how.error());
  TextPiece last{.choice = params_.index};
  take(stream_.finish(), last);
  if (stream_.stopped()) reason_ = FinishReason::stop;
  if (calls_) {
    ToolCallPiece rest = calls_->finish();
    last.text += rest.content;
    append(last.calls, rest.calls);
    has_calls_ = has_calls_ || !last.calls.empty();
  }
  if (has_calls_ && reason_ == FinishReason::stop) reason_ = FinishReason::tool_calls;
  last.finished = reason_;
  flow_->put(std::move(last));
}

}  // namespace cairn::inference
