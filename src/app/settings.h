// SPDX-License-Identifier: Apache-2.0
// Every setting of the program: one table, from which file, environment and flags are read and the
// documentation and the schema are written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/options.h"
#include "auth/options.h"
#include "base/result.h"
#include "connectors/options.h"
#include "format/json.h"
#include "gate/options.h"
#include "inference/options.h"
#include "net/options.h"
#include "objectstore/options.h"
#include "os/log.h"
#include "s3api/options.h"

namespace cairn::app {

/// What the rooms are built with.
struct Settings {
  std::string listen_api = "127.0.0.1:9200";
  std::string listen_objects = "127.0.0.1:9000";
  bool allow_plaintext = false;  // listen beyond this machine without TLS
  std::string data_dir = "/var/lib/cairn";
  std::vector<std::string> path_repo = {};
  std::string models_dir = {};  // of the shipped models; empty: beside the program
  os::LogLevel log_level = os::LogLevel::info;
  os::LogFormat log_format = os::LogFormat::automatic;
  std::int64_t shutdown_grace_ms = 60'000;
  net::ServerOptions http = {};
  api::Options api = {};
  auth::Options auth = {};
  bool audit = true;
  gate::AuditOptions audit_log = {};  // without its folder
  inference::Options inference = {};
  connectors::Options connectors = {};
  objectstore::EngineOptions engine = {};
  s3api::Options objects = {};
  std::size_t index_cache_bytes = 64u << 20;

  // Not settings of the file: flags of `serve`.
  std::string ready_file = {};
};

enum class SettingType { text, list, boolean, integer, time, size, choice };

/// One row of the table.
struct Setting {
  std::string key;  // "listen.api"
  SettingType type = SettingType::text;
  std::string description;
  std::vector<std::string> choices = {};
  std::function<Status(Settings&, const std::string& text)> set;
  std::function<std::string(const Settings&)> get;  // as it would stand in the file
};

const std::vector<Setting>& setting_table();

/// Where a value came from: "default", "cairn.yaml:12", "CAIRN_LISTEN__API", "--data".
using Origins = std::map<std::string, std::string>;

struct LoadedSettings {
  Settings settings;
  Origins origins;
};

/// One value on its way in.
struct GivenSetting {
  std::string key;
  std::string text;  // lists separated by commas
  std::string origin;
};

/// Applies values in order. Errors: invalid_argument with origin, key, what is wrong, and for an
/// unknown key the nearest known one.
Status apply(LoadedSettings& into, const std::vector<GivenSetting>& given);

/// The variables CAIRN_SECTION__KEY of an environment ("NAME=value" texts). Variables without "__"
/// are not settings.
std::vector<GivenSetting> settings_of_environment(const std::vector<std::string>& environment);

/// A YAML file, flattened. Errors: not_found, invalid_argument with file and line.
Result<std::vector<GivenSetting>> settings_of_file(const std::string& path);

/// What single values cannot show: the limits of the rooms, and addresses that strangers reach,
/// which need TLS or listen.allow_plaintext. Errors: invalid_argument that names the setting.
Status check_settings(const Settings& settings);

/// Defaults, file and conf.d, environment, flags; checked. `file`: --config, or empty.
Result<LoadedSettings> load_settings(const std::string& file,
                                     const std::vector<std::string>& environment,
                                     const std::vector<GivenSetting>& flags);

/// JSON Schema (2020-12) of the file, for editors.
Json settings_schema();

}  // namespace cairn::app
