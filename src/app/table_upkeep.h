// SPDX-License-Identifier: Apache-2.0
// The tables of buckets, behind the requests: inventories are filled and kept up to date, rows of
// journals expire, and what is left of tables that are gone is removed.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "objectstore/engine.h"
#include "os/deadline.h"

namespace cairn::app {

/// One round over all buckets. Blocks. A bucket that fails is told in the log, and its inventory
/// says why. Errors: cancelled and timeout.
Status keep_tables(objectstore::Engine& engine, std::int64_t now_ms, const os::Deadline& deadline);

}  // namespace cairn::app
