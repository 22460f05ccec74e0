// SPDX-License-Identifier: Apache-2.0
// The shared configuration files of S3 tools: ~/.aws/config and ~/.aws/credentials.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectclient/environment.h"

namespace cairn::objectclient {

/// Immutable. Source: the vendor's page "Configuration and credential file settings".
class Profiles {
 public:
  /// Both texts as they stand in the files. `[profile name]` and `[name]` mean the same profile;
  /// what the credentials file says wins, key by key.
  /// Errors: invalid_argument with file and line.
  static Result<Profiles> parse(std::string_view config, std::string_view credentials);
  /// The files that AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name, or those in the home
  /// directory. Files that do not exist are empty.
  static Result<Profiles> load(const Environment& environment);

  bool has(std::string_view profile) const;
  std::optional<std::string> value(std::string_view profile, std::string_view key) const;
  /// A key of the section [sso-session name].
  std::optional<std::string> sso_value(std::string_view session, std::string_view key) const;
  /// A key of one service in the [services name] that the profile chose.
  std::optional<std::string> service_value(std::string_view profile, std::string_view service,
                                           std::string_view key) const;

 private:
  using Section = std::map<std::string, std::string, std::less<>>;
  using Sections = std::map<std::string, Section, std::less<>>;
  Status read(std::string_view text, std::string_view file);
  static std::optional<std::string> find(const Sections& sections, std::string_view section,
                                         std::string_view key);
  Sections profiles_;
  Sections sso_sessions_;
  Sections services_;  // keys of services as "s3.endpoint_url"
};

}  // namespace cairn::objectclient
