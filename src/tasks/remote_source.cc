// SPDX-License-Identifier: Apache-2.0
#include "tasks/remote_source.h"

#include <algorithm>

#include "base/encode.h"
#include "net/client/client.h"

namespace cairn::tasks {
namespace {

Error bad_host(const std::string& text) {
  return {
      .kind = ErrorKind::invalid_argument,
      .code = "illegal_argument_exception",
      .message = "[host] must be of the form [scheme]://[host]:[port](/[pathPrefix])? but was [" +
                 text.substr(0, 200) + "]"};
}

/// Whether "scheme://authority…" names a port: its absence would mean the usual one.
bool names_port(std::string_view text) {
  const std::size_t from = text.find("://");
  if (from == std::string_view::npos) return false;
  const std::string_view authority =
      text.substr(from + 3, text.find_first_of("/?#", from + 3) - from - 3);
  const std::size_t colon = authority.rfind(':');
  return colon != std::string_view::npos && colon + 1 < authority.size() &&
         authority.find(']', colon) == std::string_view::npos;
}

Error unreadable() {
  return {.kind = ErrorKind::corrupt, .message = "the record of a task has no readable remote"};
}

}  // namespace

Status read_remote_host(const std::string& text, RemoteSource& out) {
  // A user name would be seen wherever the host is; a query or a fragment has no meaning here.
  const auto url = net::parse_url(text);
  if (!url.ok() || !names_port(text) || text.find_first_of("?#\\") != std::string::npos)
    return bad_host(text);
  out.scheme = url->scheme;
  out.host = url->host;
  out.port = url->port;
  out.path_prefix = url->target;
  while (out.path_prefix.ends_with('/')) out.path_prefix.pop_back();
  return ok_status();
}

Json record_of(const RemoteSource& source) {
  return Json::object({{"scheme", source.scheme},
                       {"host", source.host},
                       {"port", static_cast<int>(source.port)},
                       {"path_prefix", source.path_prefix},
                       {"connect_timeout_ms", source.connect_timeout_ms},
                       {"socket_timeout_ms", source.socket_timeout_ms},
                       {"keep_alive_ms", source.keep_alive_ms},
                       {"query", source.query},
                       {"sort", source.sort},
                       {"sealed_headers", to_base64(source.sealed_headers)}});
}

Result<RemoteSource> read_remote_source(const Json& record) {
  const std::int64_t port = record.int_or("port");
  if (port <= 0 || port > 65'535 || record.string_or("host").empty()) return unreadable();
  RemoteSource out{.scheme = record.string_or("scheme"),
                   .host = record.string_or("host"),
                   .port = static_cast<std::uint16_t>(port),
                   .path_prefix = record.string_or("path_prefix"),
                   .connect_timeout_ms = record.int_or("connect_timeout_ms", 30'000),
                   .socket_timeout_ms = record.int_or("socket_timeout_ms", 30'000),
                   .keep_alive_ms = record.int_or("keep_alive_ms", 300'000)};
  if (const Json* query = record.find("query")) out.query = *query;
  if (const Json* sort = record.find("sort")) out.sort = *sort;
  const auto sealed = from_base64(record.string_or("sealed_headers"));
  if (!sealed) return unreadable();
  out.sealed_headers = *sealed;
  return out;
}

std::string text_of_headers(const RemoteSource& source) {
  Json::Array all;
  for (const auto& [name, value] : source.headers) all.push_back(Json::array({name, value}));
  return Json(std::move(all)).dump();
}

Status read_headers(std::string_view text, RemoteSource& out) {
  CAIRN_TRY(const Json read, parse_json(text));
  if (!read.is_array()) return unreadable();
  for (const Json& one : read.as_array()) {
    const bool fits = one.is_array() && one.as_array().size() == 2 &&
                      one.as_array()[0].is_string() && one.as_array()[1].is_string();
    if (!fits) return unreadable();
    out.headers.emplace_back(one.as_array()[0].as_string(), one.as_array()[1].as_string());
  }
  return ok_status();
}

}  // namespace cairn::tasks
