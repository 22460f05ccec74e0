// SPDX-License-Identifier: Apache-2.0
// Runs models for the node that serves, as far as that places allocations here.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/threads.h"
#include "inference/deployment/deployment.h"
#include "inference/model/memory_budget.h"
#include "inference/model/model_source.h"
#include "inference/options.h"
#include "inference/placement/node_calls.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/threads/pool.h"

namespace cairn::inference {

/// Keeps nothing: what it has it was told to have within the last half minute. Safe from any
/// thread.
class ModelWorker {
 public:
  /// What is passed by reference outlives the worker and its tasks on `cpu`. `available` is told to
  /// whoever places models.
  ModelWorker(ModelSource& models, os::Pool& cpu, const os::Clock& clock, const Options& options,
              MemoryBudget::Available available);
  ~ModelWorker();  // as if all was taken away
  ModelWorker(const ModelWorker&) = delete;
  ModelWorker& operator=(const ModelWorker&) = delete;

  /// Has what a PlaceCall says, and nothing else, from now on; models load meanwhile. Gives a
  /// PlaceAnswer. Does not block. Errors: invalid_argument.
  Result<std::string> place(std::string_view call);
  /// Runs the batch of a RunCall; blocks. Gives a NodeAnswer. Errors: invalid_argument; not_found,
  /// where the deployment is not here; those of Deployment::run.
  Result<std::string> run(std::string_view call, const os::Deadline& deadline);
  /// Lets go of everything once nobody has placed anything for half a minute. To be called every
  /// few seconds.
  void tick();

 private:
  struct Placed {
    PlaceCall::One as;
    std::shared_ptr<Deployment> deployment;
    std::int64_t started_ns = 0;
  };
  using AllPlaced = std::map<std::string, Placed, std::less<>>;
  Placed begin(const PlaceCall::One& as);
  void keep(Placed& placed, const PlaceCall::One& as);
  PlaceAnswer answer() const CAIRN_REQUIRES(mutex_);

  ModelSource& models_;
  os::Pool& cpu_;
  const os::Clock& clock_;
  const Options options_;
  const MemoryBudget::Available available_;
  os::Pool fetchers_;  // before the deployments: its tasks end after them
  os::Pool loaders_;
  mutable Mutex mutex_;
  AllPlaced placed_ CAIRN_GUARDED_BY(mutex_);
  std::int64_t told_ns_ CAIRN_GUARDED_BY(mutex_) = 0;
};

}  // namespace cairn::inference
