// SPDX-License-Identifier: Apache-2.0
// Which trace the work of a thread belongs to. Source: W3C Trace Context.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::os {

/// One step of a trace: a request, or a call that it makes.
struct TraceContext {
  std::uint64_t trace_high = 0, trace_low = 0;  // not both 0
  std::uint64_t parent = 0;                     // the caller's step; 0: the trace begins here
  std::uint64_t span = 0;                       // this step
  bool sampled = false;                         // whoever records steps records those of this trace
  std::string state = {};                       // the caller's tracestate, passed on as it came
  // What the step does, once that is known. They live as long as the program's tables.
  std::string_view operation = {}, route = {};
};

/// What a field traceparent says; `span` is the caller's step. Nothing where it is not valid.
/// Versions above 00 are read as far as 00 goes.
std::optional<TraceContext> read_traceparent(std::string_view field);
/// Whether the values of all fields tracestate, joined by commas, may be passed on.
bool is_tracestate(std::string_view fields);
/// The field that names `context.span` as the caller's step.
std::string traceparent_of(const TraceContext& context);
std::string trace_id_of(const TraceContext& context);  // 32 lower-case hexadecimal digits
std::string hex_of_span(std::uint64_t span);           // 16

/// A step below `parent`, with its state and its decision.
TraceContext child_of(const TraceContext& parent);
std::int64_t unix_ns();

/// A request to another server that was answered, or failed.
struct TracedCall {
  const TraceContext& step;
  std::string_view method, scheme, host;
  std::uint16_t port = 0;
  std::int64_t begin_ns = 0;  // Unix time
  int status = 0;             // 0: no answer
  std::string_view failure = {};
};

/// Hears of such requests, where their trace is sampled. Called from any thread; must not block.
class CallRecorder {
 public:
  virtual ~CallRecorder() = default;
  virtual void called(const TracedCall& call) = 0;
};
/// The one of this process; null where nobody records. Who sets one takes it away before its end,
/// while nobody calls.
CallRecorder* call_recorder();
void set_call_recorder(CallRecorder* recorder);

/// Another number each time; not secret. Safe from any thread.
std::uint64_t new_span_number();

/// The step that this thread works on; null where there is none.
TraceContext* current_trace();

/// While one lives, this thread works on that step, which outlives it. Null: on none.
class TraceScope {
 public:
  explicit TraceScope(TraceContext* context);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  TraceContext* const before_;
};

}  // namespace cairn::os
