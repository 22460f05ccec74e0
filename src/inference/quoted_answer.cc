// SPDX-License-Identifier: Apache-2.0
#include "inference/quoted_answer.h"

#include <utility>

namespace cairn::inference {

QuotedAnswer::QuotedAnswer(QuotedText text, StopFinder stops, Params params)
    : text_(std::move(text)),
      stops_(std::move(stops)),
      params_(std::move(params)),
      finder_(stops_) {}

Result<std::optional<TextPiece>> QuotedAnswer::next(const os::Deadline& deadline) {
  CAIRN_CHECK(deadline.check("waiting for a text"));
  if (choice_ == params_.choices) return std::optional<TextPiece>();
  return std::optional<TextPiece>(next_piece());
}

/// Ends with what was held back, as the text's last token may be the beginning of a stop string.
TextPiece QuotedAnswer::next_piece() {
  TextPiece out{.choice = choice_};
  while (out.text.empty() && token_ < text_.tokens.size() && token_ < params_.most_tokens &&
         !finder_.found()) {
    out.text = finder_.push(text_.tokens[token_]);
    ++token_;
    ++new_tokens_;
  }
  const bool is_cut = token_ < text_.tokens.size();
  if (!finder_.found() && is_cut && token_ < params_.most_tokens) return out;
  out.text += finder_.finish();
  out.finished = finder_.found() || !is_cut ? FinishReason::stop : FinishReason::length;
  ++choice_;
  token_ = 0;
  finder_ = stops_;
  return out;
}

}  // namespace cairn::inference
