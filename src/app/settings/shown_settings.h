// SPDX-License-Identifier: Apache-2.0
// The settings that are in force, as who looks after the server may see them: without secrets.
#pragma once

#include <string>
#include <string_view>

#include "app/settings/settings.h"
#include "format/json.h"
#include "index/settings/cluster_settings.h"

namespace cairn::app {

/// A value whose secrets are masked: in addresses the password, whatever stands alone before the @
/// of one of http, and values of the query of one of http.
std::string without_secrets(std::string_view value);

/// True where a change is taken while the program runs.
bool is_taken_at_once(std::string_view key);

/// {"settings": […], "files": […]}: each setting of the table, of clients of S3 and of the limits,
/// with its value, default, origin and place. `in_use`: with the values and origins that are in
/// use, which `cluster` goes before.
Json shown_settings(const LoadedSettings& in_use, const index::ClusterValues& cluster);

}  // namespace cairn::app
