// SPDX-License-Identifier: Apache-2.0
// The settings s3.client.<name>.*: how snapshot repositories of type s3 reach other clusters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::app {

struct S3Client {
  std::string endpoint = {};  // "http://host:port", or "host:port" with `protocol`
  std::string protocol = {};  // http or https; https where the endpoint does not say
  std::string region = {};
  std::optional<bool> path_style_access = {};
  std::optional<std::int64_t> read_timeout_ms = {};
  std::optional<std::int64_t> max_retries = {};
  // Of the environment or of the file of keys, never of the settings file.
  std::string access_key = {};
  std::string secret_key = {};
  std::string session_token = {};
};

using S3Clients = std::map<std::string, S3Client>;

/// True for "s3.client.default.endpoint" and its like.
bool is_s3_client_setting(std::string_view key);

/// Takes one setting. `origin` decides whether a secret may come from there. Errors:
/// invalid_argument: an unknown setting with the nearest one, a value that cannot be, a secret from
/// a file or a flag.
Status set_s3_client(S3Clients& clients, const std::string& key, const std::string& value,
                     const std::string& origin);

/// A setting that is set, as `config print` shows it.
struct S3ClientRow {
  std::string key;
  std::string value;  // of a secret: "(set)"
  std::string description;
  bool secret = false;
};
std::vector<S3ClientRow> s3_client_rows(const S3Clients& clients);

/// JSON Schema of the section s3.
Json s3_client_schema();

/// Adds the keys of KEYS_FOLDER/s3-clients.json, {"default": {"access_key": …, "secret_key": …}},
/// to those of the environment, which win. Read at each use, so that keys can be changed.
/// Errors: invalid_argument: no such JSON; permission_denied: others may read it.
Status add_s3_client_keys(S3Clients& clients, const std::string& keys_folder);

}  // namespace cairn::app
