// SPDX-License-Identifier: Apache-2.0
// Tables for people about indices: the indices, their documents, shards, segments and templates.
#pragma once

#include "api/router.h"
#include "api/routes/cluster/system_routes.h"
#include "index/indices.h"
#include "os/clock.h"
#include "search/service.h"

namespace cairn::api {

/// The references outlive the router.
struct CatServices {
  ServiceRef<const index::Indices> indices;
  const ServerFacts& facts;
  const ServerSources& sources;
};

/// `clock` outlives the router.
void add_cat_routes(Router& router, const CatServices& services,
                    ServiceRef<search::Service> search, const os::Clock& clock);

void add_cat_template_routes(Router& router, ServiceRef<const index::Indices> indices);

}  // namespace cairn::api
