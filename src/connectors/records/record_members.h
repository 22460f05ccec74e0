// SPDX-License-Identifier: Apache-2.0
// Members of a connector's record that several of its changes ask for.
#pragma once

#include <string_view>

#include "format/json.h"

namespace cairn::connectors {

/// Not shown: from when on the ticks of each schedule count.
inline constexpr std::string_view since_member = "scheduling_since";

/// Not shown: the ids of jobs whose tick was taken, until they are there.
inline constexpr std::string_view jobs_due_member = "scheduled_jobs";

inline bool is_deleted(const Json& record) { return record.bool_or("deleted"); }

/// False where the record has that value already.
inline bool set_if_other(Json& record, std::string_view name, const Json& value) {
  if (const Json* before = record.find(name); before != nullptr && *before == value) return false;
  record.set(name, value);
  return true;
}

}  // namespace cairn::connectors
