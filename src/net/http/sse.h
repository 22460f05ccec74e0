// SPDX-License-Identifier: Apache-2.0
// Server-sent events (WHATWG HTML, section 9.2): writing them to a reply, reading them from bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http/message.h"

namespace cairn::net {

struct SseEvent {
  std::string event = {};  // empty: "message"
  std::string data = {};
  std::string id = {};
  std::optional<std::int64_t> retry_ms = {};
};

/// The text of one event, with its empty line. Line breaks in `event` and `id` are left out; those
/// in `data` become several data lines.
std::string format_sse(const SseEvent& event);

/// A reply that is a stream of events; each leaves at once. Errors: those of ReplyWriter, above
/// all cancelled when the listener has gone.
class SseWriter {
 public:
  explicit SseWriter(ReplyWriter& reply) : reply_(reply) {}
  /// Sets Content-Type, Cache-Control and X-Accel-Buffering beside `headers`.
  Status begin(int status = 200, Headers headers = {});
  Status send(const SseEvent& event);
  /// A line that readers skip: keeps the connection alive, and shows whether it still is.
  Status comment(std::string_view text = {});
  Status end();

 private:
  ReplyWriter& reply_;
};

/// Takes a stream of events apart as it comes, in pieces of any size.
class SseParser {
 public:
  /// `event_bytes_max`: of one event; more is an error.
  explicit SseParser(std::size_t event_bytes_max = 16 << 20) : limit_(event_bytes_max) {}
  /// Errors: too_large.
  Status feed(std::string_view bytes);
  /// The next event that is complete. An event at the end of the stream without its empty line is
  /// not one, as the standard says.
  std::optional<SseEvent> next();
  /// The id that a reader sends as Last-Event-ID when it comes back.
  const std::string& last_id() const { return last_id_; }

 private:
  void take_line(std::string_view line);
  std::size_t limit_;
  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;
  bool at_start_ = true;
  std::string last_id_;
  std::optional<std::int64_t> retry_ms_;
  std::deque<SseEvent> ready_;
};

/// Reads events from a body, for clients. Errors: those of the body; too_large.
class SseReader {
 public:
  explicit SseReader(BodyReader& body) : body_(body) {}
  /// The next event, or nothing at the end of the stream. Blocks as the body does.
  Result<std::optional<SseEvent>> next();
  const std::string& last_id() const { return parser_.last_id(); }

 private:
  BodyReader& body_;
  SseParser parser_;
};

}  // namespace cairn::net
