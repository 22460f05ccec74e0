// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/service_options.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"
#include "format/json.h"
#include "objectclient/option_table.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

using objectclient::ClientOptions;

constexpr std::string_view local_endpoint = "http://127.0.0.1:9000";
constexpr std::string_view local_keys_file = "/var/lib/cairn/keys/admin-s3.json";
constexpr std::size_t keys_file_bytes_max = 64 << 10;

/// Options of the command line that are one option of the client.
struct NamedOption {
  std::string_view word;
  std::string_view option;
};
constexpr NamedOption named_options[] = {{"--endpoint-url", "endpoint"},
                                         {"--region", "region"},
                                         {"--profile", "profile"},
                                         {"--dialect", "dialect"},
                                         {"--ca-bundle", "ssl_ca_bundle"},
                                         {"--retry-mode", "retry_mode"},
                                         {"--connect-timeout", "http_open_timeout"},
                                         {"--read-timeout", "http_read_timeout"},
                                         {"--max-attempts", "max_attempts"}};

Error service_option_fault(std::string text) {
  return {ErrorKind::invalid_argument, {}, std::move(text)};
}

bool is_secret_option(std::string_view name) {
  return name == "secret_access_key" || name == "session_token";
}

Status set_named_options(const Arguments& arguments, ClientOptions& options) {
  for (const auto& [word, option] : named_options) {
    const auto value = arguments.option(word);
    if (!value) continue;
    if (const Status set = objectclient::set_option(options, option, *value); !set.ok())
      return service_option_fault(std::string(word) + ": " + set.error().message);
  }
  // In the first mode another option counts the attempts after the first.
  if (const auto attempts = parse_number<int>(arguments.option("--max-attempts").value_or(""));
      attempts && *attempts > 0)
    options.retry_limit = *attempts - 1;
  if (arguments.flag("--no-verify-ssl")) options.ssl_verify_peer = false;
  if (arguments.flag("--no-sign-request"))
    options.auth_scheme_preference = std::vector<std::string>{"noAuth"};
  for (const std::string& pair : arguments.options("--option")) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos) return service_option_fault("--option takes NAME=VALUE");
    const std::string name = pair.substr(0, equals);
    if (is_secret_option(name))
      return service_option_fault("--option " + name +
                                  ": secrets do not stand on a command line, where others can "
                                  "read them; use --credentials-file or the environment");
    CAIRN_CHECK(objectclient::set_option(options, name, pair.substr(equals + 1)));
  }
  return ok_status();
}

/// The pair of keys that `cairn key create --objects --json` and the first start write.
Status read_credentials_file(const std::string& path, ClientOptions& options) {
  CAIRN_TRY(const std::string text, os::read_file(os::system_files(), path, keys_file_bytes_max));
  const auto json = parse_json(text);
  if (!json.ok() || json->string_or("access_key_id").empty() ||
      json->string_or("secret_access_key").empty())
    return service_option_fault(
        path + ": a JSON object with access_key_id and secret_access_key is needed");
  options.access_key_id = json->string_or("access_key_id");
  options.secret_access_key = json->string_or("secret_access_key");
  if (const auto token = json->string_or("session_token"); !token.empty())
    options.session_token = token;
  return ok_status();
}

/// What the client will make of the options, with variables and profile; nothing where it will
/// find a fault.
std::optional<ClientOptions> completed_options(const ClientOptions& given,
                                               const objectclient::Environment& environment) {
  const auto profiles = objectclient::Profiles::load(environment);
  if (!profiles.ok()) return std::nullopt;
  auto completed = objectclient::complete_options(given, *profiles, environment);
  return completed.ok() ? std::optional(*std::move(completed)) : std::nullopt;
}

/// Nobody named an endpoint, a profile or keys: the Cairn on this machine, as its own user.
Status use_local_keys(const Arguments& arguments, const Environment& environment,
                      ClientOptions& options) {
  const bool has_own = options.access_key_id.given() || arguments.option("--profile") ||
                       arguments.flag("--no-sign-request") || environment("AWS_ACCESS_KEY_ID") ||
                       environment("AWS_PROFILE");
  const std::string path(local_keys_file);
  if (has_own || !os::system_files().info(path).ok()) return ok_status();
  const Status read = read_credentials_file(path, options);
  // Of a system's Cairn only its administrator can read them.
  return read.ok() || read.error().kind == ErrorKind::permission_denied ? ok_status() : read;
}

/// Where no region is known, any will do for a service that has but one.
Status use_local_service(const Arguments& arguments, const Environment& environment,
                         ClientOptions& options) {
  if (arguments.flag("--vendor-hosts")) return ok_status();
  const auto client_environment = environment_of(environment);
  ClientOptions with_region = options;
  if (!options.region.given()) with_region.region = std::string("us-east-1");
  const auto completed = completed_options(with_region, client_environment);
  if (!completed) return ok_status();  // the client will say what is wrong
  if (completed->endpoint->empty()) {
    options.endpoint = std::string(local_endpoint);
    CAIRN_CHECK(use_local_keys(arguments, environment, options));
  }
  if (!completed_options(options, client_environment)) options.region = std::string("us-east-1");
  return ok_status();
}

}  // namespace

void add_service_options(Syntax& syntax) {
  for (const auto& [word, option] : named_options) syntax.options.emplace_back(word);
  for (const auto* word : {"--credentials-file", "--option"}) syntax.options.emplace_back(word);
  for (const auto* word : {"--no-verify-ssl", "--no-sign-request", "--vendor-hosts", "--debug"})
    syntax.flags.emplace_back(word);
}

std::string_view service_options_help() {
  return "every command of the object storage:\n"
         "  --endpoint-url URL          where the service is; else AWS_ENDPOINT_URL_S3,\n"
         "                              AWS_ENDPOINT_URL, the profile, http://127.0.0.1:9000\n"
         "  --vendor-hosts              the hosts of the vendor, by region\n"
         "  --region NAME               else AWS_REGION, the profile, us-east-1\n"
         "  --credentials-file FILE     JSON with access_key_id and secret_access_key; else\n"
         "                              CAIRN_CREDENTIALS_FILE, AWS_ACCESS_KEY_ID and its secret,\n"
         "                              the profile, the keys of the Cairn on this machine\n"
         "  --profile NAME              of ~/.aws/config and ~/.aws/credentials\n"
         "  --no-sign-request           as nobody\n"
         "  --dialect aws|svc           names of header fields and signatures\n"
         "  --ca-bundle FILE            certificates to trust;  --no-verify-ssl: all of them\n"
         "  --max-attempts N            with the first;  --retry-mode legacy|standard|adaptive\n"
         "  --connect-timeout SECONDS   --read-timeout SECONDS\n"
         "  --debug                     requests and replies on standard error, without secrets\n"
         "  --option NAME=VALUE         any option of the client: "
         "docs/reference/object-client.md\n";
}

objectclient::Environment environment_of(const Environment& environment) {
  objectclient::Environment out = objectclient::system_environment();
  if (environment) out.variable = environment;
  return out;
}

Status read_service_options(const Arguments& arguments, const Environment& environment,
                            const Console& console, ClientOptions& options) {
  CAIRN_CHECK(set_named_options(arguments, options));
  auto keys = arguments.option("--credentials-file");
  if (!keys && environment) keys = environment("CAIRN_CREDENTIALS_FILE");
  if (keys) CAIRN_CHECK(read_credentials_file(*keys, options));
  if (arguments.flag("--debug")) {
    options.http_wire_trace = true;
    options.log_level = std::string("debug");
    options.logger = [err = console.err](objectclient::LogLevel, std::string_view line) {
      err(std::string(line) + "\n");
    };
  }
  if (*options.stub_responses) return ok_status();
  return use_local_service(arguments, environment, options);
}

}  // namespace cairn::cli
