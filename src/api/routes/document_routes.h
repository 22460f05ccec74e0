// SPDX-License-Identifier: Apache-2.0
// Single documents: write, get, update, delete; and several gets at once.
#pragma once

#include "api/router.h"
#include "index/data_too_large.h"
#include "index/indices.h"
#include "ingest/ingest.h"
#include "search/service.h"

namespace cairn::api {

/// The references outlive the router. An `_mget` whose answer would be longer than
/// `answer_bytes_max` is refused.
void add_document_routes(Router& router, ServiceRef<index::Indices> indices,
                         ServiceRef<ingest::Ingest> ingest, ServiceRef<search::Service> search,
                         std::size_t answer_bytes_max = index::answer_bytes_max);

}  // namespace cairn::api
