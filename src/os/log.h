// SPDX-License-Identifier: Apache-2.0
// The log: lines of text on a terminal, JSON lines otherwise, on standard error.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace cairn::os {

enum class LogLevel { debug, info, warn, error };
enum class LogFormat { automatic, text, json };

/// One named value. Numbers and booleans stay what they are in JSON.
struct LogField {
  LogField(std::string_view n, std::string_view v) : name(n), text(v) {}
  LogField(std::string_view n, const char* v) : name(n), text(v) {}
  LogField(std::string_view n, const std::string& v) : name(n), text(v) {}
  LogField(std::string_view n, bool v) : name(n), text(v ? "true" : "false"), quoted(false) {}
  LogField(std::string_view n, std::int64_t v) : name(n), text(std::to_string(v)), quoted(false) {}
  LogField(std::string_view n, std::uint64_t v) : name(n), text(std::to_string(v)), quoted(false) {}
  LogField(std::string_view n, int v) : LogField(n, static_cast<std::int64_t>(v)) {}
  LogField(std::string_view n, unsigned v) : LogField(n, static_cast<std::uint64_t>(v)) {}
  LogField(std::string_view n, double v);  // the shortest text that reads back
  std::string_view name;
  std::string text;
  bool quoted = true;
};

/// Call once at start. `sink` (default: standard error) receives whole lines; for tests.
void configure_log(LogLevel lowest, LogFormat format,
                   std::function<void(std::string_view)> sink = nullptr);

/// The lowest level from now on. Safe from any thread.
void set_log_level(LogLevel lowest);

/// Writes one line: time, level, room, event, fields, and the ids of the request and the trace that
/// this thread works on, if any. Event names are constant text. Never pass a secret: fields named like one (authorization,
/// secret, password, token, api_key) are masked as a second line of defence. Safe from any thread.
void log(LogLevel level, std::string_view room, std::string_view event,
         std::initializer_list<LogField> fields = {});

/// While one lives, log lines of this thread carry the id.
class LogRequest {
 public:
  explicit LogRequest(std::string_view request_id);
  ~LogRequest();
  LogRequest(const LogRequest&) = delete;
  LogRequest& operator=(const LogRequest&) = delete;

 private:
  std::string before_;  // what the thread carried when this one began
};

/// The id that this thread's lines carry; empty where none is set. Valid until it changes.
std::string_view log_request_id();

}  // namespace cairn::os
