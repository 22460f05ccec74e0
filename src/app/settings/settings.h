// SPDX-License-Identifier: Apache-2.0
// Every setting of the program: one table, from which file, environment and flags are read and the
// documentation and the schema are written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/events/options.h"
#include "api/options.h"
#include "app/settings/master_key_command.h"
#include "app/settings/message_options.h"
#include "app/settings/backup_settings.h"
#include "app/settings/s3_clients.h"
#include "app/settings/trace_options.h"
#include "app/settings/upkeep_options.h"
#include "auth/options.h"
#include "auth/sessions/sessions.h"
#include "auth/sign_in/code_flow.h"
#include "auth/sign_in/sign_in.h"
#include "base/result.h"
#include "connectors/options.h"
#include "format/json.h"
#include "gate/options.h"
#include "inference/options.h"
#include "inference/precision.h"
#include "lfs/options.h"
#include "net/options.h"
#include "objectstore/options.h"
#include "os/log.h"
#include "os/metrics.h"
#include "ratelimit/policy/policy.h"
#include "s3api/options.h"
#include "tasks/options.h"

namespace cairn::app {

/// What the rooms are built with.
struct Settings {
  std::string listen_api = "127.0.0.1:9200";
  std::string listen_objects = "127.0.0.1:9000";
  bool allow_plaintext = false;  // listen beyond this machine without TLS
  std::string data_dir = "/var/lib/cairn";
  std::string mirror_dir = {};  // the same on a second disk; empty: none
  std::uint64_t mirror_fill_bytes = 100ull << 20;  // in a second, read and written, of a filling
  std::string store_url = {};  // "s3://…"; empty: the engine in the data folder
  // Of a node that shares that store with others:
  std::string node_listen = "127.0.0.1:0";  // where those reach it
  std::string node_address = {};  // the host that they and clients are told; empty: where it listens
  std::int64_t node_weight = 1;   // its share of the work
  bool node_reads = true;   // it searches by itself while whoever serves is silent
  bool node_local_searches = false;  // it does so whoever serves, as with preference=_local
  bool node_local_inference = false;  // the same of calls of endpoints
  bool node_models = true;  // it runs models for the one that serves
  std::int64_t node_lease_ms = 10'000;  // how long it may be silent and keep what it owns
  std::vector<std::string> path_repo = {};
  BackupSettings backup = {};
  MasterKeyCommands master_key = {};
  S3Clients s3_clients = {};                        // of snapshot repositories
  std::vector<std::string> allowed_endpoints = {};  // that such a repository may name
  inference::Precision precision = inference::Precision::automatic;  // of encoders
  std::string models_dir = {};                  // of the shipped models; empty: beside the program
  std::vector<std::string> model_sources = {};  // where models come from that the store lacks
  os::LogLevel log_level = os::LogLevel::info;
  os::LogFormat log_format = os::LogFormat::automatic;
  std::int64_t shutdown_grace_ms = 10'000;
  net::ServerOptions http = {};  // of both listeners
  std::string api_client_authority = {}, objects_client_authority = {};
  api::Options api = {};
  api::EventOptions events = {};
  std::vector<std::string> search_frame_ancestors = {};  // pages that may frame the search page
  std::string search_page_key = {};  // id of the API key as which strangers search by it
  std::int64_t search_page_per_minute = 30;  // searches of one address
  auth::Options auth = {};
  bool audit = true;
  MessageOptions messages = {};
  auth::SignInOptions oidc = {};
  std::string oidc_keys_file = {}, oidc_roles_file = {};
  auth::CodeFlowOptions oidc_flow = {};
  std::string oidc_client_secret_file = {}, oidc_ca_file = {};
  auth::SessionOptions sessions = {};   // of the console
  std::string console_public_url = {};  // where browsers reach this server; empty: as they come
  gate::AuditOptions audit_log = {};    // without its folder
  std::string audit_ship_to = {};  // "s3://…": the bucket that gets a copy of it; empty: none
  std::int64_t audit_ship_interval_ms = 300'000;
  inference::Options inference = {};
  connectors::Options connectors = {};
  tasks::Options tasks = {};
  objectstore::EngineOptions engine = {};
  s3api::Options objects = {};
  UpkeepOptions upkeep = {};
  lfs::Options large_files = {};
  std::size_t index_cache_bytes = 0;  // 0: see index_cache_of()
  std::uint64_t index_merge_rate_bytes = 64u << 20;  // a second
  std::size_t metric_names_max = os::shown_names_default;
  std::size_t memory_bytes = 0;  // 0: nine tenths of what the machine has left at the start
  /// The section rate_limit; the published limits where it is absent. Never null once loaded.
  std::shared_ptr<const ratelimit::Policy> limits = {};

  TraceOptions traces = {};

  // Not settings of the file: where they came from, and flags of `serve`.
  std::vector<std::string> files = {};  // the file, whether it is there or not, and conf.d
  std::string ready_file = {};
  std::string console_folder = {};  // CAIRN_CONSOLE_DIR: its files, instead of those inside
  bool test_routes = false;      // the routes below /_test
  bool test_identities = false;  // tokens and oauth_apps of the section rate_limit count
};

enum class SettingType { text, list, zones, outposts, boolean, integer, time, size, choice };

/// One row of the table.
struct Setting {
  std::string key;  // "listen.api"
  SettingType type = SettingType::text;
  std::string description;
  std::vector<std::string> choices = {};
  std::function<Status(Settings&, const std::string& text)> set;
  std::function<std::string(const Settings&)> get;  // as it would stand in the file
  bool secret = false;  // may hold one: requests are not shown it
};

const std::vector<Setting>& setting_table();

/// Where a value came from: "default", "cairn.yaml:12", "CAIRN_LISTEN__API", "--data".
using Origins = std::map<std::string, std::string>;

struct LoadedSettings {
  Settings settings;
  Origins origins;
  Json rate_limit = Json::object();  // the section as it was given, from all sources
  std::string files;                 // state_of_files(), from before they were read
};

/// One value on its way in.
struct GivenSetting {
  std::string key;
  std::string text;  // lists separated by commas
  std::string origin;
  // Of the section rate_limit, which is a tree: where in it, and what. Names may hold dots.
  std::vector<std::string> path = {};
  std::optional<Json> value = {};
};

/// Applies values in order. Errors: invalid_argument with origin, key, what is wrong, and for an
/// unknown key the nearest known one.
Status apply(LoadedSettings& into, const std::vector<GivenSetting>& given);

/// The variables CAIRN_SECTION__KEY of an environment ("NAME=value" texts). Variables without "__"
/// are not settings; check_environment refuses those that look like one.
std::vector<GivenSetting> settings_of_environment(const std::vector<std::string>& environment);
/// Errors: invalid_argument for CAIRN_DATA_DIR and its like, which would be CAIRN_DATA__DIR.
Status check_environment(const std::vector<std::string>& environment);

/// A YAML file, flattened. Errors: not_found, invalid_argument with file and line.
Result<std::vector<GivenSetting>> settings_of_file(const std::string& path);

/// What single values cannot show: the limits of the rooms, and addresses that strangers reach,
/// which need TLS or listen.allow_plaintext. Errors: invalid_argument that names the setting.
Status check_settings(const Settings& settings);

/// What the flags --test-routes and --test-identities say.
struct TestFlags {
  bool routes = false;
  bool identities = false;
};

/// Defaults, file and conf.d, environment, flags; checked. `file`: --config, or empty.
Result<LoadedSettings> load_settings(const std::string& file,
                                     const std::vector<std::string>& environment,
                                     const std::vector<GivenSetting>& flags, TestFlags test = {});

/// The bytes of index.cache, worked out from what the machine has left where it is not set.
std::size_t index_cache_of(const Settings& settings, std::uint64_t available_bytes);

/// Where the settings of a running program came from, to read them again.
struct SettingsSources {
  std::string file = {};  // --config, or empty
  std::vector<std::string> environment = {};
  std::vector<GivenSetting> flags = {};
  TestFlags test = {};
};
Result<LoadedSettings> load_settings(const SettingsSources& sources);

/// A cairn.yaml in the working folder that nobody named, so that load_settings passes it over;
/// empty where there is none.
std::string passed_over_file(const SettingsSources& sources);

/// The files that load_settings reads, whether they are there or not: the file, and what lies in
/// conf.d beside it. Errors: those of reading the folder.
Result<std::vector<std::string>> settings_files(const std::string& file,
                                                const std::vector<std::string>& environment);

/// The absolute path of conf.d beside the file, whether it is there or not.
std::string drop_in_folder(const std::string& file, const std::vector<std::string>& environment);

/// A text that differs where one of these files came, went or changed.
std::string state_of(const std::vector<std::string>& files);
/// The same of the files of the settings.
std::string state_of_files(const std::string& file, const std::vector<std::string>& environment);

/// JSON Schema (2020-12) of the file, for editors.
Json settings_schema();

/// cairn.yaml(5), for man(1).
std::string settings_manual();

/// A cairn.yaml that has every setting of the table with its default, commented out.
std::string settings_example();

}  // namespace cairn::app
