// SPDX-License-Identifier: Apache-2.0
#include "net/server/request_trace.h"

#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"
#include "os/spans.h"

namespace cairn::net {
namespace {

constexpr std::size_t path_bytes_max = 1024;
constexpr std::size_t agent_bytes_max = 256;

bool is_sent_once(const Headers& headers, std::string_view name) {
  int count = 0;
  for (const auto& field : headers.fields()) count += equals_ignore_case(field.first, name) ? 1 : 0;
  return count == 1;
}

}  // namespace

os::TraceContext trace_of(const RequestHead& head) {
  const auto field = head.headers.find("traceparent");
  if (!field) return os::new_trace();
  const auto caller = os::read_traceparent(*field);
  if (!caller || !is_sent_once(head.headers, "traceparent")) return os::new_trace();
  os::TraceContext out = os::child_of(*caller);
  if (head.headers.has("tracestate")) {
    std::string state = head.headers.joined("tracestate");
    if (os::is_tracestate(state)) out.state = std::move(state);
  }
  return out;
}

void record_span(const os::TraceContext& trace, const RequestHead& head, int status,
                 std::int64_t took_ns) {
  os::SpanQueue* const queue = trace.sampled ? os::span_queue() : nullptr;
  if (queue == nullptr) return;
  const std::int64_t end_ns = os::unix_ns();
  const std::string_view what = trace.route.empty() ? trace.operation : trace.route;
  os::Span span{.context = trace,
                .kind = os::Span::Kind::server,
                .name = head.method + (what.empty() ? "" : " " + std::string(what)),
                .begin_ns = end_ns - took_ns,
                .end_ns = end_ns,
                .failed = status >= 500 || status == 0};
  auto& attributes = span.attributes;
  attributes.emplace_back("http.request.method", head.method);
  attributes.emplace_back("url.path", std::string(head.path().substr(0, path_bytes_max)));
  attributes.emplace_back("url.scheme", head.tls ? "https" : "http");
  if (!trace.route.empty()) attributes.emplace_back("http.route", std::string(trace.route));
  if (!trace.operation.empty())
    attributes.emplace_back("cairn.operation", std::string(trace.operation));
  if (status != 0) attributes.emplace_back("http.response.status_code", std::int64_t{status});
  attributes.emplace_back("network.protocol.version", "1." + std::to_string(head.version_minor));
  if (const auto agent = head.headers.find("user-agent"))
    attributes.emplace_back("user_agent.original", std::string(agent->substr(0, agent_bytes_max)));
  if (span.failed)
    attributes.emplace_back("error.type", status == 0 ? "no reply" : std::to_string(status));
  queue->offer(std::move(span));
}

}  // namespace cairn::net
