// SPDX-License-Identifier: Apache-2.0
// Who asks, what is left, what runs, and things by their global ids.
#include "api/graphql/rest.h"
#include "api/graphql/type_resolvers.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

Result<Json> resolve_rate_limit(const graphql::FieldCall& field) {
  const GraphqlHost& host = host_of(field);
  const auto window = host.call().window();
  if (!window) return Json();
  return Json::object({{"limit", window->limit},
                       {"cost", host.weight().cost()},
                       {"remaining", window->remaining},
                       {"used", window->used},
                       {"resetAt", window->reset_s * 1'000},
                       {"nodeCount", host.weight().nodes}});
}

Result<Json> resolve_limits(const graphql::FieldCall& field) {
  CAIRN_TRY(const Json answer, ask(field, Target("/rate_limit")));
  Json out = Json::array();
  if (const Json* const resources = answer.find("resources"))
    for (const auto& [name, window] : resources->as_object()) {
      Json one = window;
      one.set("resource", name);
      one.set("resetAt", window.int_or("reset") * 1'000);
      out.push(std::move(one));
    }
  return out;
}

Result<Json> resolve_viewer(const graphql::FieldCall& field) {
  return ask(field, Target("/_security/_authenticate"));
}

Result<Json> resolve_node(const graphql::FieldCall& field) {
  using Resolve = Result<Json> (*)(const graphql::FieldCall&, const std::string&);
  static constexpr std::pair<std::string_view, Resolve> types[] = {
      {"Index", resolve_index},           {"Connector", resolve_connector},
      {"SyncJob", resolve_sync_job},      {"InferenceEndpoint", resolve_inference_endpoint},
      {"Repository", resolve_repository}, {"ApiKey", resolve_api_key},
  };
  const std::string text = field.arguments.string_or("id");
  CAIRN_TRY(const GlobalId id, read_global_id(text));
  for (const auto& [type, resolve] : types)
    if (type == id.type) return resolve(field, id.id);
  return read_global_id("").error();
}

Result<Json> resolve_tasks(const graphql::FieldCall& field) {
  Target target("/_tasks");
  target.set("group_by", "none").set("detailed", "true");
  if (const Json* const actions = field.arguments.find("actions"); actions && actions->is_array()) {
    std::vector<std::string> names;
    for (const Json& one : actions->as_array()) names.push_back(one.as_string());
    target.set("actions", join(names, ","));
  }
  CAIRN_TRY(Json answer, ask(field, target));
  Json* const tasks = answer.find("tasks");
  if (tasks == nullptr || !tasks->is_array()) return page_of_list(field, {}, {});
  for (Json& one : tasks->as_array())
    one.set("task_id", one.string_or("node") + ":" + std::to_string(one.int_or("id")));
  return page_of_list(field, std::move(tasks->as_array()),
                      [](const Json& one) { return one.string_or("task_id"); });
}

}  // namespace

Status bind_server_fields(graphql::Schema& schema) {
  CAIRN_CHECK(schema.bind("Query", "rateLimit", resolve_rate_limit));
  CAIRN_CHECK(schema.bind("Query", "limits", resolve_limits));
  CAIRN_CHECK(schema.bind("Query", "viewer", resolve_viewer));
  CAIRN_CHECK(schema.bind("Query", "node", resolve_node));
  return schema.bind("Query", "tasks", resolve_tasks);
}

}  // namespace cairn::api
