// SPDX-License-Identifier: Apache-2.0
// The inside of the service, for its own .cc files.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/threads.h"
#include "inference/deployment/deployment.h"
#include "inference/remote/remote_models.h"
#include "inference/service.h"
#include "os/threads/thread.h"

namespace cairn::inference {

struct Service::Impl {
  Impl(store::Store& r, ModelSource& m, os::Pool& c, const os::Clock& k, Options o,
       net::ClientOptions client);

  struct Kept {
    Endpoint endpoint;
    std::string etag = {};  // of its record; empty for preconfigured ones
  };
  using Deployments = std::map<std::string, std::shared_ptr<Deployment>, std::less<>>;

  // Reading. Each takes `mutex` itself.
  std::optional<Endpoint> find(std::string_view id) const;
  std::shared_ptr<Deployment> find_deployment(std::string_view id) const;
  Deployments all_deployments() const;
  std::shared_ptr<WorkerNodes> worker_nodes() const;  // null: there are no other nodes
  std::vector<std::string> users_of(std::string_view deployment_id) const;  // endpoint ids
  Endpoint shown(Endpoint endpoint) const;  // with the live number of allocations
  /// The model of this id, or the one that stands in for it. Errors: not_found.
  Result<ModelInfo> find_model(std::string_view model_id, const os::Deadline& deadline) const;
  /// The same, also of models that could be fetched. While a place cannot be asked it is asked
  /// again until `wait`. Errors: not_found, caused by the places that did not answer, if any.
  Result<ModelInfo> discover_model(std::string_view model_id, const os::Deadline& wait,
                                   const os::Deadline& deadline) const;
  std::string_view resolve_alias(std::string_view model_id) const;

  // Start.
  Status read_endpoints(const os::Deadline& deadline);
  Status read_deployments(const os::Deadline& deadline);
  void add_preconfigured(const os::Deadline& deadline);

  // Changing. Each is called with `changes` held.
  Status write_endpoint(const Endpoint& endpoint, const os::Deadline& deadline);
  Status create_endpoint(const Endpoint& endpoint, const os::Deadline& deadline);
  Status remove_endpoint(std::string_view id, const os::Deadline& deadline);
  Status write_deployment(const DeploymentSettings& settings, const os::Deadline& deadline);
  std::shared_ptr<Deployment> add_deployment(DeploymentSettings settings);
  Status remove_deployment(const std::string& id, const os::Deadline& deadline);
  Status check_unique(std::string_view id, const os::Deadline& deadline) const;

  /// Whether one deployment may have so many allocations; `doing`: "start", "update".
  /// Errors: rate_limited.
  Status check_allocations(std::optional<std::int64_t> number,
                           const std::optional<AdaptiveAllocations>& adaptive,
                           std::string_view doing) const;

  // The steps of a creation.
  Result<Endpoint> parse_new(std::optional<TaskType> task, std::string_view id,
                             const Json& body) const;
  Result<Endpoint> resolve(Endpoint asked, const os::Deadline& wait,
                           const os::Deadline& deadline) const;
  Status take_from_deployment(Endpoint& endpoint) const;
  Result<std::shared_ptr<Deployment>> create_or_join(Endpoint endpoint,
                                                     const os::Deadline& deadline);
  Result<std::shared_ptr<Deployment>> join(const Endpoint& there, const Endpoint& wanted,
                                           const os::Deadline& deadline);
  Result<Endpoint> settle(std::string_view id, Deployment& deployment, std::int64_t wait_ms,
                          const os::Deadline& limit, const os::Deadline& deadline);
  void confirm(std::string_view id, const os::Deadline& deadline);
  void take_back(std::string_view id, const os::Deadline& deadline);
  Error deployment_timeout(const Deployment& deployment, std::int64_t wait_ms) const;

  // Endpoints whose model is another server's.
  Result<Endpoint> put_remote(Endpoint endpoint, const Json& body, std::int64_t wait_ms,
                              const os::Deadline& deadline);
  Result<Endpoint> update_remote(Endpoint endpoint, const Json& body, const os::Deadline& deadline);
  Status reseal_key(std::string_view id, const os::Deadline& deadline);
  Status seal_key(Endpoint& endpoint, const Json& body) const;
  /// As Service::infer(), of one endpoint.
  Result<InferResult> infer(const Endpoint& endpoint, const InferRequest& request,
                            const os::Deadline& deadline);
  Result<std::unique_ptr<TextAnswer>> begin_text(Endpoint endpoint, TextCall call,
                                                 const os::Deadline& deadline);
  Result<InferResult> infer_remote(const Endpoint& endpoint, const InferRequest& request,
                                   const os::Deadline& deadline);

  /// The deployment that serves an endpoint; starts it where there is none.
  Result<std::shared_ptr<Deployment>> serve(const Endpoint& endpoint, const os::Deadline& deadline);

  store::Store& records;
  ModelSource& models;
  os::Pool& cpu;
  const os::Clock& clock;
  const Options options;
  std::unique_ptr<RemoteModels> remotes;
  References references;

  Mutex changes;  // one change at a time; taken before `mutex`, never after it
  mutable Mutex mutex;
  std::map<std::string, Kept, std::less<>> endpoints CAIRN_GUARDED_BY(mutex);
  Deployments deployments CAIRN_GUARDED_BY(mutex);
  std::shared_ptr<WorkerNodes> workers CAIRN_GUARDED_BY(mutex);
  os::Pool fetchers;  // after the deployments: its tasks end first
  os::Pool loaders;   // its tasks hand on to the fetchers
  os::Thread ticker;
};

/// Takes `changes` with the worker's place lent out meanwhile.
class ChangeLock {
 public:
  explicit ChangeLock(Mutex& changes);
  ~ChangeLock() { changes_.unlock(); }
  ChangeLock(const ChangeLock&) = delete;
  ChangeLock& operator=(const ChangeLock&) = delete;

 private:
  Mutex& changes_;
};

/// Documents by their scores, best first; equal ones in the order of the request.
std::vector<RankedDocument> ranked(const Endpoint& endpoint, const InferRequest& request,
                                   const std::vector<float>& scores);
/// What `GET /_inference/_services` shows of services of other servers.
void add_remote_services(Json& out, std::optional<TaskType> task);

/// How the deployment of an endpoint is to be.
DeploymentSettings settings_for(const Endpoint& endpoint, const Options& options);
Error endpoint_not_found(std::string_view id);
Error other_task(TaskType requested, TaskType actual);
Error incompatible_task(TaskType requested, TaskType actual);  // of a call
Error model_not_found(std::string_view model_id);

}  // namespace cairn::inference
