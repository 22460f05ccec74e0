// SPDX-License-Identifier: Apache-2.0
// Values of records that have a fixed set of names, or are dates.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "connectors/errors.h"
#include "format/time.h"

namespace cairn::connectors {

inline constexpr std::string_view job_types[] = {"full", "incremental", "access_control"};
inline constexpr std::string_view job_statuses[] = {"canceling",   "canceled", "completed", "error",
                                                    "in_progress", "pending",  "suspended"};
inline constexpr std::string_view trigger_methods[] = {"on_demand", "scheduled"};

/// Errors: illegal_argument_exception with the names that there are.
inline Status check_enum(std::string_view field, std::string_view value,
                         std::span<const std::string_view> known) {
  std::string names;
  for (const std::string_view name : known) {
    if (name == value) return ok_status();
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return bad_argument("Unknown [" + std::string(field) + "] value [" + std::string(value) +
                      "]; one of " + names);
}

/// A moment as ISO 8601. Errors: illegal_argument_exception.
inline Status check_moment(std::string_view field, std::string_view value) {
  if (parse_iso8601(value)) return ok_status();
  return bad_argument("[" + std::string(field) +
                      "] must be a date like 2026-01-31T08:05:09Z, not [" + std::string(value) +
                      "]");
}

}  // namespace cairn::connectors
