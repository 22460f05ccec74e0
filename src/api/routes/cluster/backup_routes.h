// SPDX-License-Identifier: Apache-2.0
// Backups of all that the server keeps.
#pragma once

#include "api/router.h"
#include "backup/service.h"

namespace cairn::api {

/// POST, GET and DELETE /_cairn/backups. For administrators alone: a backup holds every secret.
void add_backup_routes(Router& router, ServiceRef<backup::Service> service);

}  // namespace cairn::api
