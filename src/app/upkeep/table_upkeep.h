// SPDX-License-Identifier: Apache-2.0
// The tables of buckets, behind the requests: inventories are filled and kept up to date, rows of
// journals expire, searchable copies follow, and what is left of tables that are gone is removed.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "objectstore/engine.h"
#include "os/deadline.h"
#include "tables/tables.h"

namespace cairn::app {

/// One round over all buckets. Blocks. A bucket that fails is told in the log, and its inventory
/// says why. `copies` follow the tables; null: there are none. True where they have more to do by
/// now. Errors: cancelled and timeout.
Result<bool> keep_tables(objectstore::Engine& engine, tables::Tables* copies, std::int64_t now_ms,
                         const os::Deadline& deadline);

}  // namespace cairn::app
