// SPDX-License-Identifier: Apache-2.0
// What `cairn top` shows: two looks at a server, and what happened between them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/connection.h"
#include "format/json.h"

namespace cairn::cli {

/// Of one operation on one port, since the server started.
struct OperationCounts {
  double requests = 0;
  double failures = 0;                   // answered with 5xx
  double refused = 0;                    // with 4xx
  double seconds = 0;                    // of all of them together
  std::map<double, double> within = {};  // how many took no longer than so many seconds
};

/// One look. What the key may not see, or the server does not have, is null.
struct TopLook {
  std::int64_t steady_ns = 0;
  std::map<std::pair<std::string, std::string>, OperationCounts> operations = {};  // surface, name
  double live = 0;                       // requests that are being answered
  Json info = {};                        // of GET /
  Json node = {};                        // of GET /_nodes/stats
  Json tasks = {};                       // of GET /_tasks
  Json jobs = {};                        // of GET /_connector/_sync_job
  Json identities = {};                  // of GET /_cairn/limits/_top
  std::vector<std::string> denied = {};  // what the key may not see
};

/// `before`: the look before this one, or null; what that did not get is not asked for again.
/// Errors: those of the connection; permission_denied where the key may see neither metrics nor the
/// node.
Result<TopLook> look_at_server(Connection& connection, const TopLook* before = nullptr);

/// The same as a value for programs and for the screen: "time", "server", "interval_seconds",
/// "requests", "operations" (those that were asked most between the looks first), "identities",
/// "tasks", "jobs", "memory", "disk", "cpu", "pool", "denied".
Json top_figures(const TopLook& before, const TopLook& now, std::int64_t now_ms);

}  // namespace cairn::cli
