// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/cluster_settings_routes.h"

#include "api/change_params.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"

namespace cairn::api {
namespace {

using index::ClusterSettings;
using index::shown_cluster_settings;

Result<Reply> get_settings(Call& call, const ClusterSettings& settings) {
  CAIRN_TRY(const bool defaults, call.flag("include_defaults", false));
  CAIRN_TRY(const bool flat, call.flag("flat_settings", false));
  const auto values = settings.values();
  Json out = Json::object({{"persistent", shown_cluster_settings(values->persistent, flat)},
                           {"transient", shown_cluster_settings(values->transient, flat)}});
  if (defaults) out.set("defaults", shown_cluster_settings(settings.defaults(), flat));
  return Reply::json(std::move(out));
}

Result<index::ClusterChange::Map> change_in(Fields& fields, std::string_view name) {
  if (fields.is_null(name)) return index::ClusterChange::Map();
  CAIRN_TRY(const Json* given, fields.object(name));
  if (given == nullptr) return index::ClusterChange::Map();
  return index::read_cluster_settings(*given);
}

/// What a change has set, without what it took away.
Json set_by(const index::ClusterChange::Map& change, bool flat) {
  index::ClusterValues::Map values;
  for (const auto& [name, text] : change)
    if (text) values.emplace(name, *text);
  return shown_cluster_settings(values, flat);
}

Result<Reply> put_settings(Call& call, ClusterSettings& settings) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(const bool flat, call.flag("flat_settings", false));
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "cluster_update_settings_request");
  index::ClusterChange change;
  CAIRN_TRY(change.persistent, change_in(fields, "persistent"));
  CAIRN_TRY(change.transient, change_in(fields, "transient"));
  CAIRN_CHECK(fields.finish());
  if (change.persistent.empty() && change.transient.empty())
    return validation_fault({"no settings to update"});
  CAIRN_CHECK(settings.change(change, deadline));
  return Reply::json(Json::object({{"acknowledged", true},
                                   {"persistent", set_by(change.persistent, flat)},
                                   {"transient", set_by(change.transient, flat)}}));
}

}  // namespace

void add_cluster_settings_routes(Router& router, ServiceRef<ClusterSettings> settings) {
  const gate::Parameter flat{"flat_settings", "boolean",
                             "Settings as one level of dotted names."};
  router.add({.method = "GET",
              .path = "/_cluster/settings",
              .operation = "cluster.get_settings",
              .cluster = {"monitor"},
              .query = with_timeouts(
                  {{"include_defaults", "boolean", "With what holds for those that are not set."},
                   flat}),
              .summary = "Settings of the cluster that were changed."},
             [settings](Call& call) { return get_settings(call, *settings); });
  router.add({.method = "PUT",
              .path = "/_cluster/settings",
              .operation = "cluster.put_settings",
              .cluster = {"manage"},
              .query = with_timeouts({flat}),
              .summary = "Changes settings of the cluster, for good or until the next start.",
              .body_required = true},
             [settings](Call& call) { return put_settings(call, *settings); });
}

}  // namespace cairn::api
