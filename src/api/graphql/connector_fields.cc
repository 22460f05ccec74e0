// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/rest.h"
#include "api/graphql/type_resolvers.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

void pass_on(const graphql::FieldCall& field, std::string_view argument, std::string_view parameter,
             Target& target) {
  const Json* const value = field.arguments.find(argument);
  if (value == nullptr || value->is_null()) return;
  if (value->is_string()) {
    target.set(parameter, value->as_string());
    return;
  }
  std::vector<std::string> names;
  for (const Json& one : value->as_array()) names.push_back(one.as_string());
  target.set(parameter, join(names, ","));
}

/// A page of a list of connectors or jobs.
Result<Json> page_of_results(const graphql::FieldCall& field, const Target& list,
                             std::string_view type) {
  return page_of_windows(field, [&](std::int64_t from, std::int64_t size) -> Result<Window> {
    Target target = list;
    target.set("from", from).set("size", size);
    CAIRN_TRY(Json answer, ask(field, target));
    Window out{.items = {}, .total = answer.int_or("count")};
    if (Json* const results = answer.find("results"); results != nullptr && results->is_array())
      for (Json& one : results->as_array()) {
        const std::string id = one.string_or("id");
        out.items.push_back(as_node(std::move(one), type, id));
      }
    return out;
  });
}

Result<Json> resolve_connectors(const graphql::FieldCall& field) {
  Target target("/_connector");
  pass_on(field, "indexName", "index_name", target);
  pass_on(field, "serviceType", "service_type", target);
  pass_on(field, "query", "query", target);
  return page_of_results(field, target, "Connector");
}

Result<Json> resolve_jobs(const graphql::FieldCall& field, const std::string& connector) {
  Target target("/_connector/_sync_job");
  if (!connector.empty()) target.set("connector_id", connector);
  pass_on(field, "status", "status", target);
  return page_of_results(field, target, "SyncJob");
}

}  // namespace

Result<Json> resolve_connector(const graphql::FieldCall& field, const std::string& id) {
  CAIRN_TRY(Json answer, ask(field, Target("/_connector/" + Target::segment(id))));
  return as_node(std::move(answer), "Connector", id);
}

Result<Json> resolve_sync_job(const graphql::FieldCall& field, const std::string& id) {
  CAIRN_TRY(Json answer, ask(field, Target("/_connector/_sync_job/" + Target::segment(id))));
  return as_node(std::move(answer), "SyncJob", id);
}

Status bind_connector_fields(graphql::Schema& schema) {
  CAIRN_CHECK(schema.bind("Query", "connector", [](const graphql::FieldCall& field) {
    return resolve_connector(field, field.arguments.string_or("id"));
  }));
  CAIRN_CHECK(schema.bind("Query", "connectors", resolve_connectors));
  CAIRN_CHECK(schema.bind("Query", "syncJob", [](const graphql::FieldCall& field) {
    return resolve_sync_job(field, field.arguments.string_or("id"));
  }));
  CAIRN_CHECK(schema.bind("Query", "syncJobs", [](const graphql::FieldCall& field) {
    return resolve_jobs(field, field.arguments.string_or("connectorId"));
  }));
  CAIRN_CHECK(schema.bind("Connector", "syncJobs", [](const graphql::FieldCall& field) {
    return resolve_jobs(field, field.source.string_or("id_"));
  }));
  CAIRN_CHECK(
      schema.bind("Connector", "index", [](const graphql::FieldCall& field) -> Result<Json> {
        const std::string name = field.source.string_or("index_name");
        return name.empty() ? Result<Json>(Json()) : resolve_index(field, name);
      }));
  return schema.bind("SyncJob", "connector", [](const graphql::FieldCall& field) -> Result<Json> {
    const Json* const id = field.source.find_path("connector.id");
    if (id == nullptr || !id->is_string()) return Json();
    return resolve_connector(field, id->as_string());
  });
}

}  // namespace cairn::api
