// SPDX-License-Identifier: Apache-2.0
// A text that another server makes, as it comes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "inference/remote/chat_chunks.h"
#include "inference/remote/remote_peer.h"
#include "inference/text_answer.h"
#include "os/threads/thread.h"

namespace cairn::inference {

/// A thread of its own reads the stream into a flow, so that whoever takes the pieces can wait for
/// less than the next one. When this goes away the connection ends.
class RemoteText final : public TextAnswer {
 public:
  /// Sends the request and waits for the head of the answer. Errors: those of RemotePeer::open();
  /// unavailable where no thread can be had.
  static Result<std::unique_ptr<TextAnswer>> begin(std::shared_ptr<RemotePeer> peer,
                                                   std::string_view request, std::size_t choices,
                                                   const os::Deadline& deadline);
  ~RemoteText() override;

  Result<std::optional<TextPiece>> next(const os::Deadline& deadline) override;
  bool wait_ms(std::int64_t ms, const os::Deadline& deadline) override {
    return flow_.wait_ms(ms, deadline);
  }
  std::size_t choices() const override { return choices_; }
  std::uint64_t prompt_tokens() const override { return prompt_tokens_.load(); }
  std::uint64_t new_tokens() const override { return new_tokens_.load(); }
  const text::Tokenizer* tokenizer() const override { return nullptr; }

 private:
  RemoteText(std::shared_ptr<RemotePeer> peer, std::size_t choices, const os::Deadline& deadline);
  void read();
  Status read_stream(ChatChunks& chunks);
  Status read_whole(ChatChunks& chunks);
  Status put(Result<std::vector<TextPiece>> pieces);
  Status finish(ChatChunks& chunks, bool marked);

  std::shared_ptr<RemotePeer> peer_;
  std::size_t choices_;
  std::stop_source stop_;
  // The caller's end is the end of the request too.
  std::stop_callback<std::function<void()>> on_stop_;
  os::Deadline deadline_;
  TextFlow flow_;
  std::unique_ptr<net::ClientStream> stream_;
  std::atomic<std::uint64_t> prompt_tokens_ = 0;
  std::atomic<std::uint64_t> new_tokens_ = 0;
  os::Thread reader_;
};

}  // namespace cairn::inference
