// SPDX-License-Identifier: Apache-2.0
// Single documents: write, get, update, delete; and several gets at once.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "ingest/ingest.h"

namespace cairn::api {

/// The references outlive the router.
void add_document_routes(Router& router, ServiceRef<index::Indices> indices,
                         ServiceRef<ingest::Ingest> ingest);

}  // namespace cairn::api
