// SPDX-License-Identifier: Apache-2.0
// Models that come and go: which ids are free, and who stands in the way of a removal.
#include "inference/errors.h"
#include "inference/model/manifest.h"
#include "inference/model_users.h"
#include "inference/service_impl.h"
#include "os/log.h"

namespace cairn::inference {

Status Service::check_new_model(std::string_view model_id) const {
  CAIRN_CHECK(check_new_model_id(model_id));
  const auto taken = [model_id](std::string_view what) {
    return bad_request("Model IDs must be unique. Requested model ID [" + std::string(model_id) +
                       "] matches an existing " + std::string(what) + " but must not.");
  };
  if (impl_->find(model_id)) return taken("inference endpoint ID");
  for (const auto& [id, deployment] : impl_->all_deployments()) {
    const bool of_model = deployment->settings().model_id == model_id;
    if (id == model_id && !of_model) return taken("deployment ID");
    if (of_model && deployment->state() == DeploymentState::starting) {
      return status_error(ErrorKind::conflict, "Model [" + std::string(model_id) +
                                                   "] is being downloaded or loaded for deployment "
                                                   "[" +
                                                   id + "]");
    }
  }
  return ok_status();
}

Result<Json> Service::delete_model(std::string_view model_id, bool force,
                                   const os::Deadline& deadline) {
  Impl& s = *impl_;
  const ChangeLock change(s.changes);
  const std::string id(model_id);
  ModelUsers users;
  {
    const MutexLock lock(s.mutex);
    for (const auto& [name, kept] : s.endpoints) {
      if (kept.endpoint.model_id == id && !kept.endpoint.remote) users.endpoints.push_back(name);
    }
  }
  for (const auto& [name, deployment] : s.all_deployments()) {
    if (deployment->settings().model_id == id) users.deployments.push_back(name);
  }
  if (!force) CAIRN_CHECK(check_unused(id, users));
  const Result<ModelInfo> there = s.models.describe(id, deadline);
  if (!there.ok() && there.error().kind != ErrorKind::not_found &&
      there.error().kind != ErrorKind::corrupt &&
      there.error().kind != ErrorKind::invalid_argument) {
    return there.error();
  }
  for (const std::string& name : users.deployments) CAIRN_CHECK(s.remove_deployment(name, deadline));
  CAIRN_TRY(const bool removed, s.models.remove(id, deadline));
  if (!removed) return model_not_found(id);
  os::log(os::LogLevel::info, "inference", "model_removed", {{"model_id", id}});
  return Json::object({{"acknowledged", true}});
}

}  // namespace cairn::inference
