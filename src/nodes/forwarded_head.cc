// SPDX-License-Identifier: Apache-2.0
#include "nodes/forwarded_head.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "os/trace.h"

namespace cairn::nodes {
namespace {

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view one) { return equals_ignore_case(name, one); });
}

/// RFC 9110, 7.6.1: fields of one connection, and those that its Connection field names.
bool is_of_connection(std::string_view name, std::string_view connection) {
  static constexpr std::array<std::string_view, 9> known = {
      "Connection",        "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "TE",
      "Transfer-Encoding", "Trailer",    "Upgrade",          "Content-Length"};
  if (is_one_of(name, known)) return true;
  for (const auto part : split(connection, ','))
    if (equals_ignore_case(trim(part), name)) return true;
  return false;
}

std::string text_of(const ForwardedHead& forwarded) {
  std::string out = "client=" + forwarded.client_address + "; id=" + forwarded.request_id;
  if (!forwarded.tls_version.empty()) out += "; tls=" + forwarded.tls_version;
  return out;
}

ForwardedHead read(std::string_view text) {
  ForwardedHead out;
  for (const auto part : split(text, ';')) {
    const std::string_view pair = trim(part);
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = pair.substr(0, equals);
    std::string value(pair.substr(equals + 1));
    if (name == "client") out.client_address = std::move(value);
    if (name == "id") out.request_id = std::move(value);
    if (name == "tls") out.tls_version = std::move(value);
  }
  return out;
}

}  // namespace

net::Headers forwarded_headers(const net::RequestHead& head, const ForwardedHead& forwarded) {
  const std::string connection = head.headers.joined("Connection");
  // The client of this process names the step of the trace that this is.
  static constexpr std::array<std::string_view, 2> trace = {"traceparent", "tracestate"};
  const bool is_traced = os::current_trace() != nullptr;
  net::Headers out;
  out.reserve(head.headers.fields().size() + 1);
  for (const auto& [name, value] : head.headers.fields()) {
    if (is_of_connection(name, connection) || equals_ignore_case(name, forwarded_field) ||
        equals_ignore_case(name, "Expect") || (is_traced && is_one_of(name, trace)))
      continue;
    out.add(name, value);
  }
  out.add(forwarded_field, text_of(forwarded));
  return out;
}

Result<net::RequestHead> original_head(const net::RequestHead& head, ForwardedHead& forwarded) {
  const auto field = head.headers.find(forwarded_field);
  if (field) forwarded = read(*field);
  if (forwarded.client_address.empty() || forwarded.request_id.empty())
    return Error{.kind = ErrorKind::invalid_argument,
                 .message =
                     "this address is for requests that other nodes pass on; clients ask "
                     "listen.api"};
  net::RequestHead out = head;
  out.headers.remove(forwarded_field);
  out.peer_address = forwarded.client_address;
  out.tls = !forwarded.tls_version.empty();
  out.tls_version = forwarded.tls_version;
  return out;
}

net::Headers answered_headers(const net::Headers& headers) {
  const std::string connection = headers.joined("Connection");
  net::Headers out;
  out.reserve(headers.fields().size());
  for (const auto& [name, value] : headers.fields())
    if (!is_of_connection(name, connection) && !equals_ignore_case(name, "Date"))
      out.add(name, value);
  return out;
}

}  // namespace cairn::nodes
