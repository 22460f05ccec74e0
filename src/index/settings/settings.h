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

/// The same of an index that is closed, where only the layout of its shards is for ever.
Result<Json> change_any_setting(const Json& base, const Json& change);

/// Settings with the defaults that are shown.
Json shown_settings(const Json& settings, const std::string& name, const std::string& uuid,
                    std::int64_t created_ms);

/// The text of a setting by its dotted name below "index"; nothing where it is not set.
std::optional<std::string> setting(const Json& settings, std::string_view name);

/// The same of a setting that may be a list; empty where it is not set.
std::vector<std::string> setting_list(const Json& settings, std::string_view name);

/// A setting that is a number: as it is set, else what holds where it is not.
std::uint64_t setting_number(const Json& settings, std::string_view name);

/// A setting that is a time, in milliseconds; nothing where it was not set. -1 is for ever.
std::optional<std::int64_t> setting_ms(const Json& settings, std::string_view name);

/// Refuses n-grams and shingles of sizes further apart than the settings allow:
/// illegal_argument_exception.
Status check_analysis_sizes(const Json& settings);

/// {"index": {...}} with what holds for settings that are not set.
Json default_settings(const Json& settings);

/// Those whose dotted names ("index.refresh_interval") a list of names and patterns with * has; all
/// where the list is empty.
Json settings_named(const Json& settings, const std::vector<std::string>& names);

/// One level of dotted names: {"index.refresh_interval": "5s"}.
Json flat_settings(const Json& settings);

/// What may be changed, each with all before it.
enum class Change { documents, mapping, removal };
/// Why it may not, where a block of the settings forbids it: cluster_block_exception.
std::optional<Error> blocked(const Json& settings, const std::string& index, Change change);

/// refresh_interval in milliseconds: nothing where it was not set by hand; -1 for never.
std::optional<std::int64_t> refresh_interval_ms(const Json& settings);

}  // namespace cairn::index
