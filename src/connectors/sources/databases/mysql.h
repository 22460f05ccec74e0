// SPDX-License-Identifier: Apache-2.0
// service_type "mysql": the rows of a table or of a query of MySQL or MariaDB, one document each.
#pragma once

#include <memory>

#include "connectors/outreach.h"
#include "connectors/source.h"

namespace cairn::connectors {

/// A server that `outreach` allows. Values: those of database_values.h, and `ssl_ca`. A walk over
/// everything sees one snapshot of the database; a walk over changes gives the rows whose cursor is
/// not below the greatest of the last walk, and no deletions.
std::unique_ptr<const SourceType> mysql_source(Outreach outreach);

}  // namespace cairn::connectors
