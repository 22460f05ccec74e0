// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/rest.h"
#include "api/graphql/type_resolvers.h"

namespace cairn::api {
namespace {

Result<Json::Array> endpoints_at(const graphql::FieldCall& field, const std::string& path) {
  CAIRN_TRY(Json answer, ask(field, Target(path)));
  Json::Array out;
  if (Json* const endpoints = answer.find("endpoints"); endpoints && endpoints->is_array())
    for (Json& one : endpoints->as_array()) {
      const std::string id = one.string_or("inference_id");
      out.push_back(as_node(std::move(one), "InferenceEndpoint", id));
    }
  return out;
}

Result<Json> resolve_endpoints(const graphql::FieldCall& field) {
  CAIRN_TRY(auto all, endpoints_at(field, "/_inference/_all"));
  return page_of_list(field, std::move(all),
                      [](const Json& one) { return one.string_or("inference_id"); });
}

Result<Json> resolve_infer(const graphql::FieldCall& field) {
  Json body = Json::object({{"input", *field.arguments.find("input")}});
  if (const std::string query = field.arguments.string_or("query"); !query.empty())
    body.set("query", query);
  if (const Json* const settings = field.arguments.find("taskSettings");
      settings != nullptr && !settings->is_null())
    body.set("task_settings", *settings);
  return ask(field, "POST",
             Target("/_inference/" + Target::segment(field.arguments.string_or("endpoint"))), body);
}

Result<Json> resolve_models(const graphql::FieldCall& field) {
  CAIRN_TRY(Json answer, ask(field, Target("/_ml/trained_models").set("size", 10'000)));
  Json* const configs = answer.find("trained_model_configs");
  Json::Array all;
  if (configs != nullptr && configs->is_array())
    for (const Json& one : configs->as_array()) {
      Json model = one;
      model.set("config", one);
      all.push_back(std::move(model));
    }
  return page_of_list(field, std::move(all),
                      [](const Json& one) { return one.string_or("model_id"); });
}

}  // namespace

Result<Json> resolve_inference_endpoint(const graphql::FieldCall& field, const std::string& id) {
  CAIRN_TRY(auto found, endpoints_at(field, "/_inference/" + Target::segment(id)));
  if (found.empty())
    return Error{ErrorKind::not_found, "resource_not_found_exception",
                 "Inference endpoint not found [" + id + "]"};
  return std::move(found.front());
}

Status bind_inference_fields(graphql::Schema& schema) {
  CAIRN_CHECK(schema.bind("Query", "inferenceEndpoint", [](const graphql::FieldCall& field) {
    return resolve_inference_endpoint(field, field.arguments.string_or("id"));
  }));
  CAIRN_CHECK(schema.bind("Query", "inferenceEndpoints", resolve_endpoints));
  CAIRN_CHECK(schema.bind("Query", "infer", resolve_infer));
  return schema.bind("Query", "models", resolve_models);
}

}  // namespace cairn::api
