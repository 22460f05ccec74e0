// SPDX-License-Identifier: Apache-2.0
#include "cli/connection.h"

#include <cstdio>

#include "base/strings.h"
#include "cli/exit_codes.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

constexpr std::string_view default_key_file = "/var/lib/cairn/keys/admin.key";
constexpr std::string_view key_file_in_data = "keys/admin.key";
constexpr std::size_t api_key_bytes_max = 4096;
constexpr std::int64_t answer_wait_ms = 60'000;
constexpr std::int64_t longest_wait_ms = 24 * 3'600'000;

std::string reason_in(const Json& body) {
  const Json* error = body.find("error");
  if (error == nullptr) return body.is_null() ? "no reason given" : body.dump();
  if (error->is_string()) return error->as_string();
  return error->string_or("type") + ": " + error->string_or("reason");
}

/// The folder of the program in the one that a variable names, or that is usual beneath the home.
std::string own_folder(const Environment& environment, std::string_view variable,
                       std::string_view usual) {
  const auto named = environment(variable);
  if (named && named->starts_with('/')) return *named + "/cairn";
  const auto home = environment("HOME");
  if (home && home->starts_with('/')) return *home + std::string(usual) + "/cairn";
  return {};
}

Result<std::string> read_key(const Arguments& arguments, const Environment& environment) {
  const auto path = Connection::value_of("--key-file", arguments, environment);
  auto text = os::read_file(os::system_files(), path.value_or(std::string(default_key_file)),
                            api_key_bytes_max);
  if (!text.ok() && !path)
    text = os::read_file(os::system_files(),
                         user_data_folder(environment) + "/" + std::string(key_file_in_data),
                         api_key_bytes_max);
  if (text.ok()) return std::string(trim(*text));
  if (path) return std::move(text).error();
  return Error{.kind = ErrorKind::not_found,
               .message =
                   "no key: name its file with --key-file or CAIRN_KEY_FILE (the first start "
                   "writes one to keys/admin.key in the data folder)"};
}

}  // namespace

std::string user_data_folder(const Environment& environment) {
  const std::string folder = own_folder(environment, "XDG_DATA_HOME", "/.local/share");
  return folder.empty() ? folder : folder + "/data";
}

std::string user_settings_folder(const Environment& environment) {
  return own_folder(environment, "XDG_CONFIG_HOME", "/.config");
}

std::string reason_of(const Answer& answer) { return reason_in(answer.body); }

Connection::Connection(net::Url url, std::string key, net::ClientOptions client)
    : url_(std::move(url)), key_(std::move(key)) {
  client.read_timeout_ms = longest_wait_ms;  // calls have deadlines
  client_ = std::make_unique<net::Client>(std::move(client));
}

std::optional<std::string> Connection::value_of(std::string_view name, const Arguments& arguments,
                                                const Environment& environment) {
  for (const auto& [option, variable] : options)
    if (option == name) {
      auto value = arguments.option(option);
      return value ? value : environment(variable);
    }
  return std::nullopt;
}

void Connection::add_options(Syntax& syntax) {
  for (const auto& option : options) syntax.options.emplace_back(option.name);
}

Result<Connection> Connection::open(const Arguments& arguments, const Environment& environment) {
  const auto server = value_of("--server", arguments, environment);
  CAIRN_TRY(auto url, net::parse_url(server.value_or(std::string(default_server))));
  CAIRN_TRY(auto key, read_key(arguments, environment));
  net::ClientOptions client;
  client.tls_ca_file = value_of("--ca-file", arguments, environment).value_or("");
  client.tls_certificate_file = value_of("--certificate-file", arguments, environment).value_or("");
  return Connection(std::move(url), std::move(key), std::move(client));
}

Result<Connection> Connection::open_at(const std::string& server, const std::string& key_file,
                                       net::ClientOptions tls) {
  CAIRN_TRY(auto url, net::parse_url(server));
  CAIRN_TRY(const std::string key, os::read_file(os::system_files(), key_file, api_key_bytes_max));
  return Connection(std::move(url), std::string(trim(key)), std::move(tls));
}

Result<Answer> Connection::ask(std::string method, const std::string& path, const Json* body) {
  const std::string text = body != nullptr ? body->dump() : std::string();
  return send(std::move(method), path, text, body != nullptr ? "application/json" : "",
              answer_wait_ms);
}

Result<Answer> Connection::send(std::string method, const std::string& path, std::string_view body,
                                std::string_view type, std::int64_t wait_ms) {
  CAIRN_TRY(const auto reply, fetch(std::move(method), path, body, type, wait_ms));
  return read(reply);
}

Result<net::ClientReply> Connection::fetch(std::string method, const std::string& path,
                                           std::string_view body, std::string_view type,
                                           std::int64_t wait_ms) {
  net::ClientRequest request{.method = std::move(method), .url = url_};
  const std::string base = url_.target == "/" ? std::string() : url_.target;
  request.url.target = base + path;
  request.headers.set("Authorization", "ApiKey " + key_);
  if (!type.empty()) request.headers.set("Content-Type", type);
  request.body = body;
  auto reply = client_->send(request, os::Deadline::in_ms(wait_ms));
  if (!reply.ok())
    return with_context(std::move(reply).error(),
                        "no answer from " + url_.scheme + "://" + url_.authority());
  return reply;
}

Result<Answer> Connection::read(const net::ClientReply& reply) const {
  Answer answer{.status = reply.status, .body = {}};
  if (!reply.body.empty()) {
    auto json = parse_json(reply.body);
    if (!json.ok())
      return Error{.kind = ErrorKind::corrupt,
                   .message = "the answer of " + url_.authority() + " is no JSON: is that Cairn?"};
    answer.body = *std::move(json);
  }
  return answer;
}

int explain(const Answer& answer) {
  std::fprintf(stderr, "cairn: %s\n", reason_of(answer).c_str());
  if (answer.status == 401 || answer.status == 403) return no_permission;
  if (answer.status == 429) return temporary;
  return failed;
}

int explain(const Error& error) {
  std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
  switch (error.kind) {
    case ErrorKind::invalid_argument:
      return usage_error;
    case ErrorKind::not_found:
      return no_input;
    case ErrorKind::permission_denied:
      return no_permission;
    case ErrorKind::unavailable:
    case ErrorKind::timeout:
      return unavailable;
    default:
      return failed;
  }
}

}  // namespace cairn::cli
