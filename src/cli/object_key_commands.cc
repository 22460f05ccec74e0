// SPDX-License-Identifier: Apache-2.0
#include "cli/object_key_commands.h"

#include <cstdio>

#include "base/encode.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/time.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

constexpr std::string_view object_keys_path = "/_security/object_key";
constexpr std::size_t policy_file_bytes_max = 1 << 20;  // the server has the smaller limit

std::string object_key_path(const std::string& access_key_id) {
  return std::string(object_keys_path) + "/" + percent_encode(access_key_id);
}

/// Asks for a change of one key. False after saying why not; then `status` is the exit status.
bool change(Connection& connection, const std::string& method, const std::string& id,
            const Json* body, int& status) {
  const auto answer = connection.ask(method, object_key_path(id), body);
  if (answer.ok() && answer->status == 200) return true;
  status = answer.ok() ? explain(*answer) : explain(answer.error());
  return false;
}

}  // namespace

Result<Json> object_key_body(const Arguments& arguments) {
  Json body = Json::object();
  if (const auto account = arguments.option("--account")) body.set("account", *account);
  if (const auto user = arguments.option("--user")) body.set("user", *user);
  if (const auto file = arguments.option("--policy")) {
    CAIRN_TRY(const auto text, os::read_file(os::system_files(), *file, policy_file_bytes_max));
    body.set("policy", text);
  }
  return body;
}

int create_object_key(const Arguments& arguments, Connection& connection) {
  const auto body = object_key_body(arguments);
  if (!body.ok()) return explain(body.error());
  const auto answer = connection.ask("POST", std::string(object_keys_path), &*body);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const std::string id = answer->body.string_or("access_key_id");
  const std::string secret = answer->body.string_or("secret_access_key");
  // As in the file that the first start writes.
  if (arguments.flag("--json"))
    print_json(answer->body);
  else
    print_json(Json::object({{"access_key_id", id}, {"secret_access_key", secret}}));
  return success;
}

int list_object_keys(const Arguments& arguments, Connection& connection) {
  std::string target(object_keys_path);
  char separator = '?';
  for (const auto* name : {"account", "user"})
    if (const auto value = arguments.option("--" + std::string(name))) {
      target += separator + std::string(name) + "=" + percent_encode(*value);
      separator = '&';
    }
  const auto answer = connection.ask("GET", target);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const Json* keys = answer->body.find("object_keys");
  if (arguments.flag("--json") || keys == nullptr || !keys->is_array()) {
    print_json(answer->body);
    return success;
  }
  std::vector<Row> rows;
  for (const Json& key : keys->as_array()) {
    const Json* user = key.find("user");
    rows.push_back({key.string_or("access_key_id"), key.string_or("account"),
                    user != nullptr && user->is_string() ? user->as_string() : "(root)",
                    format_iso8601(key.int_or("creation")),
                    key.bool_or("active") ? "active" : "idle"});
  }
  print_table({"ACCESS KEY", "ACCOUNT", "USER", "CREATED", "STATE"}, rows);
  return success;
}

int delete_object_keys(const Arguments& arguments, Connection& connection) {
  std::size_t gone = 0;
  int status = success;
  for (const std::string& id : arguments.words())
    if (change(connection, "DELETE", id, nullptr, status)) ++gone;
  std::fprintf(stderr, "%zu of %zu keys deleted\n", gone, arguments.words().size());
  if (gone == arguments.words().size()) return success;
  return gone == 0 ? status : partly_failed;
}

int set_object_key_active(const Arguments& arguments, Connection& connection, bool active) {
  const Json body = Json::object({{"active", active}});
  std::size_t done = 0;
  int status = success;
  for (const std::string& id : arguments.words())
    if (change(connection, "PUT", id, &body, status)) ++done;
  std::fprintf(stderr, "%zu of %zu keys %s\n", done, arguments.words().size(),
               active ? "active" : "idle");
  if (done == arguments.words().size()) return success;
  return done == 0 ? status : partly_failed;
}

}  // namespace cairn::cli
