// SPDX-License-Identifier: Apache-2.0
#include "app/monitoring/otlp.h"

#include <variant>

#include "app/version.h"
#include "base/strings.h"
#include "format/json.h"

namespace cairn::app {
namespace {

constexpr std::string_view scope_name = "cairn";
constexpr int failed_code = 2;  // STATUS_CODE_ERROR
constexpr int sampled_flag = 1;

int number_of(os::Span::Kind kind) {
  switch (kind) {
    case os::Span::Kind::internal:
      return 1;
    case os::Span::Kind::server:
      return 2;
    case os::Span::Kind::client:
      return 3;
  }
  return 0;
}

void write_text(JsonWriter& out, std::string_view key, std::string_view value) {
  out.begin_object().key("key").string(key);
  out.key("value").begin_object().key("stringValue").string(value).end_object().end_object();
}

void write_attribute(JsonWriter& out, std::string_view key, const os::Span::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return write_text(out, key, *text);
  out.begin_object().key("key").string(key).key("value").begin_object();
  out.key("intValue").string(std::to_string(std::get<std::int64_t>(value)));
  out.end_object().end_object();
}

void write_span(JsonWriter& out, const os::Span& span) {
  const os::TraceContext& context = span.context;
  out.begin_object();
  out.key("traceId").string(os::trace_id_of(context));
  out.key("spanId").string(os::hex_of_span(context.span));
  if (context.parent != 0) out.key("parentSpanId").string(os::hex_of_span(context.parent));
  if (!context.state.empty()) out.key("traceState").string(context.state);
  out.key("flags").integer(sampled_flag);
  out.key("name").string(span.name);
  out.key("kind").integer(number_of(span.kind));
  out.key("startTimeUnixNano").string(std::to_string(span.begin_ns));
  out.key("endTimeUnixNano").string(std::to_string(span.end_ns));
  out.key("attributes").begin_array();
  for (const auto& [key, value] : span.attributes) write_attribute(out, key, value);
  out.end_array();
  out.key("status").begin_object();
  if (span.failed) out.key("code").integer(failed_code);
  if (span.failed && !span.reason.empty()) out.key("message").string(span.reason);
  out.end_object().end_object();
}

}  // namespace

std::string otlp_request(const TraceResource& resource, const std::vector<os::Span>& spans) {
  std::string text;
  JsonWriter out(text);
  out.begin_object().key("resourceSpans").begin_array().begin_object();
  out.key("resource").begin_object().key("attributes").begin_array();
  for (const auto& [key, value] : resource) write_text(out, key, value);
  out.end_array().end_object();
  out.key("scopeSpans").begin_array().begin_object();
  out.key("scope").begin_object().key("name").string(scope_name);
  out.key("version").string(version).end_object();
  out.key("spans").begin_array();
  for (const os::Span& span : spans) write_span(out, span);
  out.end_array().end_object().end_array();
  out.end_object().end_array().end_object();
  return text;
}

std::uint64_t otlp_rejected(std::string_view body) {
  const auto answer = parse_json(body);
  if (!answer.ok() || !answer->is_object()) return 0;
  const Json* const count = answer->find_path("partialSuccess.rejectedSpans");
  if (count == nullptr) return 0;
  if (count->is_string()) return parse_number<std::uint64_t>(count->as_string()).value_or(0);
  return count->is_number() && count->as_double() > 0
             ? static_cast<std::uint64_t>(count->as_double())
             : 0;
}

}  // namespace cairn::app
