// SPDX-License-Identifier: Apache-2.0
// The inside of a deployment, for its own .cc files.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/threads.h"
#include "inference/deployment/adaptive.h"
#include "inference/deployment/deployment.h"
#include "inference/deployment/throughput.h"
#include "os/metrics.h"

namespace cairn::inference {

struct Deployment::Impl : std::enable_shared_from_this<Deployment::Impl> {
  Impl(DeploymentSettings s, ModelSource& m, os::Pool& c, os::Pool& l, os::Pool& f,
       const os::Clock& k, const Options& o);

  // Loading. begin_load() has the lock held; load() runs on a loader.
  void begin_load();
  void load(std::uint64_t generation, std::stop_token stop);
  void fetch(std::uint64_t generation, const os::Deadline& deadline);
  void fetched(std::uint64_t generation, const Status& result, const os::Deadline& deadline);
  Json progress_json() const;  // with the lock held
  /// What one node has done for the deployment.
  struct NodeFigures {
    std::string id = {}, name = {}, routing_state = {}, reason = {};
    std::int64_t allocations = 0;
    std::uint64_t inference_count = 0;
    std::int64_t busy_ns = 0;
    std::uint64_t last_minute = 0;
    double last_minute_ms = 0;
    std::uint64_t peak = 0;
    std::int64_t last_access_ms = 0;  // 0: never
  };
  Json node_stats(std::int64_t now_ns);  // with the lock held
  Json show(const NodeFigures& of, std::int64_t pending) const;
  Result<std::shared_ptr<const Model>> read_model(std::uint64_t generation,
                                                  const os::Deadline& deadline);
  void loaded(std::uint64_t generation, Result<std::shared_ptr<const Model>> result);

  // Running. dispatch() has the lock held; run_piece() runs on the pool.
  Status admit(const ModelRequest& work);
  void dispatch();
  void launch(std::shared_ptr<Batch> batch);
  void run_piece(const std::shared_ptr<Batch>& batch, Piece& piece,
                 const std::shared_ptr<const Model>& model);
  void finish_piece(const std::shared_ptr<Batch>& batch, Piece& piece, Result<ModelResult> result,
                    std::int64_t took_ns);
  std::int64_t cpu_of(const Job& job) const;  // of the pieces that run, too
  void finish_batch(const std::shared_ptr<Batch>& batch);
  void give_up(Job& job);
  void fail_waiting(const Error& error);
  Error not_started() const;
  void stop_now();

  // On other nodes (deployment_places.cc). All but finish_there() with the lock held.
  struct Place {
    std::shared_ptr<NodeAllocations> at;  // null: gone, with batches under way
    std::int64_t active = 0;
    std::uint64_t inference_count = 0;
    std::int64_t busy_ns = 0;
    std::int64_t last_access_ms = 0;  // 0: never
    Throughput throughput = {};
  };
  using Places = std::map<std::string, Place, std::less<>>;  // by node
  std::int64_t active_here() const;
  std::int64_t allocations_here() const;
  Places::iterator free_place();
  bool launch_there(const std::shared_ptr<Batch>& batch, Places::iterator place);
  void finish_there(const std::shared_ptr<Batch>& batch, const std::string& node,
                    Result<NodeAnswer> answer);

  // Texts. All with the lock held.
  Status wake();
  void leave_zero();
  Error late(std::int64_t timeout_ms);
  Result<std::shared_ptr<TextAllocation>> idlest();
  std::vector<std::shared_ptr<TextAllocation>> take_idle_extras();
  std::size_t texts_at_work() const;  // that run or wait, and calls that will add some
  std::size_t texts_waiting() const;
  std::int64_t scaled_number(std::int64_t now_ns);

  ModelSource& models;
  os::Pool& cpu;
  os::Pool& loaders;
  os::Pool& fetchers;
  const os::Clock& clock;
  const Options options;
  const std::int64_t created_ms;
  os::Counter& inputs_metric;
  os::Counter& errors_metric;
  os::Counter& rejected_metric;
  os::Counter& timeouts_metric;
  os::Counter& cpu_metric;
  os::Histogram& batch_metric;

  mutable Mutex mutex;
  std::condition_variable_any changed;  // of `state`
  DeploymentSettings settings;          // all below: guarded by mutex
  DeploymentState state = DeploymentState::starting;
  bool loading = false;
  std::uint64_t generation = 0;  // of the load that counts
  std::stop_source load_stop;
  std::shared_ptr<const Model> model;
  std::size_t most_bytes = 0;  // of a text that the model looks at, about; for shares of CPU time
  std::optional<Error> failure;
  std::int64_t failed_ns = 0;
  std::uint64_t loaded_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::optional<FetchStep> fetching;  // while the model comes from elsewhere

  WorkQueue queue;
  std::vector<std::shared_ptr<Batch>> active;
  Places places;
  std::size_t cores_elsewhere = 0;  // of the other nodes
  std::vector<std::shared_ptr<TextAllocation>> texts;  // made when they are needed

  std::uint64_t inference_count = 0;
  std::uint64_t error_count = 0;
  std::uint64_t rejected_count = 0;
  std::uint64_t timeout_count = 0;
  std::int64_t busy_ns = 0;         // of allocations, for inference_count
  std::int64_t last_access_ms = 0;  // 0: never
  Throughput throughput;

  AdaptiveScaler scaler;
  std::int64_t sampled_ns = 0;
  std::uint64_t sampled_inputs = 0;
  std::int64_t sampled_busy_ns = 0;
  std::int64_t last_request_ns = 0;
  std::int64_t last_scale_up_ns = -1;  // -1: never
};

}  // namespace cairn::inference
