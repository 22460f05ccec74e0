// SPDX-License-Identifier: Apache-2.0
// One deployed model: its queue, its batches, its allocations and its counters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "inference/deployment/node_allocations.h"
#include "inference/deployment/text_allocation.h"
#include "inference/deployment/work_queue.h"
#include "inference/endpoint.h"
#include "inference/model/model.h"
#include "inference/model/model_source.h"
#include "inference/options.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/threads/pool.h"

namespace cairn::inference {

enum class DeploymentState { starting, started, stopping, failed };
std::string_view name_of(DeploymentState state);

/// What a deployment should be; stored, so that it comes back after a restart.
struct DeploymentSettings {
  std::string deployment_id;
  std::string model_id;
  std::int64_t threads_per_allocation = 1;
  std::int64_t number_of_allocations = 1;
  std::optional<AdaptiveAllocations> adaptive_allocations = {};
  std::int64_t queue_capacity = 1'024;
  std::string priority = "normal";  // or low
  std::string owner = {};           // the endpoint that started it; empty: an API call did

  bool is_adaptive() const { return adaptive_allocations && adaptive_allocations->enabled; }
};

Json to_record(const DeploymentSettings& settings);
/// Errors: corrupt.
Result<DeploymentSettings> deployment_from_record(const Json& record);

/// What decides where the allocations of a deployment may be.
struct DeploymentPlacing {
  std::string model_id = {};
  std::string incarnation = {};  // another one where the model is read anew
  std::uint64_t model_bytes = 0;
  std::int64_t allocations = 0;
  std::int64_t threads = 1;  // of one allocation
  bool stays_here = false;   // there is no model yet, or other nodes would be no help
};

/// Loads its model in the background and runs work on it: up to `number_of_allocations` batches at
/// a time, on other nodes those that these take, the rest on the pool, each split over
/// `threads_per_allocation` tasks. Batches mix the inputs of
/// several callers; searches go before the rest, but every fourth batch is taken in order of age.
/// With adaptive allocations and no minimum the model is dropped after a long idle time; the next
/// call loads it again and waits. Safe from any thread.
class Deployment {
 public:
  /// Everything that is passed by reference outlives the deployment and its tasks. A model that is
  /// not here yet is fetched on `fetchers`, however long that takes; `loaders` only load.
  Deployment(DeploymentSettings settings, ModelSource& models, os::Pool& cpu, os::Pool& loaders,
             os::Pool& fetchers, const os::Clock& clock, const Options& options);
  ~Deployment();  // as stop()
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  /// Begins to load, unless loaded or loading. Also what starts a failed deployment anew.
  void start();
  /// Waits until the model can be used. Errors: timeout, cancelled; the failure of the loading.
  Status wait_started(const os::Deadline& deadline);
  /// Queues work and waits for its result. Starts a deployment that is scaled to zero, and one that
  /// failed `failed_retry_ms` ago.
  /// Errors: rate_limited when the queue is full; timeout; unavailable when failed or stopping;
  /// those of the model.
  Result<ModelResult> run(ModelRequest work, const os::Deadline& deadline);
  /// An allocation that makes texts, the one with the fewest. Starts a deployment as run() does,
  /// and waits until its model is there. `timeout_ms` is what the caller asked for, for the error's
  /// text; 0: fails with timeout where no allocation is idle. The caller holds it while its texts
  /// run, and lets go of it on a thread that is not of the pool. Errors: those of run();
  /// unsupported where the model makes no texts.
  Result<std::shared_ptr<TextAllocation>> text_allocation(std::int64_t timeout_ms,
                                                          const os::Deadline& deadline);
  /// Counts texts that are over, and the CPU time that they took.
  void count_texts(std::size_t texts, std::int64_t cpu_ns, const Status& how);
  /// Takes no more work, fails what waits, lets batches that run finish, and drops the model.
  void stop();

  /// Sets the number of allocations, or the bounds of an adaptive one.
  void set_allocations(std::optional<std::int64_t> number,
                       std::optional<AdaptiveAllocations> adaptive);
  DeploymentPlacing placing() const;
  /// Allocations on other nodes, from now on; those that stay are known by their nodes. A batch that
  /// one of them does not run is run here. `cores_elsewhere`: of all other nodes.
  void set_places(std::vector<std::shared_ptr<NodeAllocations>> places,
                  std::size_t cores_elsewhere = 0);
  /// One step of adaptive scaling; does nothing before the interval has passed. True: scaled.
  bool scale();

  DeploymentSettings settings() const;  // with the number of allocations of now
  DeploymentState state() const;
  bool fully_allocated() const;
  std::string reason() const;                  // of the failure
  std::shared_ptr<const Model> model() const;  // null unless loaded
  Json stats() const;                          // `deployment_stats` of the API
  /// State, and how far download and loading are, in short; null once it can be used.
  Json progress() const;
  Json assignment() const;                     // `assignment` of the API

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with the tasks on the pools
};

}  // namespace cairn::inference
