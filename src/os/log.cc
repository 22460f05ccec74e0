// SPDX-License-Identifier: Apache-2.0
// One line per event, text or JSON, masked where a field is named like a secret.
#include "os/log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <ctime>
#include <deque>
#include <utility>

#include "base/strings.h"
#include "base/threads.h"
#include "os/clock.h"
#include "os/log_counts.h"
#include "os/log_tail.h"
#include "os/trace.h"

namespace cairn::os {
namespace {

constexpr std::string_view names[] = {"debug", "info", "warn", "error"};

struct Sink {
  Mutex mutex;
  std::function<void(std::string_view)> write CAIRN_GUARDED_BY(mutex);
};

Sink& sink() {
  static Sink instance;
  return instance;
}

constexpr std::size_t tail_line_bytes_max = 8 << 10;

struct Tail {
  Mutex mutex;
  std::uint64_t written CAIRN_GUARDED_BY(mutex) = 0;
  std::deque<std::string> lines CAIRN_GUARDED_BY(mutex);
};

Tail& tail() {
  static Tail& instance = *new Tail;  // threads may log until the process ends
  return instance;
}

std::atomic<LogLevel> lowest_level{LogLevel::info};
std::atomic<LogFormat> line_format{LogFormat::automatic};

/// An id that needs no memory of its own, and nothing to be done when its thread ends: the C
/// library ends a process that has no memory to note that, and a line that says so is often a
/// thread's first.
class KeptId {
 public:
  bool empty() const { return size_ == 0; }
  std::string_view text() const { return {bytes_.data(), size_}; }
  void set(std::string_view id) {
    size_ = valid_utf8_prefix(id.substr(0, bytes_.size()));
    std::copy_n(id.data(), size_, bytes_.data());
  }

 private:
  std::array<char, 128> bytes_{};
  std::size_t size_ = 0;
};
constinit thread_local KeptId request_of_thread;

void write_to_stderr(std::string_view line) {
  while (!line.empty()) {
    const ssize_t done = ::write(STDERR_FILENO, line.data(), line.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;  // nobody is left to tell
    line.remove_prefix(static_cast<std::size_t>(done));
  }
}

bool is_secret(std::string_view name) {
  constexpr std::array<std::string_view, 8> marks = {
      "authorization", "secret", "password", "passwd", "token", "api_key", "apikey", "credential"};
  const std::string lowered = lower_ascii(name);
  for (const std::string_view mark : marks) {
    if (lowered.find(mark) != std::string::npos) return true;
  }
  return false;
}

// Quotes for both formats: a JSON string.
void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const std::size_t good = valid_utf8_prefix(text);
    for (const char c : text.substr(0, good)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        (out += '\\') += c;
      } else if (c == '\n') {
        out += "\\n";
      } else if (byte < 0x20 || byte == 0x7F) {  // no line breaks, no terminal sequences
        ((out += "\\u00") += digits[byte >> 4]) += digits[byte & 15];
      } else {
        out += c;
      }
    }
    if (good == text.size()) break;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(good + 1);
  }
  out += '"';
}

bool is_word(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == '"' || c == '=' || c == '\\' || c >= 0x7F) {
      return false;
    }
  }
  return !text.empty();
}

std::string time_text() {
  const std::int64_t ms = system_clock().unix_ms();
  const std::time_t seconds = ms / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[40];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  const std::string fraction = std::to_string(1000 + ms % 1000);
  return std::string(text, size) + "." + fraction.substr(1) + "Z";
}

std::string json_line(LogLevel level, std::string_view room, std::string_view event,
                      std::initializer_list<LogField> fields) {
  std::string out = "{\"time\":\"" + time_text() + "\",\"level\":\"";
  out += names[static_cast<int>(level)];
  out += "\",\"room\":";
  append_quoted(out, room);
  out += ",\"event\":";
  append_quoted(out, event);
  if (!request_of_thread.empty()) {
    out += ",\"request_id\":";
    append_quoted(out, request_of_thread.text());
  }
  if (const TraceContext* const trace = current_trace())
    out += ",\"trace_id\":\"" + trace_id_of(*trace) + '"';
  for (const LogField& field : fields) {
    out += ',';
    append_quoted(out, field.name);
    out += ':';
    if (is_secret(field.name) && field.quoted) {
      out += "\"***\"";
    } else if (field.quoted) {
      append_quoted(out, field.text);
    } else {
      out += field.text;
    }
  }
  return out += "}\n";
}

std::string text_line(LogLevel level, std::string_view room, std::string_view event,
                      std::initializer_list<LogField> fields) {
  std::string out = time_text();
  out += ' ';
  out += names[static_cast<int>(level)];
  out.append(6 - names[static_cast<int>(level)].size(), ' ');
  ((out += room) += ": ") += event;
  const auto add = [&](std::string_view name, std::string_view text) {
    ((out += ' ') += name) += '=';
    if (is_word(text)) {
      out += text;
    } else {
      append_quoted(out, text);
    }
  };
  for (const LogField& field : fields) {
    add(field.name, is_secret(field.name) && field.quoted ? "***" : std::string_view(field.text));
  }
  if (!request_of_thread.empty()) add("request_id", request_of_thread.text());
  if (const TraceContext* const trace = current_trace()) add("trace_id", trace_id_of(*trace));
  return out += '\n';
}

std::atomic<std::uint64_t> lines_of_level[4];  // also of those that the level leaves out

void keep_in_tail(std::string line) {
  if (line.size() > tail_line_bytes_max) return;  // the log itself has it
  line.pop_back();                                // the line break
  const MutexLock lock(tail().mutex);
  ++tail().written;
  tail().lines.push_back(std::move(line));
  if (tail().lines.size() > log_tail_lines) tail().lines.pop_front();
}

bool as_json() {
  static const bool is_terminal = isatty(STDERR_FILENO) == 1;
  const LogFormat format = line_format.load(std::memory_order_relaxed);
  return format == LogFormat::json || (format == LogFormat::automatic && !is_terminal);
}

}  // namespace

LogField::LogField(std::string_view n, double v) : name(n), quoted(!std::isfinite(v)) {
  char digits[32];
  text.assign(digits, std::to_chars(digits, digits + sizeof digits, v).ptr);
}

void configure_log(LogLevel lowest, LogFormat format, std::function<void(std::string_view)> write) {
  lowest_level = lowest;
  line_format = format;
  const MutexLock lock(sink().mutex);
  sink().write = std::move(write);
}

void set_log_level(LogLevel lowest) { lowest_level = lowest; }

void log(LogLevel level, std::string_view room, std::string_view event,
         std::initializer_list<LogField> fields) {
  lines_of_level[static_cast<int>(level)].fetch_add(1, std::memory_order_relaxed);
  if (level < lowest_level.load(std::memory_order_relaxed)) return;
  if (level >= LogLevel::warn) keep_in_tail(json_line(level, room, event, fields));
  const std::string line =
      as_json() ? json_line(level, room, event, fields) : text_line(level, room, event, fields);
  const MutexLock lock(sink().mutex);  // lines stay whole
  if (sink().write) {
    sink().write(line);
  } else {
    write_to_stderr(line);
  }
}

LogRequest::LogRequest(std::string_view request_id) {
  if (!request_of_thread.empty()) before_ = request_of_thread.text();
  request_of_thread.set(request_id);
}
LogRequest::~LogRequest() { request_of_thread.set(before_); }

std::uint64_t log_events(LogLevel level) {
  return lines_of_level[static_cast<int>(level)].load(std::memory_order_relaxed);
}

LogTail log_tail(std::uint64_t after) {
  const MutexLock lock(tail().mutex);
  LogTail out{.until = tail().written};
  if (after >= tail().written) return out;
  const std::uint64_t first = tail().written - tail().lines.size();  // kept lines are after it
  if (after < first && after > 0) out.lost = first - after;
  const auto skipped = static_cast<std::ptrdiff_t>(after > first ? after - first : 0);
  out.lines.assign(tail().lines.begin() + skipped, tail().lines.end());
  return out;
}

std::string_view log_request_id() { return request_of_thread.text(); }

}  // namespace cairn::os
