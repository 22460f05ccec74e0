// SPDX-License-Identifier: Apache-2.0
// Fields, lines and empty lines of event streams.
#include "net/http/sse.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::net {
namespace {

void append_line(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  for (const char c : value) {
    if (c != '\r' && c != '\n' && c != '\0') out += c;
  }
  out += '\n';
}

}  // namespace

std::string format_sse(const SseEvent& event) {
  std::string out;
  out.reserve(event.data.size() + 64);
  if (!event.event.empty()) append_line(out, "event", event.event);
  if (!event.id.empty()) append_line(out, "id", event.id);
  if (event.retry_ms) append_line(out, "retry", std::to_string(*event.retry_ms));
  std::string_view rest = event.data;
  for (;;) {
    const std::size_t end = rest.find_first_of("\r\n");
    out += "data: ";
    out += rest.substr(0, end);
    out += '\n';
    if (end == std::string_view::npos) break;
    rest.remove_prefix(rest.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
  out += '\n';
  return out;
}

Status SseWriter::begin(int status, Headers headers) {
  headers.set("Content-Type", "text/event-stream");
  headers.set("Cache-Control", "no-cache");
  headers.set("X-Accel-Buffering", "no");
  CAIRN_CHECK(reply_.begin(status, headers, std::nullopt));
  return reply_.flush();
}

Status SseWriter::send(const SseEvent& event) {
  CAIRN_CHECK(reply_.write(format_sse(event)));
  return reply_.flush();
}

Status SseWriter::comment(std::string_view text) {
  std::string line = ":";
  for (const char c : text) line += c == '\r' || c == '\n' ? ' ' : c;
  CAIRN_CHECK(reply_.write(line + "\n\n"));
  return reply_.flush();
}

Status SseWriter::end() { return reply_.end(); }

Status SseParser::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    // CR LF is one end of line even when a read falls between them.
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const std::size_t end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (line_.size() + event_.data.size() > limit_) {
      return Error{.kind = ErrorKind::too_large,
                   .message = "an event is larger than " + std::to_string(limit_) + " bytes"};
    }
    if (end == std::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    std::string_view line = line_;
    if (at_start_ && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    at_start_ = false;
    take_line(line);
    line_.clear();
  }
  return ok_status();
}

void SseParser::take_line(std::string_view line) {
  if (line.empty()) {
    if (has_data_) {
      event_.data.pop_back();  // the last line break
      event_.id = last_id_;
      event_.retry_ms = retry_ms_;
      ready_.push_back(std::move(event_));
    }
    event_ = SseEvent{};
    has_data_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == 0) return;  // a comment
  const std::string_view name = line.substr(0, colon);
  std::string_view value =
      colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    event_.data += value;
    event_.data += '\n';
    has_data_ = true;
  } else if (name == "event") {
    event_.event = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) last_id_ = value;
  } else if (name == "retry") {
    const auto ms = parse_number<std::int64_t>(value);
    if (ms && *ms >= 0) retry_ms_ = ms;
  }
}

std::optional<SseEvent> SseParser::next() {
  if (ready_.empty()) return std::nullopt;
  std::optional<SseEvent> event = std::move(ready_.front());
  ready_.pop_front();
  return event;
}

Result<std::optional<SseEvent>> SseReader::next() {
  for (;;) {
    if (auto event = parser_.next()) return std::optional<SseEvent>(std::move(event));
    char bytes[8 << 10];
    CAIRN_TRY(const std::size_t count, body_.read(bytes));
    if (count == 0) return std::optional<SseEvent>();
    CAIRN_CHECK(parser_.feed({bytes, count}));
  }
}

}  // namespace cairn::net
