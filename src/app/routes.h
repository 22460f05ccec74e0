// SPDX-License-Identifier: Apache-2.0
// Which routes there are.
#pragma once

#include <vector>

#include "api/options.h"
#include "api/router.h"
#include "api/routes/system_routes.h"
#include "auth/accounts.h"
#include "auth/encryption_keys.h"
#include "auth/keys.h"
#include "auth/object_keys.h"
#include "connectors/service.h"
#include "gate/route.h"
#include "index/indices.h"
#include "inference/service.h"
#include "ingest/ingest.h"
#include "lfs/service.h"
#include "ratelimit/limiter.h"
#include "search/service.h"
#include "snapshots/service.h"

namespace cairn::app {

/// What the handlers work on; all of it outlives the router.
struct RouteServices {
  const api::ServerFacts& facts;
  const api::ServerSources& sources;
  const api::Options& options;
  auth::Keys& keys;
  auth::Accounts& accounts;
  auth::ObjectKeys& object_keys;
  auth::EncryptionKeys& encryption_keys;
  index::Indices& indices;
  ingest::Ingest& ingest;
  search::Service& search;
  inference::Service& inference;
  snapshots::Service& snapshots;
  connectors::Service& connectors;
  const lfs::Service& large_files;
  ratelimit::Limiter& limiter;
  bool test_routes = false;  // those below /_test
};

void add_all_routes(api::Router& router, const RouteServices& services);

/// The rows, without a server and without a data folder.
Result<std::vector<gate::Route>> all_routes(bool with_test_routes = false);

}  // namespace cairn::app
