// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/catalogue_routes.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "api/openapi.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

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
                            {"privileges", shown_privileges(route)},
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

void add_catalogue_routes(Router& router, const std::string& version, const Options& options,
                          const ServerFacts& facts) {
  const auto rows = std::make_shared<std::vector<gate::Route>>();
  // The table is whole once requests come, and stays as it is.
  struct Rendered {
    std::once_flag once = {};
    std::string text = {};
  };
  const auto document = std::make_shared<Rendered>();
  const std::string base = options.base_path;
  router.add({.method = "GET",
              .path = "/_openapi.json",
              .operation = "openapi",
              .computes = true,
              .summary = "This table of operations as an OpenAPI document."},
             [rows, version, base, document](Call&) -> Result<Reply> {
               std::call_once(document->once, [&] {
                 document->text = openapi_document(*rows, version, base).dump();
               });
               return Reply::raw_json(document->text);
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
                        {"local_only", "boolean", "Accepted; one node knows all."},
                        {"timeout", "time", "Accepted; one node knows all."}},
              .summary = "Says whether a method, a path and parameters are answered."},
             [rows, &facts](Call& call) { return route_capabilities(call, *rows, facts); });
  *rows = router.routes();
}

}  // namespace cairn::api
