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
#include "inference/endpoint.h"
#include "inference/model.h"
#include "inference/model_source.h"
#include "inference/options.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/pool.h"

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
};

Json to_record(const DeploymentSettings& settings);
Result<DeploymentSettings> deployment_from_record(const Json& record);

/// One call's work for a model.
struct Work {
  TaskType task = TaskType::text_embedding;
  InputType input_type = InputType::unspecified;
  std::string query = {};  // rerank
  std::vector<std::string> inputs = {};
  std::int64_t timeout_ms = -1;  // what the caller asked for, for the error's text
  bool only_at_once = false;     // not queued: runs now or fails with timeout
};

/// One element for each input, in the list of the task.
struct WorkResult {
  std::vector<std::vector<float>> dense = {};
  std::vector<SparseVector> sparse = {};
  std::vector<float> scores = {};
};

/// What adaptive scaling needs to know of the time since it last asked.
struct LoadSample {
  std::uint64_t inputs = 0;
  double mean_seconds = 0;  // per input; 0 where inputs is 0
  std::size_t pending = 0;
};

/// Loads its model in the background and runs work on it: up to `number_of_allocations` batches at
/// a time on the pool, each split over `threads_per_allocation` tasks. Batches mix the inputs of
/// several callers; searches go before the rest, but every fourth batch is taken in order of age.
/// Safe from any thread.
class Deployment : public std::enable_shared_from_this<Deployment> {
 public:
  static std::shared_ptr<Deployment> create(DeploymentSettings settings, ModelSource& models,
                                            os::Pool& cpu, os::Pool& loaders,
                                            const os::Clock& clock, const Options& options);
  ~Deployment();
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  /// Begins to load, unless loaded or loading. Errors: unavailable when no loader takes it.
  Status start();
  /// Waits until the model can be used. Errors: timeout, cancelled; the failure of the loading.
  Status wait_started(const os::Deadline& deadline);
  /// Queues work and waits for its result. Starts a deployment that is scaled to zero.
  /// Errors: rate_limited when the queue is full; timeout; unavailable when failed or stopping.
  Result<WorkResult> run(const Work& work, const os::Deadline& deadline);
  /// Takes no more work, fails what waits, lets batches that run finish, and drops the model.
  void stop();

  void set_allocations(std::int64_t number, std::optional<AdaptiveAllocations> adaptive);
  /// One step of adaptive scaling; does nothing before the interval has passed. True: scaled.
  bool scale();

  DeploymentSettings settings() const;
  DeploymentState state() const;
  std::string reason() const;  // of the failure
  std::int64_t failed_at_ns() const;
  std::shared_ptr<const Model> model() const;  // null unless loaded
  /// `deployment_stats` of the API.
  Json stats() const;
  /// `assignment` of the API.
  Json assignment() const;

 private:
  struct Impl;
  explicit Deployment(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace cairn::inference
