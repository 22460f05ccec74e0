// SPDX-License-Identifier: Apache-2.0
#include "inference/remote/remote_text.h"

#include <utility>

#include "inference/remote/answers.h"
#include "net/http/sse.h"
#include "os/threads/blocking.h"
#include "os/threads/pool.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_event_bytes = 1 << 20;
constexpr std::size_t most_whole_bytes = 8 << 20;
constexpr std::size_t reader_stack_bytes = 512 << 10;  // JSON nests a hundred deep

os::Deadline with_stop(const os::Deadline& deadline, const std::stop_token& stop) {
  return deadline.is_never() ? os::Deadline::never(stop)
                             : os::Deadline::in_ms(deadline.remaining_ms(), stop);
}

bool is_event_stream(const net::Headers& headers) {
  const auto type = headers.find("Content-Type");
  return type && type->starts_with("text/event-stream");
}

}  // namespace

RemoteText::RemoteText(std::shared_ptr<RemotePeer> peer, std::size_t choices,
                       const os::Deadline& deadline)
    : peer_(std::move(peer)),
      choices_(choices),
      on_stop_(deadline.stop(), [this] { stop_.request_stop(); }),
      deadline_(with_stop(deadline, stop_.get_token())),
      flow_(choices) {}

Result<std::unique_ptr<TextAnswer>> RemoteText::begin(std::shared_ptr<RemotePeer> peer,
                                                      std::string_view request, std::size_t choices,
                                                      const os::Deadline& deadline) {
  auto text = std::unique_ptr<RemoteText>(new RemoteText(std::move(peer), choices, deadline));
  CAIRN_TRY(text->stream_, text->peer_->open(request, true, text->deadline_));
  CAIRN_TRY(text->reader_,
            os::Thread::start({.name = "remote-text", .stack_bytes = reader_stack_bytes},
                              [raw = text.get()] { raw->read(); }));
  return std::unique_ptr<TextAnswer>(std::move(text));
}

RemoteText::~RemoteText() {
  stop_.request_stop();
  const os::Blocking blocking;
  reader_.join();
}

Result<std::optional<TextPiece>> RemoteText::next(const os::Deadline& deadline) {
  auto piece = flow_.next(deadline);
  os::charge_pool_cpu(flow_.take_cpu_ns());
  return piece;
}

void RemoteText::read() {
  ChatChunks chunks(choices_);
  const Status read =
      is_event_stream(stream_->headers()) ? read_stream(chunks) : read_whole(chunks);
  if (!read.ok()) flow_.fail(peer_->worded(read.error(), deadline_));
}

Status RemoteText::put(Result<std::vector<TextPiece>> pieces) {
  if (!pieces.ok()) return std::move(pieces).error();
  for (TextPiece& piece : *pieces) flow_.put(std::move(piece));
  return ok_status();
}

/// Ends are held back until all is told: who sees the last one asks for the numbers of tokens.
Status RemoteText::finish(ChatChunks& chunks, bool marked) {
  auto last = chunks.finish(marked);
  prompt_tokens_ = chunks.prompt_tokens();
  new_tokens_ = chunks.new_tokens();
  return put(std::move(last));
}

Status RemoteText::read_stream(ChatChunks& chunks) {
  net::SseParser events(most_event_bytes);
  std::string bytes(8 << 10, '\0');
  for (std::int64_t charged_ns = 0;;) {
    CAIRN_TRY(const std::size_t count, stream_->body().read(bytes));
    if (count == 0) return finish(chunks, false);
    CAIRN_CHECK(events.feed(std::string_view(bytes).substr(0, count)));
    while (const auto event = events.next()) {
      if (event->data == "[DONE]") return finish(chunks, true);
      CAIRN_CHECK(put(chunks.take(event->data)));
    }
    const std::int64_t spent_ns = os::thread_cpu_ns();
    flow_.charge(spent_ns - std::exchange(charged_ns, spent_ns));
  }
}

/// A server that does not stream answers as a whole.
Status RemoteText::read_whole(ChatChunks& chunks) {
  CAIRN_TRY(const std::string answer, net::read_all(stream_->body(), most_whole_bytes));
  CAIRN_CHECK(put(chunks.take(answer)));
  flow_.charge(os::thread_cpu_ns());
  return finish(chunks, false);
}

}  // namespace cairn::inference
