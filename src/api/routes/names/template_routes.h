// SPDX-License-Identifier: Apache-2.0
// Index templates and component templates: kept, shown, tried.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "search/service.h"

namespace cairn::api {

/// Asked of each template before it is kept: whether searches can read the filters of its aliases.
/// Not to outlive the call.
index::CheckAliases alias_check(search::Service& search, const os::Deadline& deadline);

void add_template_routes(Router& router, ServiceRef<index::Indices> indices,
                         ServiceRef<search::Service> search);

}  // namespace cairn::api
