// SPDX-License-Identifier: Apache-2.0
#include "objectclient/call/call_log.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/strings.h"
#include "format/json.h"
#include "net/client/client.h"
#include "objectclient/call/params.h"
#include "objectclient/faults.h"

namespace cairn::objectclient {
namespace {

constexpr std::size_t shown_text_max = 1'000;
constexpr std::size_t traced_body_max = 16 << 10;
constexpr std::string_view filtered = "[FILTERED]";

// The members that the service model calls sensitive.
constexpr std::string_view secret_members[] = {"sse_customer_key",  "copy_source_sse_customer_key",
                                               "ssekms_key_id",     "ssekms_encryption_context",
                                               "secret_access_key", "session_token"};

constexpr std::string_view secret_elements[] = {"SecretAccessKey", "SessionToken", "Token"};

bool is_secret_field(std::string_view name) {
  const std::string lower = lower_ascii(name);
  return lower == "authorization" || lower == "cookie" || lower == "set-cookie" ||
         lower.ends_with("-security-token") || lower.ends_with("-s3session-token") ||
         lower.ends_with("-customer-key");
}

std::string shown_value(const Json& value) {
  if (value.is_string() && value.as_string().size() > shown_text_max)
    return "#<String " + Json(value.as_string().substr(0, shown_text_max)).dump() + " ... (" +
           std::to_string(value.as_string().size()) + " bytes)>";
  if (value.is_object()) {
    std::string out = "{";
    for (const auto& [name, element] : value.as_object()) {
      const bool secret = std::find(std::begin(secret_members), std::end(secret_members), name) !=
                          std::end(secret_members);
      if (out.size() > 1) out += ',';
      out += name + ":" + (secret ? "\"" + std::string(filtered) + "\"" : shown_value(element));
    }
    return out + "}";
  }
  if (value.is_array()) {
    std::string out = "[";
    for (const Json& element : value.as_array())
      out += (out.size() > 1 ? "," : "") + shown_value(element);
    return out + "]";
  }
  return value.dump();
}

std::string headers_text(const net::Headers& headers) {
  Json out = Json::object();
  for (const auto& [name, value] : headers.fields())
    out.set(name, is_secret_field(name) ? std::string(filtered) : value);
  return out.dump();
}

std::string url_part(const std::string& url, std::string_view part) {
  const auto parsed = net::parse_url(url);
  if (!parsed.ok()) return {};
  if (part == "scheme") return parsed->scheme;
  if (part == "host") return parsed->host;
  if (part == "port") return std::to_string(parsed->port);
  return url;
}

/// The text of a placeholder; nothing for a word that is none.
std::optional<std::string> replaced(std::string_view name, const CallRecord& record) {
  const CallInfo& call = record.call;
  if (name == "client_class") return "ObjectClient";
  if (name == "region") return std::string(record.region);
  if (name == "operation") return call.operation;
  if (name == "request_params") return shown_params(record.operation.input(), record.input);
  if (name == "retries") return std::to_string(call.retries);
  if (name == "http_request_method") return std::string(record.operation.method);
  if (name == "http_request_endpoint") return url_part(call.url, "endpoint");
  if (name == "http_request_scheme") return url_part(call.url, "scheme");
  if (name == "http_request_host") return url_part(call.url, "host");
  if (name == "http_request_port") return url_part(call.url, "port");
  if (name == "http_response_status_code") return std::to_string(call.status);
  if (name == "http_response_headers") return headers_text(call.headers);
  if (name == "error_class") return record.error == nullptr ? "" : record.error->code;
  if (name == "error_message") return record.error == nullptr ? "" : record.error->message;
  if (name == "time") {
    char text[32];
    std::snprintf(text, sizeof text, "%.6f", record.time_s);
    return text;
  }
  return std::nullopt;
}

bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

void hide_elements(std::string& text) {
  for (const std::string_view name : secret_elements) {
    const std::string open = "<" + std::string(name) + ">";
    for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
      const std::size_t begin = at + open.size();
      const std::size_t end = std::min(text.find('<', begin), text.size());
      text.replace(begin, end - begin, filtered);
    }
  }
}

}  // namespace

std::string shown_params(const s3::Shape& shape, const void* input) {
  std::string out = shown_value(params_json(shape, input));
  return out.substr(1, out.size() - 2);
}

std::string log_line(std::string_view pattern, const CallRecord& record) {
  std::string out;
  while (!pattern.empty()) {
    const std::size_t colon = pattern.find(':');
    out += pattern.substr(0, colon);
    if (colon == std::string_view::npos) break;
    pattern.remove_prefix(colon + 1);
    std::size_t size = 0;
    while (size < pattern.size() && is_name_character(pattern[size])) ++size;
    if (const auto text = replaced(pattern.substr(0, size), record)) {
      out += *text;
      pattern.remove_prefix(size);
    } else {
      out += ':';
    }
  }
  return std::string(trim(out));
}

Result<LogLevel> parse_log_level(std::string_view text) {
  if (text == "debug") return LogLevel::debug;
  if (text == "info") return LogLevel::info;
  if (text == "warn") return LogLevel::warn;
  if (text == "error") return LogLevel::error;
  return argument_error("`" + std::string(text) + "` is no log level");
}

std::string traced_head(std::string_view begin, const net::Headers& headers) {
  std::string out(begin);
  for (const auto& [name, value] : headers.fields()) {
    out += "\n" + name + ": ";
    if (!is_secret_field(name)) {
      out += value;
      continue;
    }
    // Who signed is no secret; how is.
    const std::size_t signature = value.find("Signature=");
    if (signature != std::string::npos) out += value.substr(0, signature + 10);
    out += filtered;
  }
  return out;
}

std::string traced_body(std::string_view body) {
  const std::string_view text = trim(body.substr(0, 64));
  const bool readable = text.starts_with('<') || text.starts_with('{');
  if (!readable || body.size() > traced_body_max)
    return "(" + std::to_string(body.size()) + " bytes)";
  std::string out(body);
  hide_elements(out);
  return out;
}

}  // namespace cairn::objectclient
