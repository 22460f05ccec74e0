// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/graphql/object_requests.h"
#include "api/router.h"

namespace cairn::api {

/// POST /graphql, over the rows that are there already and the object storage.
void add_graphql_routes(Router& router, AskObjects objects = {});

}  // namespace cairn::api
