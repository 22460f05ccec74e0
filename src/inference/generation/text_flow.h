// SPDX-License-Identifier: Apache-2.0
// The texts of one call on their way from the steps of a decoder to whoever asked for them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "inference/chat/sampler.h"
#include "inference/chat/text_stream.h"
#include "inference/chat/tool_calls.h"
#include "inference/decoder/text_model.h"
#include "inference/generation/token_sink.h"
#include "os/deadline.h"

namespace cairn::inference {

/// Why a text is over: `stop` at its own end or at a stop string, `length` at the most tokens,
/// `tool_calls` at its own end where it holds calls, `content_filter` where another server's filter
/// cut it.
enum class FinishReason { stop, length, tool_calls, content_filter };
std::string_view name_of(FinishReason reason);

/// A part of one choice's text: whole characters.
struct TextPiece {
  std::size_t choice = 0;
  std::string text = {};
  std::vector<ToolCall> calls = {};           // behind the text, where they are looked for
  std::vector<SampledToken> tokens = {};      // where logprobs were asked for
  std::optional<FinishReason> finished = {};  // set in the last piece of a choice
};

/// Between the threads of the steps, which put pieces in and never wait, and the one caller that
/// takes them out. Pieces that wait are joined, so what waits is never longer than the texts.
class TextFlow {
 public:
  explicit TextFlow(std::size_t choices) : open_(choices) {}

  /// The next piece; none once all choices are over. Blocks. Errors: timeout, cancelled of the
  /// deadline; why a choice was cut.
  Result<std::optional<TextPiece>> next(const os::Deadline& deadline);
  /// Waits no longer than this for a piece. False: none has come, and more will.
  bool wait_ms(std::int64_t ms, const os::Deadline& deadline);
  /// Nobody takes pieces any more: the texts end before the next step. Safe from any thread.
  void leave() { left_.store(true); }
  /// Waits until the choices are gone, so that all that they cost is known.
  void wait_gone(const os::Deadline& deadline);
  bool is_left() const { return left_.load(); }

  std::uint64_t new_tokens() const { return tokens_.load(); }  // of all choices, ends included
  std::int64_t take_cpu_ns() { return cpu_ns_.exchange(0); }   // spent since the last call

  // For the choices.
  void put(TextPiece piece);
  void fail(Error error);
  void came();  // a choice
  void went();
  void count_token() { tokens_.fetch_add(1); }
  void charge(std::int64_t cpu_ns) { cpu_ns_.fetch_add(cpu_ns); }

 private:
  bool is_ready() const CAIRN_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<TextPiece> pieces_ CAIRN_GUARDED_BY(mutex_);
  std::size_t open_ CAIRN_GUARDED_BY(mutex_);       // choices that are not over
  std::size_t alive_ CAIRN_GUARDED_BY(mutex_) = 0;  // choices that have not gone
  std::optional<Error> failure_ CAIRN_GUARDED_BY(mutex_);
  std::atomic<bool> left_ = false;
  std::atomic<std::uint64_t> tokens_ = 0;
  std::atomic<std::int64_t> cpu_ns_ = 0;
};

/// One choice: draws its tokens, makes text of them and puts that into the flow.
class TextChoice final : public TokenSink {
 public:
  struct Params {
    std::size_t index = 0;
    std::size_t most_tokens = SIZE_MAX;
    bool with_tokens = false;  // pieces tell the tokens, for logprobs
    bool with_calls = false;   // calls of tools are taken out of the text
  };
  /// `model` outlives this.
  TextChoice(std::shared_ptr<TextFlow> flow, const TextModel& model, Sampler sampler,
             StopFinder stops, Params params);
  ~TextChoice() override { flow_->went(); }
  TextChoice(const TextChoice&) = delete;
  TextChoice& operator=(const TextChoice&) = delete;

  std::optional<std::uint32_t> next(std::span<const float> logits) override;
  bool is_wanted() const override { return !flow_->is_left(); }
  void charge(std::int64_t cpu_ns) override { flow_->charge(cpu_ns); }
  void ended(const Status& how) override;

 private:
  void take(std::string text, TextPiece& piece);

  std::shared_ptr<TextFlow> flow_;
  const TextModel& model_;
  Sampler sampler_;
  TextStream stream_;
  std::optional<ToolCallParser> calls_;
  bool has_calls_ = false;
  Params params_;
  std::size_t drawn_ = 0;
  FinishReason reason_ = FinishReason::length;
};

}  // namespace cairn::inference
