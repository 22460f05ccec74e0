// SPDX-License-Identifier: Apache-2.0
// The settings of one index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::index {

/// Brings settings into one form: nested below "index", every scalar a text. Accepts them flat
/// ("index.refresh_interval"), nested, and with or without "index".
/// Errors: illegal_argument_exception for unknown ones and for values that cannot be.
Result<Json> normalise_settings(const Json& given);

/// `base` with `change` (both normalised) merged in; null values take a setting away.
/// Errors: illegal_argument_exception for settings that cannot change.
Result<Json> change_settings(const Json& base, const Json& change);

/// Settings with the defaults that are shown.
Json shown_settings(const Json& settings, const std::string& name, const std::string& uuid,
                    std::int64_t created_ms);

/// The text of a setting by its dotted name below "index"; nothing where it is not set.
std::optional<std::string> setting(const Json& settings, std::string_view name);

/// The same of a setting that may be a list; empty where it is not set.
std::vector<std::string> setting_list(const Json& settings, std::string_view name);

/// What may be changed, each with all before it.
enum class Change { documents, mapping, removal };
/// Why it may not, where a block of the settings forbids it: cluster_block_exception.
std::optional<Error> blocked(const Json& settings, const std::string& index, Change change);

/// refresh_interval in milliseconds: nothing where it was not set by hand; -1 for never.
std::optional<std::int64_t> refresh_interval_ms(const Json& settings);

}  // namespace cairn::index
