// SPDX-License-Identifier: Apache-2.0
// Deleting endpoints, and who stands in the way.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "inference/errors.h"
#include "inference/service_impl.h"

namespace cairn::inference {
namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

/// Why an endpoint that is in use is not deleted; empty where it is not.
std::string refusal(std::string_view id, const DeleteReport& report) {
  std::string out;
  if (!report.pipelines.empty()) {
    out += "Inference endpoint " + std::string(id) + " is referenced by pipelines: [" +
           join(report.pipelines, ", ") +
           "]. Ensure that no pipelines are using this inference endpoint, or use force to ignore "
           "this warning and delete the inference endpoint.";
  }
  if (!report.indexes.empty()) {
    out += " Inference endpoint " + std::string(id) +
           " is being used in the mapping for indexes: [" + join(report.indexes, ", ") +
           "]. Ensure that no index mappings are using this inference endpoint, or use force to "
           "ignore this warning and delete the inference endpoint.";
  }
  return out;
}

}  // namespace

Json to_json(const DeleteReport& report) {
  Json out = Json::object({{"acknowledged", report.acknowledged},
                           {"pipelines", Json::array_of(report.pipelines)},
                           {"indexes", Json::array_of(report.indexes)}});
  if (!report.error_message.empty()) out.set("error_message", report.error_message);
  return out;
}

Result<DeleteReport> Service::delete_endpoint(std::optional<TaskType> task, std::string_view id,
                                              bool dry_run, bool force,
                                              const os::Deadline& deadline) {
  Impl& s = *impl_;
  const ChangeLock change(s.changes);
  const auto endpoint = s.find(id);
  if (!endpoint) return endpoint_not_found(id);
  if (task && *task != endpoint->task) return other_task(*task, endpoint->task);
  if (endpoint->preconfigured && !force && !dry_run) {
    return bad_request("[" + std::string(id) +
                       "] is a reserved inference endpoint. Use the force=true query parameter to "
                       "delete the inference endpoint.");
  }
  DeleteReport report;
  if (s.references.pipelines) report.pipelines = sorted(s.references.pipelines(id));
  if (s.references.indexes) report.indexes = sorted(s.references.indexes(id));
  const std::string why_not = refusal(id, report);
  if (dry_run) {
    report.error_message = why_not;
    return report;
  }
  if (!why_not.empty() && !force) return status_error(ErrorKind::conflict, why_not);
  report.acknowledged = true;
  if (!endpoint->preconfigured) CAIRN_CHECK(s.remove_endpoint(id, deadline));
  if (endpoint->remote) {
    s.remotes->forget(id);
    return report;
  }
  // A deployment goes with the endpoint that made it, unless others still use it; the last of
  // those takes it along.
  const auto deployment = s.find_deployment(endpoint->deployment_id);
  if (deployment == nullptr || deployment->settings().owner.empty()) return report;
  std::vector<std::string> users = s.users_of(endpoint->deployment_id);
  std::erase_if(users, [&](const std::string& user) {
    const auto other = s.find(user);
    return user == id || (endpoint->preconfigured && other && other->preconfigured);
  });
  if (users.empty() && (!endpoint->preconfigured || endpoint->owns_deployment)) {
    CAIRN_CHECK(s.remove_deployment(endpoint->deployment_id, deadline));
  }
  return report;
}

}  // namespace cairn::inference
