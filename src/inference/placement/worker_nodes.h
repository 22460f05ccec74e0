// SPDX-License-Identifier: Apache-2.0
// The nodes that run models for this one, which serves: what each is to have, and how it does.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "inference/deployment/deployment.h"
#include "inference/placement/placement_plan.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/threads/pool.h"

namespace cairn::inference {

/// How this node reaches others. Both are safe from any thread.
struct OtherNodes {
  struct One {
    std::string id;  // as answers of the API show it
    std::string name;
    std::string address;  // for `call`
  };
  /// Those that may run models: they live and are not being emptied. Must not block.
  std::function<std::vector<One>()> list;
  /// Asks a node; blocks. Gives the body of an answer with success. Errors: those of the node and
  /// of the connection.
  std::function<Result<std::string>(const One& node, std::string_view path, std::string body,
                                    const os::Deadline& deadline)>
      call;
};

/// Safe from any thread; look() is for one at a time.
class WorkerNodes {
 public:
  WorkerNodes(OtherNodes nodes, const os::Clock& clock);
  ~WorkerNodes();  // waits for the calls under way, which it ends
  WorkerNodes(const WorkerNodes&) = delete;
  WorkerNodes& operator=(const WorkerNodes&) = delete;

  using Deployments = std::map<std::string, std::shared_ptr<Deployment>, std::less<>>;
  /// Shares out the allocations of all deployments, tells the nodes, and tells the deployments
  /// where they may run batches. Does not wait for the nodes: what they answer counts at the next
  /// look. To be called every second. Where no deployment has a second allocation, a node is asked
  /// once.
  void look(const Deployments& deployments);
  /// Of all nodes that answered.
  std::size_t processors() const;

  struct Node;  // worker_nodes.cc

 private:
  void follow_nodes() CAIRN_REQUIRES(mutex_);
  std::size_t processors_locked() const CAIRN_REQUIRES(mutex_);
  Placement plan(const std::vector<PlacedDeployment>& wanted) CAIRN_REQUIRES(mutex_);
  void ask(const std::shared_ptr<Node>& node);

  const OtherNodes others_;
  const os::Clock& clock_;
  std::stop_source end_;
  os::Pool lookers_;  // short calls
  os::Pool runners_;  // batches
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<Node>> nodes_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::inference
