// SPDX-License-Identifier: Apache-2.0
// Waiting for a sync job of a server, with a bar.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/connection.h"
#include "format/json.h"

namespace cairn::cli {

/// The job when it has ended, however it did. While the server is away it waits for it to come back
/// and take the job up again, and says so. Errors: unavailable where it stays away for a minute;
/// what the server refuses.
Result<Json> follow_sync(Connection& connection, const std::string& job_id);

}  // namespace cairn::cli
