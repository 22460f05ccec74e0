// SPDX-License-Identifier: Apache-2.0
#include "api/reindex_remote.h"

#include <algorithm>
#include <array>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "base/encode.h"
#include "base/strings.h"
#include "tasks/remote_source.h"

namespace cairn::api {
namespace {

constexpr std::size_t most_headers = 64;
constexpr std::size_t most_header_bytes = 16 << 10;  // of all of them
constexpr std::int64_t longest_timeout_ms = 3'600'000;

/// Those that say how a message is sent belong to whoever sends it.
bool is_of_the_connection(std::string_view name) {
  constexpr std::array names = {
      "host",   "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade",
      "expect", "te",         "trailer",        "accept-encoding"};
  const std::string lower = lower_ascii(name);
  return std::find(names.begin(), names.end(), lower) != names.end();
}

bool is_header_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view value) {
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; });
}

Status read_remote_headers(const Json& given, tasks::RemoteSource& out) {
  std::size_t bytes = 0;
  if (given.as_object().size() > most_headers)
    return illegal_argument("[headers] takes " + std::to_string(most_headers) + " at most");
  for (const auto& [name, value] : given.as_object()) {
    if (!is_header_name(name)) return illegal_argument("[headers] has a name that no header has");
    if (is_of_the_connection(name))
      return illegal_argument("[headers] cannot set [" + name + "]: it is the connection's own");
    if (!value.is_string()) return illegal_argument("[headers." + name + "] must be a text");
    if (!is_header_value(value.as_string()))
      return illegal_argument("[headers." + name + "] has characters that no header may have");
    bytes += name.size() + value.as_string().size();
    out.headers.emplace_back(name, value.as_string());
  }
  if (bytes > most_header_bytes)
    return illegal_argument("[headers] take " + std::to_string(most_header_bytes) +
                            " bytes at most");
  return ok_status();
}

/// Credentials in the one form that goes out.
Status set_authorization(std::string value, tasks::RemoteSource& out) {
  for (const auto& [name, already] : out.headers)
    if (lower_ascii(name) == "authorization")
      return illegal_argument(
          "[remote] has more than one of [username], [api_key] and the header [Authorization]");
  out.headers.emplace_back("Authorization", std::move(value));
  return ok_status();
}

Status read_credentials(Fields& fields, tasks::RemoteSource& out) {
  CAIRN_TRY(const Json* headers, fields.object("headers"));
  if (headers != nullptr) CAIRN_CHECK(read_remote_headers(*headers, out));
  CAIRN_TRY(const auto username, fields.string("username"));
  CAIRN_TRY(const auto password, fields.string("password"));
  CAIRN_TRY(const auto api_key, fields.string("api_key"));
  if (password && !username) return illegal_argument("[password] needs a [username]");
  if (username && username->find(':') != std::string::npos)
    return illegal_argument("[username] cannot have a colon");
  if (api_key && !is_header_value(*api_key))
    return illegal_argument("[api_key] has characters that no header may have");
  if (username)
    CAIRN_CHECK(
        set_authorization("Basic " + to_base64(*username + ":" + password.value_or("")), out));
  if (api_key) CAIRN_CHECK(set_authorization("ApiKey " + *api_key, out));
  return ok_status();
}

Status read_timeout(Fields& fields, std::string_view name, std::int64_t& out) {
  CAIRN_TRY(const auto given, fields.time_ms(name));
  if (!given) return ok_status();
  if (*given <= 0 || *given > longest_timeout_ms)
    return illegal_argument("[" + std::string(name) + "] must be a time up to 1h, such as 30s");
  out = *given;
  return ok_status();
}

Status check_index_names(const std::string& names) {
  for (const auto name : split(names, ','))
    if (name.empty() || name == "." || name == "..")
      return illegal_argument("[source.index] has a name that no index has [" + std::string(name) +
                              "]");
  return ok_status();
}

}  // namespace

Status read_remote(const RemoteBody& body, tasks::ByQuery& out) {
  tasks::RemoteSource remote;
  Fields fields(body.remote, "remote", "source.remote");
  CAIRN_TRY(const auto host, fields.string("host"));
  if (!host) return illegal_argument("[host] must be specified to reindex from a remote cluster");
  CAIRN_CHECK(tasks::read_remote_host(*host, remote));
  CAIRN_CHECK(read_credentials(fields, remote));
  CAIRN_CHECK(read_timeout(fields, "socket_timeout", remote.socket_timeout_ms));
  CAIRN_CHECK(read_timeout(fields, "connect_timeout", remote.connect_timeout_ms));
  if (const auto unknown = fields.unknown(); !unknown.empty()) {
    std::vector<std::string> names;
    for (const auto* member : unknown) names.push_back(member->first);
    return illegal_argument("Unsupported fields in [remote]: [" + join(names, ",") + "]");
  }
  CAIRN_CHECK(check_index_names(out.source_names));
  if (body.slice != nullptr)
    return validation_fault({"reindex from remote sources doesn't support source.slice"});
  if (body.query != nullptr && !body.query->is_object())
    return illegal_argument("[source.query] must be an object");
  if (body.query != nullptr) remote.query = *body.query;
  if (body.sort != nullptr) remote.sort = *body.sort;
  out.remote = std::move(remote);
  return ok_status();
}

}  // namespace cairn::api
