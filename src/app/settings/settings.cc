// SPDX-License-Identifier: Apache-2.0
#include "app/settings/settings.h"

#include <algorithm>
#include <optional>

#include "app/settings/mirror_settings.h"
#include "app/settings/bucket_places.h"
#include "app/settings/limit_settings.h"
#include "app/settings/model_sources.h"
#include "app/settings/repository_places.h"
#include "app/settings/s3_clients.h"
#include "app/settings/sign_in_settings.h"
#include "base/strings.h"
#include "console/page.h"
#include "net/address.h"
#include "os/cpu.h"
#include "os/files/beneath.h"
#include "os/files/files.h"
#include "remotestore/place.h"

namespace cairn::app {
namespace {

constexpr std::string_view default_file = "/etc/cairn/cairn.yaml";

const Setting* find_setting(std::string_view key) {
  for (const auto& setting : setting_table())
    if (setting.key == key) return &setting;
  return nullptr;
}

/// What users of the platform call a setting whose name here is not near to that.
std::optional<std::string> named_otherwise(std::string_view key) {
  if (key == "reindex.remote.whitelist") return "reindex.remote.allowed_hosts";
  if (key == "reindex.ssl.certificate_authorities") return "reindex.remote.ca_file";
  return std::nullopt;
}

Error unknown(const GivenSetting& given) {
  std::vector<std::string> known;
  for (const auto& setting : setting_table()) known.push_back(setting.key);
  known.emplace_back("rate_limit");
  std::string message = given.origin + ": unknown setting " + given.key;
  auto near = named_otherwise(given.key);
  if (!near) near = nearest(given.key, known);
  if (near) message += "; did you mean " + *near + "?";
  return {.kind = ErrorKind::invalid_argument, .message = std::move(message)};
}

std::string folder_beside(const std::string& file) {
  const auto slash = file.rfind('/');
  return (slash == std::string::npos ? "." : file.substr(0, slash)) + "/conf.d";
}

/// conf.d/*.yaml beside the file, by name.
Result<std::vector<std::string>> drop_ins(const std::string& file) {
  const std::string folder = folder_beside(file);
  std::vector<std::string> out;
  auto names = os::system_files().list(folder);
  if (!names.ok()) {
    if (names.error().kind == ErrorKind::not_found) return out;
    return std::move(names).error();
  }
  for (const auto& name : *names)
    if (name.ends_with(".yaml") || name.ends_with(".yml")) out.push_back(folder + "/" + name);
  std::sort(out.begin(), out.end());
  return out;
}

Status apply_file(LoadedSettings& into, const std::string& path) {
  CAIRN_TRY(const std::vector<GivenSetting> given, settings_of_file(path));
  return app::apply(into, given);
}

std::optional<std::string> variable(const std::vector<std::string>& environment,
                                    std::string_view name) {
  for (const auto& entry : environment)
    if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  return std::nullopt;
}

/// A list of records; `usual` is the default as text: "use1-az1=AvailabilityZone".
void add_zones_schema(const std::string& usual, Json& out) {
  const std::vector<std::string> types = {"AvailabilityZone", "LocalZone"};
  const std::vector<std::string> required = {"id"};
  out.set("type", "array");
  out.set(
      "items",
      Json::object({{"type", "object"},
                    {"additionalProperties", false},
                    {"required", Json::array_of(required)},
                    {"properties",
                     Json::object({{"id", Json::object({{"type", "string"}})},
                                   {"type", Json::object({{"enum", Json::array_of(types)}})}})}}));
  out.set("default", Json::array());
  for (const auto part : split(usual, ',')) {
    const auto equals = part.find('=');
    out.find("default")->push(Json::object({{"id", std::string(part.substr(0, equals))},
                                            {"type", std::string(part.substr(equals + 1))}}));
  }
}

void add_outposts_schema(Json& out) {
  const std::vector<std::string> required = {"id"};
  out.set("type", "array");
  out.set(
      "items",
      Json::object({{"type", "object"},
                    {"additionalProperties", false},
                    {"required", Json::array_of(required)},
                    {"properties", Json::object({{"id", Json::object({{"type", "string"}})}})}}));
  out.set("default", Json::array());
}

Json schema_of(const Setting& setting) {
  Json out =
      Json::object({{"description", setting.description}, {"default", setting.get(Settings{})}});
  switch (setting.type) {
    case SettingType::list:
      out.set("type", "array");
      out.set("items", Json::object({{"type", "string"}}));
      out.set("default", Json::array());
      if (const std::string list = setting.get(Settings{}); !list.empty())
        for (const auto part : split(list, ',')) out.find("default")->push(std::string(trim(part)));
      break;
    case SettingType::zones:
      add_zones_schema(setting.get(Settings{}), out);
      break;
    case SettingType::outposts:
      add_outposts_schema(out);
      break;
    case SettingType::boolean:
      out.set("type", "boolean");
      out.set("default", setting.get(Settings{}) == "true");
      break;
    case SettingType::integer:
      out.set("type", "integer");
      out.set("default", parse_number<std::int64_t>(setting.get(Settings{})).value_or(0));
      break;
    case SettingType::choice:
      out.set("enum", Json::array_of(setting.choices));
      break;
    case SettingType::text:
    case SettingType::time:
    case SettingType::size:
      out.set("type", "string");
      break;
  }
  return out;
}

/// The file to read, and whether somebody named it.
std::pair<std::string, bool> chosen_file(const std::string& file,
                                         const std::vector<std::string>& environment) {
  std::string path = file;
  if (path.empty()) path = variable(environment, "CAIRN_CONFIG").value_or("");
  if (path.empty()) return {std::string(default_file), false};
  return {std::move(path), true};
}

/// True where only this machine reaches the address.
bool is_loopback(std::string_view address) {
  const std::string_view host = address.substr(0, address.rfind(':'));
  return host == "localhost" || host.starts_with("127.") || host == "[::1]";
}

Status check_listener(std::string_view key, const std::string& address,
                      const std::string& client_authority, const Settings& settings) {
  net::ServerOptions options = settings.http;
  options.listen = address;
  options.tls.client_authority_file = client_authority;
  const Status valid = options.validate();
  if (!valid.ok()) return with_context(valid.error(), key);
  const auto parsed = net::parse_host_port(address);
  if (!parsed.ok()) return with_context(parsed.error(), key);
  if (is_loopback(address) || options.tls.enabled() || settings.allow_plaintext)
    return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message = std::string(key) + ": " + address +
                          " is reached from other machines, and keys would pass in clear: set "
                          "tls.certificate and tls.key, or listen.allow_plaintext to true"};
}

/// Where the audit log is shipped to.
Status check_audit_ship(const Settings& settings) {
  if (settings.audit_ship_to.empty()) return ok_status();
  if (!settings.audit)
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "audit.ship.to has nothing to ship: audit.enabled is false"};
  const auto place = parse_bucket_place(settings.audit_ship_to, settings.s3_clients);
  if (place.ok()) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "audit.ship.to: [" + settings.audit_ship_to + "] " +
                          place.error().message +
                          "; it is a bucket (s3://bucket/prefix, s3://CLIENT@bucket/prefix with a "
                          "client of s3.client)"};
}

}  // namespace

Status check_settings(const Settings& settings) {
  CAIRN_CHECK(
      check_listener("listen.api", settings.listen_api, settings.api_client_authority, settings));
  CAIRN_CHECK(check_listener("listen.objects", settings.listen_objects,
                             settings.objects_client_authority, settings));
  if (settings.test_routes || settings.test_identities)
    for (const auto& address : {settings.listen_api, settings.listen_objects})
      if (!is_loopback(address))
        return Error{.kind = ErrorKind::invalid_argument,
                     .message =
                         "--test-routes and --test-identities are for tests: they need "
                         "listeners on a loopback address, and " +
                         address + " is none"};
  if (const Status framed = console::check_frame_ancestors(settings.search_frame_ancestors);
      !framed.ok())
    return with_context(framed.error(), "search_page.frame_ancestors");
  if (!settings.store_url.empty()) {
    const auto place = remotestore::parse_place(settings.store_url);
    if (!place.ok()) return with_context(place.error(), "store.url");
    if (const auto listen = net::parse_host_port(settings.node_listen); !listen.ok())
      return with_context(listen.error(), "node.listen");
  }
  if (settings.node_lease_ms < 2'000 || settings.node_lease_ms > 300'000)
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "node.lease must be from 2s to 5m"};
  if (const auto rules = repository_endpoints(settings.allowed_endpoints); !rules.ok())
    return with_context(rules.error(), "repositories.s3.allowed_endpoints");
  CAIRN_CHECK(check_master_key_commands(settings.master_key));
  CAIRN_CHECK(check_mirror_settings(settings));
  CAIRN_CHECK(check_backup_settings(settings.backup, settings.data_dir));
  if (!settings.mirror_dir.empty())
    CAIRN_CHECK(check_backup_settings(settings.backup, settings.mirror_dir));
  CAIRN_CHECK(check_model_sources(settings.model_sources, settings.s3_clients));
  CAIRN_CHECK(settings.api.validate());
  CAIRN_CHECK(settings.traces.validate());
  CAIRN_CHECK(check_sign_in_settings(settings));
  CAIRN_CHECK(settings.auth.validate());
  CAIRN_CHECK(settings.audit_log.validate());
  CAIRN_CHECK(check_audit_ship(settings));
  CAIRN_CHECK(settings.messages.validate());
  CAIRN_CHECK(settings.inference.validate());
  CAIRN_CHECK(settings.large_files.validate());
  CAIRN_CHECK(settings.upkeep.validate());
  CAIRN_CHECK(settings.tasks.validate());
  return settings.objects.validate();
}

Status apply(LoadedSettings& into, const std::vector<GivenSetting>& given) {
  for (const auto& one : given) {
    if (!one.path.empty() || limit_path(one.key)) {
      CAIRN_CHECK(set_limit(into, one));
      continue;
    }
    if (is_s3_client_setting(one.key)) {
      CAIRN_CHECK(set_s3_client(into.settings.s3_clients, one.key, one.text, one.origin));
      into.origins[one.key] = one.origin;
      continue;
    }
    const Setting* setting = find_setting(one.key);
    if (setting == nullptr) return unknown(one);
    const Status set = setting->set(into.settings, one.text);
    if (!set.ok())
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = one.origin + ": " + one.key + " cannot be \"" + one.text +
                              "\": " + set.error().message};
    into.origins[one.key] = one.origin;
  }
  return ok_status();
}

std::vector<GivenSetting> settings_of_environment(const std::vector<std::string>& environment) {
  std::vector<GivenSetting> out;
  for (const auto& entry : environment) {
    const auto equals = entry.find('=');
    if (!entry.starts_with("CAIRN_") || equals == std::string::npos) continue;
    const std::string name = entry.substr(0, equals);
    if (name.find("__") == std::string::npos) continue;
    std::string key = lower_ascii(name.substr(6));
    for (auto at = key.find("__"); at != std::string::npos; at = key.find("__", at + 1))
      key.replace(at, 2, ".");
    out.push_back({.key = key, .text = entry.substr(equals + 1), .origin = name});
  }
  return out;
}

Status check_environment(const std::vector<std::string>& environment) {
  const auto isa = variable(environment, "CAIRN_ISA");
  if (isa && !os::is_instruction_set(*isa)) {
    return Error{
        .kind = ErrorKind::invalid_argument,
        .message = "CAIRN_ISA is \"" + *isa + "\": it must be scalar, avx2, avx512 or amx"};
  }
  for (const auto& entry : environment) {
    const std::string name = entry.substr(0, entry.find('='));
    if (!name.starts_with("CAIRN_") || name.find("__") != std::string::npos) continue;
    std::string key = lower_ascii(name.substr(6));
    std::replace(key.begin(), key.end(), '_', '.');
    for (const auto& setting : setting_table()) {
      std::string known = setting.key;
      std::replace(known.begin(), known.end(), '_', '.');
      if (known != key) continue;
      std::string meant = setting.key;
      for (auto at = meant.find('.'); at != std::string::npos; at = meant.find('.', at + 2))
        meant.replace(at, 1, "__");
      for (char& c : meant) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = name +
                              " is no setting: two underscores stand between a section "
                              "and its key. Did you mean CAIRN_" +
                              meant + "?"};
    }
  }
  return ok_status();
}

std::string passed_over_file(const SettingsSources& sources) {
  constexpr const char* working_file = "cairn.yaml";
  const auto [path, asked_for] = chosen_file(sources.file, sources.environment);
  if (asked_for || !os::system_files().info(working_file).ok()) return {};
  return working_file;
}

Result<std::vector<std::string>> settings_files(const std::string& file,
                                                const std::vector<std::string>& environment) {
  std::vector<std::string> out = {chosen_file(file, environment).first};
  CAIRN_TRY(auto more, drop_ins(out.front()));
  for (auto& one : more) out.push_back(std::move(one));
  return out;
}

std::string drop_in_folder(const std::string& file, const std::vector<std::string>& environment) {
  std::string folder = folder_beside(chosen_file(file, environment).first);
  const auto here = os::real_path(".");
  return folder.starts_with('/') || !here.ok() ? std::move(folder) : *here + "/" + folder;
}

std::string state_of(const std::vector<std::string>& files) {
  std::string out;
  for (const auto& each : files) {
    const auto info = os::system_files().info(each);
    out += each + "\n";
    if (info.ok())
      out += std::to_string(info->modified_ns) + " " + std::to_string(info->size_bytes) + " " +
             std::to_string(info->id) + "\n";
  }
  return out;
}

std::string state_of_files(const std::string& file, const std::vector<std::string>& environment) {
  const auto files = settings_files(file, environment);
  return files.ok() ? state_of(*files) : files.error().message;
}

Result<LoadedSettings> load_settings(const std::string& file,
                                     const std::vector<std::string>& environment,
                                     const std::vector<GivenSetting>& flags, TestFlags test) {
  LoadedSettings out;
  // Before they are read: who compares later sees a change that came meanwhile.
  out.files = state_of_files(file, environment);
  for (const auto& setting : setting_table()) out.origins[setting.key] = "default";
  const auto [path, asked_for] = chosen_file(file, environment);
  const bool is_there = asked_for || os::system_files().info(path).ok();
  CAIRN_TRY(const auto files, settings_files(file, environment));
  out.settings.files = files;
  for (const auto& one : files)
    if (is_there || one != path) CAIRN_CHECK(apply_file(out, one));
  CAIRN_CHECK(check_environment(environment));
  CAIRN_CHECK(app::apply(out, settings_of_environment(environment)));
  CAIRN_CHECK(app::apply(out, flags));
  out.settings.console_folder = variable(environment, "CAIRN_CONSOLE_DIR").value_or("");
  out.settings.test_routes = test.routes;
  out.settings.test_identities = test.identities;
  CAIRN_TRY(auto policy, policy_of(out, test.identities));
  out.settings.limits = std::make_shared<const ratelimit::Policy>(std::move(policy));
  CAIRN_CHECK(check_settings(out.settings));
  return out;
}

Result<LoadedSettings> load_settings(const SettingsSources& sources) {
  return load_settings(sources.file, sources.environment, sources.flags, sources.test);
}

std::size_t index_cache_of(const Settings& settings, std::uint64_t available_bytes) {
  if (settings.index_cache_bytes > 0) return settings.index_cache_bytes;
  constexpr std::uint64_t least = 64ull << 20, most = 4ull << 30;
  const std::uint64_t share =
      settings.memory_bytes > 0 ? settings.memory_bytes / 8 : available_bytes / 16;
  return static_cast<std::size_t>(std::clamp(share, least, most));
}

Json settings_schema() {
  Json root = Json::object({{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                            {"title", "cairn.yaml"},
                            {"type", "object"},
                            {"additionalProperties", false},
                            {"properties", Json::object()}});
  for (const auto& setting : setting_table()) {
    Json* at = root.find("properties");
    const auto parts = split(setting.key, '.');
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      if (at->find(parts[i]) == nullptr)
        at->set(parts[i], Json::object({{"type", "object"},
                                        {"additionalProperties", false},
                                        {"properties", Json::object()}}));
      at = at->find(parts[i])->find("properties");
    }
    at->set(parts.back(), schema_of(setting));
  }
  Json* top = root.find("properties");
  top->set("s3", s3_client_schema());
  top->set("rate_limit", limit_schema());
  for (const auto* fixture : {"tokens", "oauth_apps"})
    top->set(fixture, *top->find("rate_limit")->find("properties")->find(fixture));
  return root;
}

}  // namespace cairn::app
