// SPDX-License-Identifier: Apache-2.0
// What resolves the fields of the types that are written by hand, a file a resource.
#pragma once

#include "api/graphql/object_requests.h"
#include "base/result.h"
#include "graphql/schema/schema.h"

namespace cairn::api {

// Each binds its fields. Errors: not_found, for a field that the schema does not have.
Status bind_server_fields(graphql::Schema& schema);     // viewer, limits, node, tasks
Status bind_index_fields(graphql::Schema& schema);      // indices and documents
Status bind_search_fields(graphql::Schema& schema);     // searches and their hits
Status bind_connector_fields(graphql::Schema& schema);  // connectors and sync jobs
Status bind_inference_fields(graphql::Schema& schema);  // endpoints and models
Status bind_snapshot_fields(graphql::Schema& schema);   // repositories and snapshots
Status bind_key_fields(graphql::Schema& schema);        // API keys and object accounts
/// Buckets and objects, through `ask`; empty: where only the rows are wanted.
Status bind_object_fields(graphql::Schema& schema, AskObjects ask);

// What node(id:) gives for each type: the same as the field that takes the thing's own id.
Result<Json> resolve_index(const graphql::FieldCall& field, const std::string& name);
Result<Json> resolve_connector(const graphql::FieldCall& field, const std::string& id);
Result<Json> resolve_sync_job(const graphql::FieldCall& field, const std::string& id);
Result<Json> resolve_inference_endpoint(const graphql::FieldCall& field, const std::string& id);
Result<Json> resolve_repository(const graphql::FieldCall& field, const std::string& name);
Result<Json> resolve_api_key(const graphql::FieldCall& field, const std::string& id);

}  // namespace cairn::api
