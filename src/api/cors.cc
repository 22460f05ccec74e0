// SPDX-License-Identifier: Apache-2.0
#include "api/cors.h"

#include <algorithm>

#include "base/strings.h"
#include "net/client/client.h"

namespace cairn::api {
namespace {

constexpr std::string_view methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
// X-Cairn-CSRF is not among them: sessions are for the pages of this server.
constexpr std::string_view request_headers =
    "Authorization, Content-Type, Accept, If-Match, If-None-Match, X-Requested-With, X-Opaque-Id, "
    "X-Elastic-Client-Meta, traceparent, tracestate";
constexpr std::string_view reply_headers =
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Reset, "
    "X-RateLimit-Resource, RateLimit, RateLimit-Policy, Retry-After, ETag, Location, "
    "X-Elastic-Product, X-Opaque-Id, traceresponse";
constexpr std::string_view preflight_seconds = "7200";  // the most that browsers keep it

/// "https://app.example.org:8443", and nothing behind it.
bool is_origin(const std::string& text) {
  const auto url = net::parse_url(text);
  return url.ok() && url->target == "/" && !text.ends_with('/') &&
         text.find('#') == std::string::npos;
}

}  // namespace

Status CorsOptions::validate() const {
  const auto bad = [](std::string what) {
    return Error{.kind = ErrorKind::invalid_argument, .message = std::move(what)};
  };
  if (enabled && allow_origin.empty())
    return bad("http.cors.enabled needs http.cors.allow_origin: a list of origins, or *");
  for (const std::string& origin : allow_origin)
    if (origin != "*" && !is_origin(origin))
      return bad("http.cors.allow_origin: [" + origin +
                 "] is no origin, as https://app.example.org or http://localhost:3000");
  return ok_status();
}

Cors::Cors(const CorsOptions& options) : enabled_(options.enabled) {
  for (const std::string& origin : options.allow_origin) {
    any_ = any_ || origin == "*";
    origins_.push_back(lower_ascii(origin));
  }
}

bool Cors::allows(std::string_view origin) const {
  return any_ || std::find(origins_.begin(), origins_.end(), lower_ascii(origin)) != origins_.end();
}

bool Cors::is_preflight(const net::RequestHead& head) const {
  return enabled_ && head.method == "OPTIONS" && head.headers.has("origin") &&
         head.headers.has("access-control-request-method");
}

Status Cors::check_preflight(const net::RequestHead& head) const {
  if (allows(head.headers.find("origin").value_or(""))) return ok_status();
  return Error{ErrorKind::permission_denied, "security_exception",
               "pages of this origin may not make requests here; [http.cors.allow_origin] names "
               "those that may"};
}

void Cors::put_preflight(net::Headers& headers) const {
  headers.set("Access-Control-Allow-Methods", methods);
  headers.set("Access-Control-Allow-Headers", request_headers);
  headers.set("Access-Control-Max-Age", preflight_seconds);
}

void Cors::put(const net::RequestHead& head, net::HeadLines& lines) const {
  if (!enabled_) return;
  lines.add("Vary", "Origin");
  const auto origin = head.headers.find("origin");
  if (!origin || !allows(*origin)) return;
  lines.add("Access-Control-Allow-Origin", any_ ? std::string_view("*") : *origin);
  lines.add("Access-Control-Expose-Headers", reply_headers);
}

}  // namespace cairn::api
