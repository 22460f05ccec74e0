// SPDX-License-Identifier: Apache-2.0
// Rows of searches that are made from templates, and of the templates that are kept.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "search/service.h"

namespace cairn::api {

/// The references outlive the router.
void add_search_template_routes(Router& router, ServiceRef<const index::Indices> indices,
                                ServiceRef<search::Service> service);

}  // namespace cairn::api
