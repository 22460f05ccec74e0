// SPDX-License-Identifier: Apache-2.0
// service_type "postgresql": the rows of a table or of a query, one document each.
#pragma once

#include <memory>

#include "connectors/outreach.h"
#include "connectors/source.h"

namespace cairn::connectors {

/// A server that `outreach` allows. Values: `host`, `port`, `database`, `user`, `password`,
/// `sslmode`, `table` or `query`, `key`, `cursor`. A walk over everything sees one snapshot of the
/// database; a walk over changes gives the rows whose cursor is not below the greatest of the last
/// walk, and no deletions.
std::unique_ptr<const SourceType> postgres_source(Outreach outreach);

}  // namespace cairn::connectors
