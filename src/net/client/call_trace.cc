// SPDX-License-Identifier: Apache-2.0
#include "net/client/call_trace.h"

#include "net/client/client.h"

namespace cairn::net {

CallTrace::CallTrace(const ClientRequest& request) : request_(request) {
  const os::TraceContext* const here = os::current_trace();
  if (here == nullptr || request.headers.has("traceparent")) return;
  if (here->sampled && os::call_recorder() != nullptr) {
    step_ = os::child_of(*here);
    begin_ns_ = os::unix_ns();
  }
  lines_ = "traceparent: " + os::traceparent_of(step_ ? *step_ : *here) + "\r\n";
  if (!here->state.empty()) lines_ += "tracestate: " + here->state + "\r\n";
}

void CallTrace::answered(int status) {
  os::CallRecorder* const recorder = step_ ? os::call_recorder() : nullptr;
  if (recorder == nullptr) return;
  recorder->called({.step = *step_,
                    .method = request_.method,
                    .scheme = request_.url.scheme,
                    .host = request_.url.host,
                    .port = request_.url.port,
                    .begin_ns = begin_ns_,
                    .status = status});
}

void CallTrace::failed(const Error& error) {
  os::CallRecorder* const recorder = step_ ? os::call_recorder() : nullptr;
  if (recorder == nullptr) return;
  recorder->called({.step = *step_,
                    .method = request_.method,
                    .scheme = request_.url.scheme,
                    .host = request_.url.host,
                    .port = request_.url.port,
                    .begin_ns = begin_ns_,
                    .failure = name_of(error.kind)});
}

}  // namespace cairn::net
