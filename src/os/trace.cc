// SPDX-License-Identifier: Apache-2.0
#include "os/trace.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <utility>

#include "os/random.h"

namespace cairn::os {
namespace {

std::atomic<CallRecorder*> recorder_of_process{nullptr};

constinit thread_local TraceContext* trace_of_thread = nullptr;

/// Lower-case digits only, as the standard wants them.
std::optional<std::uint64_t> number_of_hex(std::string_view digits) {
  std::uint64_t out = 0;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return std::nullopt;
    out = out << 4 | static_cast<std::uint64_t>(digit);
  }
  return out;
}

void append_hex(std::string& out, std::uint64_t number) {
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[number >> shift & 15];
}

bool is_state_key(std::string_view key) {
  if (key.empty() || key.size() > 256) return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '*' ||
           c == '/' || c == '@';
  });
}

bool is_state_value(std::string_view value) {
  if (value.empty() || value.size() > 256 || value.back() == ' ') return false;
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return c >= 0x20 && c <= 0x7e && c != ',' && c != '='; });
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::optional<TraceContext> read_traceparent(std::string_view field) {
  constexpr std::size_t size = 55;  // 00-<32>-<16>-<2>
  field = without_blanks(field);
  if (field.size() < size || field[2] != '-' || field[35] != '-' || field[52] != '-')
    return std::nullopt;
  const auto version = number_of_hex(field.substr(0, 2));
  const auto high = number_of_hex(field.substr(3, 16)), low = number_of_hex(field.substr(19, 16));
  const auto span = number_of_hex(field.substr(36, 16));
  const auto flags = number_of_hex(field.substr(53, 2));
  if (!version || !high || !low || !span || !flags || *version == 0xff) return std::nullopt;
  if ((*high | *low) == 0 || *span == 0) return std::nullopt;
  if (field.size() > size && (*version == 0 || field[size] != '-')) return std::nullopt;
  return TraceContext{
      .trace_high = *high, .trace_low = *low, .span = *span, .sampled = (*flags & 1) != 0};
}

bool is_tracestate(std::string_view fields) {
  constexpr std::size_t bytes_max = 512, members_max = 32;  // what everybody must pass on
  if (fields.empty() || fields.size() > bytes_max) return false;
  std::size_t members = 0;
  while (!fields.empty()) {
    const std::size_t comma = std::min(fields.find(','), fields.size());
    const std::string_view member = without_blanks(fields.substr(0, comma));
    fields.remove_prefix(std::min(comma + 1, fields.size()));
    if (member.empty()) continue;
    const std::size_t equals = member.find('=');
    if (equals == std::string_view::npos || ++members > members_max ||
        !is_state_key(member.substr(0, equals)) || !is_state_value(member.substr(equals + 1)))
      return false;
  }
  return members > 0;
}

std::string trace_id_of(const TraceContext& context) {
  std::string out;
  append_hex(out, context.trace_high);
  append_hex(out, context.trace_low);
  return out;
}

std::string hex_of_span(std::uint64_t span) {
  std::string out;
  append_hex(out, span);
  return out;
}

std::string traceparent_of(const TraceContext& context) {
  std::string out = "00-";
  append_hex(out, context.trace_high);
  append_hex(out, context.trace_low);
  out += '-';
  append_hex(out, context.span);
  return out += context.sampled ? "-01" : "-00";
}

// splitmix64: each state gives another number, and the start is random.
std::uint64_t new_span_number() {
  thread_local std::uint64_t state = system_random().number();
  std::uint64_t number = state += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  number ^= number >> 31;
  return number == 0 ? 1 : number;
}

TraceContext child_of(const TraceContext& parent) {
  TraceContext out{.trace_high = parent.trace_high,
                   .trace_low = parent.trace_low,
                   .parent = parent.span,
                   .span = new_span_number(),
                   .sampled = parent.sampled};
  if (!parent.state.empty()) out.state = parent.state;
  return out;
}

std::int64_t unix_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

CallRecorder* call_recorder() { return recorder_of_process.load(std::memory_order_acquire); }
void set_call_recorder(CallRecorder* recorder) {
  recorder_of_process.store(recorder, std::memory_order_release);
}

TraceContext* current_trace() { return trace_of_thread; }

TraceScope::TraceScope(TraceContext* context) : before_(std::exchange(trace_of_thread, context)) {}
TraceScope::~TraceScope() { trace_of_thread = before_; }

}  // namespace cairn::os
