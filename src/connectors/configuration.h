// SPDX-License-Identifier: Apache-2.0
// The configuration of a connector: entries with a type, a label and a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::connectors {

/// How an entry is shown and what it may hold. `options`: the values of a drop-down list.
struct EntryParams {
  std::string_view label;
  std::string_view type = "str";  // str, int, bool, list
  std::string_view tooltip = {};
  Json value = {};  // from the start; null: none
  int order = 1;
  bool required = false;
  bool sensitive = false;
  std::vector<std::string> options = {};
};

/// An entry of a schema with every member that the protocol knows.
Json configuration_entry(EntryParams params);

/// The value of an entry: its `value`, or its `default_value`. Null where there is none.
const Json& configured(const Json& configuration, std::string_view field);

/// Values by their type; an absent one is the fallback. Errors: invalid_argument, with the field,
/// for a value of another type; for a number below `least` or above `most`.
Result<std::string> configured_text(const Json& configuration, std::string_view field,
                                    std::string_view fallback = {});
Result<std::string> required_text(const Json& configuration, std::string_view field,
                                  std::string_view what);
Result<std::int64_t> configured_number(const Json& configuration, std::string_view field,
                                       std::int64_t fallback, std::int64_t least,
                                       std::int64_t most);
Result<bool> configured_flag(const Json& configuration, std::string_view field, bool fallback);
/// A list of strings, or one string with commas.
Result<std::vector<std::string>> configured_list(const Json& configuration, std::string_view field);

/// How many items may fail before a run ends with an error. Every kind of source has the entry.
inline constexpr std::string_view error_budget_field = "error_budget";
inline constexpr std::int64_t error_budget_default = 1000;
Json error_budget_entry(int order);
Result<std::int64_t> error_budget_of(const Json& configuration);

/// Whether rows of tables, lines of NDJSON and elements of JSON lists are documents: `rows` is
/// `file` or `document`. For sources of files.
inline constexpr std::string_view rows_field = "rows";
Json rows_entry(int order);
Result<bool> rows_are_documents(const Json& configuration);

}  // namespace cairn::connectors
