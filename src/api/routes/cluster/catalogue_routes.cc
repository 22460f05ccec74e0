// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/catalogue_routes.h"

#include <algorithm>
#include <memory>

#include "base/strings.h"

namespace cairn::api {
namespace {

Json privileges_of(const gate::Route& route) {
  Json out = Json::object();
  if (route.open) return out;
  if (!route.cluster.empty()) out.set("cluster", Json::array_of(route.cluster));
  if (!route.index_privilege.empty()) {
    out.set("index", route.index_privilege);
    if (!route.fixed_index.empty()) out.set("on", route.fixed_index);
  }
  return out;
}

Json schema_of(const gate::Parameter& parameter) {
  const auto& type = parameter.type;
  if (type == "boolean" || type == "integer" || type == "number")
    return Json::object({{"type", type}});
  if (type == "list")
    return Json::object({{"type", "array"}, {"items", Json::object({{"type", "string"}})}});
  if (type == "time")
    return Json::object(
        {{"type", "string"}, {"pattern", "^(-1|0|[0-9]+(nanos|micros|ms|s|m|h|d))$"}});
  return Json::object({{"type", "string"}});
}

Json query_parameter(const gate::Parameter& parameter) {
  Json out = Json::object({{"name", parameter.name}, {"in", "query"}});
  if (!parameter.description.empty()) out.set("description", parameter.description);
  if (parameter.type == "list") out.set("explode", false);
  out.set("schema", schema_of(parameter));
  return out;
}

Json path_parameters(const std::string& path) {
  Json out = Json::array();
  for (const auto segment : split(path, '/')) {
    if (segment.size() < 3 || segment.front() != '{') continue;
    const std::string_view name = segment.substr(1, segment.size() - 2);
    Json one = Json::object({{"name", name},
                             {"in", "path"},
                             {"required", true},
                             {"schema", Json::object({{"type", "string"}})}});
    if (name == "index")
      one.set("description",
              "Names of indices. .objects-journal-BUCKET and .objects-inventory-BUCKET are the "
              "tables of a bucket: read-only, and matched only by patterns that begin with a dot.");
    out.push(std::move(one));
  }
  return out;
}

Json json_content(Json schema, bool ndjson = false) {
  return Json::object({{ndjson ? "application/x-ndjson" : "application/json",
                        Json::object({{"schema", std::move(schema)}})}});
}

Json operation_of(const gate::Route& route, const std::string& operation_id) {
  Json parameters = path_parameters(route.path);
  for (const auto& parameter : route.query) parameters.push(query_parameter(parameter));
  for (const auto* name : {"pretty", "human", "filter_path", "error_trace", "format"})
    parameters.push(Json::object({{"$ref", std::string("#/components/parameters/") + name}}));
  const std::string tag = route.operation.substr(0, route.operation.find('.'));
  Json out = Json::object({{"operationId", operation_id},
                           {"tags", Json::array({tag})},
                           {"summary", route.summary},
                           {"parameters", std::move(parameters)}});
  const bool may_have_body =
      route.method != "GET" && route.method != "HEAD" && route.method != "DELETE";
  if (route.body_required || may_have_body)
    out.set("requestBody",
            Json::object(
                {{"required", route.body_required},
                 {"content", json_content(Json::object({{"type", "object"}}), route.ndjson)}}));
  const Json fault = Json::object(
      {{"description", "An error."},
       {"content", json_content(Json::object({{"$ref", "#/components/schemas/Error"}}))}});
  out.set("responses",
          Json::object({{"200", Json::object({{"description", "Done."}})}, {"default", fault}}));
  if (route.open) out.set("security", Json::array());
  out.set("x-state",
          route.stability == gate::Stability::stable
              ? "Generally available; added in " + route.since
              : std::string(route.stability == gate::Stability::beta ? "Beta; added in "
                                                                     : "Experimental; added in ") +
                    route.since);
  out.set("x-cairn", Json::object({{"operation", route.operation},
                                   {"privileges", privileges_of(route)},
                                   {"resource", route.resource},
                                   {"surface", ratelimit::name_of(route.surface)},
                                   {"points", gate::usual_points(route)},
                                   {"reads", gate::reads_only(route)},
                                   {"content", route.content},
                                   {"public", route.public_data},
                                   {"stability", gate::name_of(route.stability)},
                                   {"since", route.since}}));
  return out;
}

Json components() {
  const auto flag = [](const char* name, const char* text) {
    return Json::object({{"name", name},
                         {"in", "query"},
                         {"description", text},
                         {"schema", Json::object({{"type", "boolean"}})}});
  };
  Json parameters = Json::object(
      {{"pretty", flag("pretty", "Indents the reply.")},
       {"human", flag("human", "Adds sizes and times in words beside the numbers.")},
       {"error_trace", flag("error_trace", "Adds stack_trace to errors.")},
       {"filter_path",
        Json::object({{"name", "filter_path"},
                      {"in", "query"},
                      {"description", "Paths of the reply to send; * and **, - leaves out."},
                      {"schema", Json::object({{"type", "string"}})}})},
       {"format",
        Json::object({{"name", "format"},
                      {"in", "query"},
                      {"schema", Json::object({{"type", "string"},
                                               {"enum", Json::array({"json", "yaml"})}})}})}});
  Json cause =
      Json::object({{"type", "object"},
                    {"properties", Json::object({{"type", Json::object({{"type", "string"}})},
                                                 {"reason", Json::object({{"type", "string"}})}})},
                    {"additionalProperties", true}});
  Json error = Json::object(
      {{"type", "object"},
       {"properties",
        Json::object({{"error", cause}, {"status", Json::object({{"type", "integer"}})}})}});
  Json key = Json::object({{"type", "apiKey"},
                           {"in", "header"},
                           {"name", "Authorization"},
                           {"description", "ApiKey followed by the encoded form of a key."}});
  return Json::object({{"parameters", std::move(parameters)},
                       {"schemas", Json::object({{"Error", std::move(error)}})},
                       {"securitySchemes", Json::object({{"ApiKey", std::move(key)}})}});
}

/// Whether a path, asked for or written as in the table, is one of a row.
bool fits_path(std::string_view row, std::string_view path) {
  const auto there = split(row, '/'), here = split(path, '/');
  if (there.size() != here.size()) return false;
  for (std::size_t i = 0; i < there.size(); ++i) {
    const bool open = there[i].starts_with('{') && !here[i].empty();
    if (!open && there[i] != here[i]) return false;
  }
  return true;
}

bool takes_parameter(const gate::Route& route, std::string_view name) {
  static constexpr std::string_view general[] = {"pretty", "human", "filter_path", "error_trace",
                                                 "format"};
  const auto same = [&](const gate::Parameter& one) { return one.name == name; };
  return std::find(std::begin(general), std::end(general), name) != std::end(general) ||
         std::any_of(route.query.begin(), route.query.end(), same);
}

/// GET /_capabilities: whether a row takes a method, a path and parameters. Capabilities by names
/// of their own, which routes of the field's engine have, no row has.
Result<Reply> route_capabilities(const Call& call, const std::vector<gate::Route>& rows,
                                 const ServerFacts& facts) {
  const std::string method = call.query("method").value_or("GET");
  const std::string path = call.query("path").value_or("/");
  const auto parameters = call.list("parameters");
  const auto serves = [&](const gate::Route& row) {
    const bool answers = row.method == method || (method == "HEAD" && row.method == "GET");
    return answers && fits_path(row.path, path) &&
           std::all_of(parameters.begin(), parameters.end(),
                       [&](const std::string& name) { return takes_parameter(row, name); });
  };
  const bool supported =
      call.list("capabilities").empty() && std::any_of(rows.begin(), rows.end(), serves);
  return Reply::json(
      Json::object({{"_nodes", Json::object({{"total", 1}, {"successful", 1}, {"failed", 0}})},
                    {"cluster_name", facts.cluster_name},
                    {"supported", supported}}));
}

}  // namespace

Json route_list(const std::vector<gate::Route>& routes) {
  Json rows = Json::array();
  for (const auto& route : routes) {
    Json query = Json::array();
    for (const auto& parameter : route.query) query.push(parameter.name);
    rows.push(Json::object({{"method", route.method},
                            {"path", route.path},
                            {"operation", route.operation},
                            {"open", route.open},
                            {"privileges", privileges_of(route)},
                            {"resource", route.resource},
                            {"surface", ratelimit::name_of(route.surface)},
                            {"points", gate::usual_points(route)},
                            {"reads", gate::reads_only(route)},
                            {"content", route.content},
                            {"public", route.public_data},
                            {"stability", gate::name_of(route.stability)},
                            {"since", route.since},
                            {"query", std::move(query)},
                            {"summary", route.summary}}));
  }
  return Json::object({{"routes", std::move(rows)}});
}

Json openapi_document(const std::vector<gate::Route>& routes, const std::string& version,
                      const std::string& base_path) {
  Json paths = Json::object();
  std::vector<std::string> used;
  for (const auto& route : routes) {
    // Several paths may do one operation; ids must differ.
    std::string id = route.operation;
    for (int n = 2; std::find(used.begin(), used.end(), id) != used.end(); ++n)
      id = route.operation + "_" + std::to_string(n);
    used.push_back(id);
    Json* path = paths.find(route.path);
    if (path == nullptr) path = &paths.set(route.path, Json::object());
    path->set(lower_ascii(route.method), operation_of(route, id));
  }
  return Json::object(
      {{"openapi", "3.1.0"},
       {"info", Json::object({{"title", "Cairn"},
                              {"version", version},
                              {"description", "Search, inference and snapshots."},
                              {"license", Json::object({{"name", "Apache-2.0"},
                                                        {"identifier", "Apache-2.0"}})}})},
       {"servers", Json::array({Json::object({{"url", base_path.empty() ? "/" : base_path}})})},
       {"security", Json::array({Json::object({{"ApiKey", Json::array()}})})},
       {"paths", std::move(paths)},
       {"components", components()}});
}

void add_catalogue_routes(Router& router, const std::string& version, const Options& options,
                          const ServerFacts& facts) {
  const auto rows = std::make_shared<std::vector<gate::Route>>();
  const std::string base = options.base_path;
  router.add({.method = "GET",
              .path = "/_openapi.json",
              .operation = "openapi",
              .summary = "This table of operations as an OpenAPI document."},
             [rows, version, base](Call&) -> Result<Reply> {
               return Reply::json(openapi_document(*rows, version, base));
             });
  router.add({.method = "GET",
              .path = "/_cairn/routes",
              .operation = "cairn.routes",
              .summary = "This table of operations with privileges, points and stability."},
             [rows](Call&) -> Result<Reply> { return Reply::json(route_list(*rows)); });
  router.add({.method = "GET",
              .path = "/_capabilities",
              .operation = "capabilities",
              .cluster = {"monitor"},
              .since = "8.15.0",
              .query = {{"method", "string", "GET where absent."},
                        {"path", "string", "As it is asked for, or as the table has it."},
                        {"parameters", "list", "Parameters of the query."},
                        {"capabilities", "list", "Names of abilities: routes here have none."},
                        {"local_only", "boolean", "There is one node."},
                        {"timeout", "time", "There is one node."}},
              .summary = "Says whether a method, a path and parameters are answered."},
             [rows, &facts](Call& call) { return route_capabilities(call, *rows, facts); });
  *rows = router.routes();
}

}  // namespace cairn::api
