// SPDX-License-Identifier: Apache-2.0
// Models on a node that stands by: those that its searches need, and those that the node that
// serves has it run.
#pragma once

#include <memory>
#include <vector>

#include "app/data/mirrored_folder.h"
#include "app/settings/settings.h"
#include "base/result.h"
#include "inference/model/stored_models.h"
#include "inference/placement/model_worker.h"
#include "net/http/message.h"
#include "os/threads/pool.h"
#include "os/threads/thread.h"
#include "remotestore/cluster.h"
#include "store/store.h"

namespace cairn::app {

/// One copy of a model in memory, whoever uses it. Reads the store and changes nothing there.
class StandbyModels {
 public:
  /// `cluster` and `data` outlive it. Errors: those of starting threads.
  static Result<std::shared_ptr<StandbyModels>> open(const Settings& settings,
                                                     remotestore::Cluster& cluster,
                                                     DataPlace& data);
  ~StandbyModels();  // ends what runs

  inference::StoredModels& models() { return *models_; }
  os::Pool& cpu() { return cpu_; }
  /// Answers the calls of inference/placement/node_calls.h.
  void answer(net::Exchange& exchange);

 private:
  StandbyModels(const Settings& settings, remotestore::Cluster& cluster, DataPlace& data);

  os::Pool cpu_;
  std::unique_ptr<store::Store> all_models_, models_store_;
  std::unique_ptr<inference::PackedFiles> packed_;
  std::unique_ptr<inference::StoredModels> models_;
  std::unique_ptr<inference::ModelWorker> worker_;
  os::Thread ticker_;  // the last member: stops first
};

}  // namespace cairn::app
