// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/remote_routes.h"

#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

Result<Reply> remote_info(Call&) { return Reply::json(Json::object()); }

/// Of the names of a path those of this cluster. Errors: illegal_argument_exception for a name of
/// another cluster.
Status check_local(const std::string& expression) {
  for (const auto name : split(expression, ','))
    if (const auto colon = name.find(':'); colon != std::string_view::npos && colon > 0)
      return Error{
          .kind = ErrorKind::not_found,
          .code = "no_such_remote_cluster_exception",
          .message = "no such remote cluster: [" + std::string(name.substr(0, colon)) + "]"};
  return ok_status();
}

Result<Reply> resolve_cluster(Call& call, const CatServices& services) {
  const std::string& expression = call.path("index");
  if (expression.empty()) return Reply::json(Json::object());
  CAIRN_CHECK(check_local(expression));
  Json local = Json::object({{"connected", true}, {"skip_unavailable", false}});
  CAIRN_TRY(IndexOptions options, index_options(call));
  options.closed = true;
  const auto found = indices_of(call, *services.indices, expression, options);
  if (found.ok())
    local.set("matching_indices", !found->empty());
  else if (found.error().kind == ErrorKind::not_found)
    local.set("error", found.error().message);
  else
    return found.error();
  if (found.ok())
    local.set("version", Json::object({{"number", platform_version},
                                       {"build_flavor", "default"},
                                       {"minimum_wire_compatibility_version", "8.19.0"},
                                       {"minimum_index_compatibility_version", "8.0.0"}}));
  return Reply::json(Json::object({{"(local)", std::move(local)}}));
}

}  // namespace

void add_remote_routes(Router& router, const CatServices& services) {
  router.add({.method = "GET",
              .path = "/_remote/info",
              .operation = "cluster.remote_info",
              .cluster = {"monitor"},
              .summary = "Other clusters that are known: none."},
             remote_info);
  for (const std::string tail : {"", "/{index}"})
    router.add({.method = "GET",
                .path = "/_resolve/cluster" + tail,
                .operation = "indices.resolve_cluster",
                .index_privilege = "view_index_metadata",
                .filters_indices = true,
                .query = with_index_options(
                    {{"timeout", "time", "No other cluster is asked."},
                     {"ignore_throttled", "boolean", "No index is throttled."}}),
                .summary = "Says whether this cluster, the only one, has indices of these names."},
               [services](Call& call) { return resolve_cluster(call, services); });
}

}  // namespace cairn::api
