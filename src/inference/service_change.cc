// SPDX-License-Identifier: Apache-2.0
// Records of endpoints and deployments: written, replaced, removed. One change at a time.
#include <utility>

#include "inference/errors.h"
#include "inference/service_impl.h"
#include "os/log.h"

namespace cairn::inference {
namespace {

std::string endpoint_key(std::string_view id) { return "endpoints/" + std::string(id); }
std::string deployment_key(std::string_view id) { return "deployments/" + std::string(id); }

bool may_have_happened(const Error& error) {
  return error.kind == ErrorKind::timeout || error.kind == ErrorKind::unavailable ||
         error.kind == ErrorKind::cancelled;
}

}  // namespace

/// Puts a new record. A put whose answer was lost counts where the record is there.
Status Service::Impl::create_endpoint(const Endpoint& endpoint, const os::Deadline& deadline) {
  const std::string key = endpoint_key(endpoint.inference_id);
  const std::string bytes = to_record(endpoint).dump();
  Result<store::ObjectInfo> put = records.put(key, bytes, deadline, {.if_none_match = true});
  if (!put.ok() && may_have_happened(put.error())) {
    const Result<store::Object> there = records.get(key, deadline);
    if (there.ok() && there->bytes == bytes) put = there->info;
  }
  if (!put.ok() && put.error().kind == ErrorKind::precondition_failed) {
    return endpoint_exists(endpoint.inference_id);
  }
  if (!put.ok()) return std::move(put).error();
  const MutexLock lock(mutex);
  endpoints[endpoint.inference_id] = Kept{.endpoint = endpoint, .etag = put->etag};
  return ok_status();
}

/// Replaces the record that this service knows.
Status Service::Impl::write_endpoint(const Endpoint& endpoint, const os::Deadline& deadline) {
  std::string etag;
  {
    const MutexLock lock(mutex);
    const auto at = endpoints.find(endpoint.inference_id);
    if (at == endpoints.end()) return endpoint_not_found(endpoint.inference_id);
    etag = at->second.etag;
  }
  CAIRN_TRY(const store::ObjectInfo info,
            records.put(endpoint_key(endpoint.inference_id), to_record(endpoint).dump(), deadline,
                        {.if_match = etag}));
  const MutexLock lock(mutex);
  endpoints[endpoint.inference_id] = Kept{.endpoint = endpoint, .etag = info.etag};
  return ok_status();
}

Status Service::Impl::remove_endpoint(std::string_view id, const os::Deadline& deadline) {
  CAIRN_CHECK(records.remove(endpoint_key(id), deadline));
  const MutexLock lock(mutex);
  endpoints.erase(endpoints.find(id));
  return ok_status();
}

Status Service::Impl::write_deployment(const DeploymentSettings& settings,
                                       const os::Deadline& deadline) {
  CAIRN_CHECK(
      records.put(deployment_key(settings.deployment_id), to_record(settings).dump(), deadline));
  return ok_status();
}

std::shared_ptr<Deployment> Service::Impl::add_deployment(DeploymentSettings settings) {
  const std::string id = settings.deployment_id;
  auto deployment =
      std::make_shared<Deployment>(std::move(settings), models, cpu, loaders, fetchers, clock, options);
  const MutexLock lock(mutex);
  deployments[id] = deployment;
  return deployment;
}

Status Service::Impl::remove_deployment(const std::string& id, const os::Deadline& deadline) {
  CAIRN_CHECK(records.remove(deployment_key(id), deadline));
  std::shared_ptr<Deployment> deployment;
  {
    const MutexLock lock(mutex);
    const auto at = deployments.find(id);
    if (at == deployments.end()) return ok_status();
    deployment = std::move(at->second);
    deployments.erase(at);
  }
  deployment->stop();
  return ok_status();
}

/// An id of a new endpoint must be neither a model's nor a deployment's.
Status Service::Impl::check_unique(std::string_view id, const os::Deadline& deadline) const {
  bool taken = find_deployment(id) != nullptr || !resolve_alias(id).empty();
  if (!taken) {
    const Result<ModelInfo> model = models.describe(id, deadline);
    if (!model.ok() && model.error().kind != ErrorKind::not_found) return model.error();
    taken = model.ok();
  }
  if (!taken) return ok_status();
  return bad_request("Inference endpoint IDs must be unique. Requested inference endpoint ID [" +
                     std::string(id) + "] matches existing trained model ID(s) but must not.");
}

Result<std::shared_ptr<Deployment>> Service::Impl::serve(const Endpoint& endpoint,
                                                         const os::Deadline& deadline) {
  if (auto deployment = find_deployment(endpoint.deployment_id)) return deployment;
  const ChangeLock change(changes);
  if (auto deployment = find_deployment(endpoint.deployment_id)) return deployment;
  if (!find(endpoint.inference_id)) return endpoint_not_found(endpoint.inference_id);
  DeploymentSettings settings = settings_for(endpoint, options);
  // Without its record the deployment would only be missing after a restart, until it is used.
  if (const Status written = write_deployment(settings, deadline); !written.ok()) {
    os::log(os::LogLevel::warn, "inference", "deployment_not_recorded",
            {{"deployment_id", settings.deployment_id}, {"reason", written.error().message}});
  }
  auto deployment = add_deployment(std::move(settings));
  deployment->start();
  return deployment;
}

}  // namespace cairn::inference
