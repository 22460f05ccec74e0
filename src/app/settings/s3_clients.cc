// SPDX-License-Identifier: Apache-2.0
#include "app/settings/s3_clients.h"

#include <functional>

#include "base/strings.h"
#include "format/time.h"
#include "os/files/secret_file.h"

namespace cairn::app {
namespace {

constexpr std::string_view client_section = "s3.client.";
constexpr const char* keys_file = "/s3-clients.json";

Error bad_client_setting(std::string what) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(what)};
}

struct ClientSetting {
  std::string name;
  bool secret = false;
  std::string description;
  std::function<Status(S3Client&, const std::string&)> set;
  std::function<std::string(const S3Client&)> get;  // empty: not set
};

ClientSetting client_text(std::string name, std::string S3Client::*field, std::string description,
                          bool secret = false) {
  return {.name = std::move(name),
          .secret = secret,
          .description = std::move(description),
          .set =
              [field](S3Client& client, const std::string& value) {
                client.*field = value;
                return ok_status();
              },
          .get = [field](const S3Client& client) { return client.*field; }};
}

Status set_protocol(S3Client& client, const std::string& value) {
  if (value != "http" && value != "https") return bad_client_setting("must be http or https");
  client.protocol = value;
  return ok_status();
}

Status set_path_style(S3Client& client, const std::string& value) {
  if (value != "true" && value != "false") return bad_client_setting("must be true or false");
  client.path_style_access = value == "true";
  return ok_status();
}

Status set_read_timeout(S3Client& client, const std::string& value) {
  CAIRN_TRY(const auto ms, parse_time_value(value, "read_timeout"));
  if (ms <= 0) return bad_client_setting("must be more than 0");
  client.read_timeout_ms = ms;
  return ok_status();
}

Status set_max_retries(S3Client& client, const std::string& value) {
  const auto number = parse_number<std::int64_t>(value);
  if (!number || *number < 0 || *number > 100)
    return bad_client_setting("must be a whole number from 0 to 100");
  client.max_retries = *number;
  return ok_status();
}

const std::vector<ClientSetting>& client_settings() {
  static const std::vector<ClientSetting> all = {
      client_text("endpoint", &S3Client::endpoint, "URL of the cluster, or its host and port."),
      {"protocol", false, "http or https, where the endpoint is no URL.", &set_protocol,
       [](const S3Client& client) { return client.protocol; }},
      client_text("region", &S3Client::region, "What requests are signed for."),
      {"path_style_access", false,
       "The bucket stands in the path; by default it does where an endpoint is set.",
       &set_path_style,
       [](const S3Client& client) -> std::string {
         if (!client.path_style_access) return "";
         return *client.path_style_access ? "true" : "false";
       }},
      {"read_timeout", false, "How long an answer may be silent (30s).", &set_read_timeout,
       [](const S3Client& client) {
         return client.read_timeout_ms ? format_time_value(*client.read_timeout_ms) : std::string();
       }},
      {"max_retries", false, "How often a call is repeated (3).", &set_max_retries,
       [](const S3Client& client) {
         return client.max_retries ? std::to_string(*client.max_retries) : std::string();
       }},
      client_text("access_key", &S3Client::access_key, "", true),
      client_text("secret_key", &S3Client::secret_key, "", true),
      client_text("session_token", &S3Client::session_token, "", true),
  };
  return all;
}

const ClientSetting* find_client_setting(std::string_view name) {
  for (const ClientSetting& setting : client_settings())
    if (setting.name == name) return &setting;
  return nullptr;
}

Error unknown_client_setting(const std::string& key, std::string_view name) {
  std::vector<std::string> known;
  for (const ClientSetting& setting : client_settings()) known.push_back(setting.name);
  std::string message = "unknown setting " + key;
  if (const auto near = nearest(name, known)) message += "; did you mean " + *near + "?";
  return bad_client_setting(message + " Clients have " + join(known, ", "));
}

}  // namespace

bool is_s3_client_setting(std::string_view key) { return key.starts_with(client_section); }

Status set_s3_client(S3Clients& clients, const std::string& key, const std::string& value,
                     const std::string& origin) {
  const std::string_view rest = std::string_view(key).substr(client_section.size());
  const auto dot = rest.find('.');
  if (dot == 0 || dot == std::string_view::npos)
    return bad_client_setting(origin + ": " + key + " must be s3.client.NAME.SETTING");
  const std::string_view name = rest.substr(dot + 1);
  const ClientSetting* const setting = find_client_setting(name);
  if (setting == nullptr) return with_context(unknown_client_setting(key, name), origin);
  if (setting->secret && !origin.starts_with("CAIRN_"))
    return bad_client_setting(origin + ": " + key +
                              " is a secret: it is read from the environment (CAIRN_S3__CLIENT__"
                              "NAME__SETTING) or from keys/s3-clients.json in the data folder");
  const Status set = setting->set(clients[std::string(rest.substr(0, dot))], value);
  if (set.ok()) return set;
  return bad_client_setting(origin + ": " + key + " cannot be \"" + value +
                            "\": " + set.error().message);
}

std::vector<S3ClientRow> s3_client_rows(const S3Clients& clients) {
  std::vector<S3ClientRow> rows;
  for (const auto& [name, client] : clients)
    for (const ClientSetting& setting : client_settings()) {
      const std::string value = setting.get(client);
      if (!value.empty())
        rows.push_back({.key = std::string(client_section) + name + "." + setting.name,
                        .value = setting.secret ? "(set)" : value,
                        .description = setting.description,
                        .secret = setting.secret});
    }
  return rows;
}

Json s3_client_schema() {
  Json properties = Json::object();
  for (const ClientSetting& setting : client_settings())
    if (!setting.secret)
      properties.set(setting.name, Json::object({{"description", setting.description}}));
  const Json client = Json::object(
      {{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}});
  return Json::object(
      {{"type", "object"},
       {"additionalProperties", false},
       {"properties",
        Json::object({{"client",
                       Json::object({{"type", "object"},
                                     {"description", "How repositories of type s3 reach clusters."},
                                     {"additionalProperties", client}})}})}});
}

Status add_s3_client_keys(S3Clients& clients, const std::string& keys_folder) {
  const std::string path = keys_folder + keys_file;
  CAIRN_TRY(const auto text, os::read_secret_file(path));
  if (!text) return ok_status();
  const auto bad_file = [&] {
    return bad_client_setting(path + R"( must hold {"NAME": {"access_key": …, "secret_key": …}})");
  };
  const auto json = parse_json(*text);
  if (!json.ok() || !json->is_object()) return bad_file();
  for (const auto& [name, keys] : json->as_object()) {
    if (!keys.is_object()) return bad_file();
    S3Client& client = clients[name];
    // One pair or the other, never a mixture.
    if (!client.access_key.empty() || !client.secret_key.empty()) continue;
    client.access_key = keys.string_or("access_key");
    client.secret_key = keys.string_or("secret_key");
    client.session_token = keys.string_or("session_token");
  }
  return ok_status();
}

}  // namespace cairn::app
