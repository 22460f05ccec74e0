// SPDX-License-Identifier: Apache-2.0
// The table of codes, and errors to JSON.
#include "api/forms/error_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace cairn::api {
namespace {

struct CodeRow {
  std::string_view code;
  int status;
};

// Only codes whose status is not that of their kind by nature, and those that clients look for.
constexpr std::array code_rows = {
    CodeRow{"action_request_validation_exception", 400},
    CodeRow{"circuit_breaking_exception", 429},
    CodeRow{"cluster_block_exception", 403},
    CodeRow{"concurrent_snapshot_execution_exception", 503},
    CodeRow{"content_too_long_exception", 413},
    CodeRow{"document_missing_exception", 404},
    CodeRow{"document_parsing_exception", 400},
    CodeRow{"es_rejected_execution_exception", 429},
    CodeRow{"illegal_argument_exception", 400},
    CodeRow{"illegal_state_exception", 500},
    CodeRow{"index_closed_exception", 400},
    CodeRow{"index_not_found_exception", 404},
    CodeRow{"insufficient_storage", 507},
    CodeRow{"invalid_alias_name_exception", 400},
    CodeRow{"invalid_index_name_exception", 400},
    CodeRow{"invalid_snapshot_name_exception", 400},
    CodeRow{"json_parse_exception", 400},
    CodeRow{"mapper_parsing_exception", 400},
    CodeRow{"master_not_discovered_exception", 503},
    CodeRow{"model_deployment_timeout_exception", 408},
    CodeRow{"parse_exception", 400},
    CodeRow{"parsing_exception", 400},
    CodeRow{"process_cluster_event_timeout_exception", 503},
    CodeRow{"query_shard_exception", 400},
    CodeRow{"rate_limit_exceeded_exception", 429},
    CodeRow{"repository_exception", 500},
    CodeRow{"repository_missing_exception", 404},
    CodeRow{"repository_verification_exception", 500},
    CodeRow{"resource_already_exists_exception", 400},
    CodeRow{"resource_not_found_exception", 404},
    CodeRow{"routing_missing_exception", 400},
    CodeRow{"search_context_missing_exception", 404},
    CodeRow{"script_exception", 400},
    CodeRow{"snapshot_missing_exception", 404},
    CodeRow{"snapshot_restore_exception", 500},
    CodeRow{"strict_dynamic_mapping_exception", 400},
    CodeRow{"too_many_scroll_contexts_exception", 429},
    CodeRow{"validation_exception", 400},
    CodeRow{"version_conflict_engine_exception", 409},
    CodeRow{"x_content_parse_exception", 400},
};

struct KindRow {
  std::string_view code;
  int status;
};

KindRow row_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return {"illegal_argument_exception", 400};
    case ErrorKind::unauthenticated:
      return {"security_exception", 401};
    case ErrorKind::permission_denied:
      return {"security_exception", 403};
    case ErrorKind::not_found:
      return {"resource_not_found_exception", 404};
    case ErrorKind::already_exists:
      return {"resource_already_exists_exception", 400};
    case ErrorKind::conflict:
    case ErrorKind::precondition_failed:
      return {"version_conflict_engine_exception", 409};
    case ErrorKind::too_large:
      return {"content_too_long_exception", 413};
    case ErrorKind::unsupported:
      return {"unsupported_operation_exception", 400};
    case ErrorKind::rate_limited:
      return {"es_rejected_execution_exception", 429};
    case ErrorKind::timeout:
      return {"timeout_exception", 408};
    case ErrorKind::cancelled:
      return {"task_cancelled_exception", 503};
    case ErrorKind::unavailable:
      return {"unavailable_exception", 503};
    case ErrorKind::storage_full:
      return {"insufficient_storage", 507};
    case ErrorKind::corrupt:
      return {"corrupt_data_exception", 500};
    case ErrorKind::internal:
      return {"internal_exception", 500};
  }
  return {"internal_exception", 500};
}

Json detail_value(std::string_view name, const std::string& text) {
  if (name == "line" || name == "col")
    if (const auto number = parse_number<std::int64_t>(text)) return Json(*number);
  return Json(text);
}

void add_details(Json& out, const Error& error) {
  constexpr std::string_view json_mark = ":json";
  for (const auto& [name, text] : error.details) {
    if (name.empty() || name.front() == '_') continue;
    if (!name.ends_with(json_mark)) {
      out.set(name, detail_value(name, text));
      continue;
    }
    auto value = parse_json(text);
    out.set(name.substr(0, name.size() - json_mark.size()), value.ok() ? *value : Json(text));
  }
  if (error.kind == ErrorKind::unauthenticated)
    out.set(
        "header",
        Json::object({{"WWW-Authenticate",
                       Json::array({"Basic realm=\"security\", charset=\"UTF-8\"", "ApiKey"})}}));
}

/// Causes that the platform does not count as its own, so that they are never a root.
bool is_foreign(const Error& error) {
  const auto type = wire_type(error);
  return type == "illegal_argument_exception" || type == "illegal_state_exception" ||
         type == "number_format_exception" || type == "named_object_not_found_exception";
}

const Error& root_of(const Error& error) {
  const Error* root = &error;
  const Error* cause = error.cause.get();
  // That shards failed says nothing of why: the root is what they failed by, whatever that is.
  if (cause != nullptr && wire_type(error) == "search_phase_execution_exception") root = cause;
  // What went wrong in a script is no cause of its own: the script is.
  for (; cause != nullptr && wire_type(*root) != "script_exception"; cause = cause->cause.get())
    if (!is_foreign(*cause)) root = cause;
  return *root;
}

std::string stack_trace_of(const Error& error) {
  std::string out = std::string(wire_type(error)) + ": " + error.message + "\n";
  for (const Error* cause = error.cause.get(); cause != nullptr; cause = cause->cause.get())
    out += "Caused by: " + std::string(wire_type(*cause)) + ": " + cause->message + "\n";
  return out;
}

Json plain_object(const Error& error, bool with_stack_trace) {
  Json out = Json::object({{"type", wire_type(error)}, {"reason", error.message}});
  add_details(out, error);
  if (with_stack_trace) out.set("stack_trace", stack_trace_of(error));
  return out;
}

}  // namespace

std::string_view wire_type(const Error& error) {
  return error.code.empty() ? row_of(error.kind).code : std::string_view(error.code);
}

int status_of(const Error& error) {
  for (const auto& [name, text] : error.details) {
    if (name != "_status") continue;
    if (const auto status = parse_number<int>(text); status && *status >= 400 && *status < 600)
      return *status;
  }
  const auto found = std::find_if(code_rows.begin(), code_rows.end(),
                                  [&](const CodeRow& row) { return row.code == error.code; });
  return found != code_rows.end() ? found->status : row_of(error.kind).status;
}

Json error_object(const Error& error, bool with_stack_trace) {
  Json out = plain_object(error, with_stack_trace);
  if (error.cause) out.set("caused_by", error_object(*error.cause, with_stack_trace));
  return out;
}

Json error_body(const Error& error, bool with_stack_trace) {
  Json inner =
      Json::object({{"root_cause", Json::array({plain_object(root_of(error), with_stack_trace)})}});
  Json outer = error_object(error, with_stack_trace);
  for (auto& [name, value] : outer.as_object()) inner.set(name, std::move(value));
  return Json::object({{"error", std::move(inner)}, {"status", status_of(error)}});
}

Json refusal_body(const Error& error) {
  Json out = Json::object({{"message", error.message}});
  for (const auto& [name, text] : error.details)
    if (name == "_documentation_url") out.set("documentation_url", text);
  const Json body = error_body(error);
  for (const auto& [name, value] : body.as_object()) out.set(name, value);
  return out;
}

Error illegal_argument(std::string message) {
  return {ErrorKind::invalid_argument, "illegal_argument_exception", std::move(message)};
}

Error parse_fault(std::string message) {
  return {ErrorKind::invalid_argument, "parse_exception", std::move(message)};
}

Error validation_fault(const std::vector<std::string>& faults) {
  std::string text = "Validation Failed: ";
  for (std::size_t i = 0; i < faults.size(); ++i)
    text += std::to_string(i + 1) + ": " + faults[i] + ";";
  return {ErrorKind::invalid_argument, "action_request_validation_exception", std::move(text)};
}

}  // namespace cairn::api
