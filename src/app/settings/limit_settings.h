// SPDX-License-Identifier: Apache-2.0
// The section `rate_limit` of the settings: a tree, unlike the others, which the policy reads
// whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings/settings.h"
#include "base/result.h"
#include "format/json.h"
#include "ratelimit/policy/policy.h"

namespace cairn::app {

/// Where in the section a dotted key points: "rate_limit.store.kind" is {"store", "kind"}, "tokens"
/// and "oauth_apps" stand for themselves. Nothing for keys of other sections.
std::optional<std::vector<std::string>> limit_path(std::string_view key);
/// The other way, for texts.
std::string limit_key(const std::vector<std::string>& path);

/// Puts one value into the section. A text (environment, --set) is read as JSON where it is JSON,
/// as a list where the policy wants one, else as text.
/// Errors: invalid_argument where a value is in the way of the path.
Status set_limit(LoadedSettings& into, const GivenSetting& given);

/// The policy of the collected section.
/// Errors: those of ratelimit::parse_policy, with the place of the value before them.
Result<ratelimit::Policy> policy_of(const LoadedSettings& loaded, bool with_fixtures);

/// One leaf of a policy as `config print` shows it, without secrets.
struct LimitRow {
  std::string key;
  std::string text;
};
std::vector<LimitRow> limit_rows(const ratelimit::Policy& policy);
/// Where the value of a row came from.
std::string limit_origin(const Origins& origins, const std::string& key);

/// JSON Schema of the section.
Json limit_schema();

}  // namespace cairn::app
