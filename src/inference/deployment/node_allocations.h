// SPDX-License-Identifier: Apache-2.0
// Allocations of one deployment on another node, as the deployment sees them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "inference/deployment/work_queue.h"
#include "os/deadline.h"

namespace cairn::inference {

/// What another node gives for one batch.
struct NodeAnswer {
  ModelResult result = {};
  std::int64_t cpu_ns = 0;  // that it took there
};

/// How a node does with its share of a deployment.
struct NodeShare {
  std::string node_id = {};
  std::string node_name = {};
  std::int64_t target = 0;  // allocations that are to be there
  std::int64_t ready = 0;   // that take batches now
  std::string state = {};   // routing_state of the API: starting, started, failed
  std::string reason = {};  // of a failure
};

/// Safe from any thread.
class NodeAllocations {
 public:
  virtual ~NodeAllocations() = default;
  virtual const std::string& node_id() const = 0;
  virtual NodeShare share() const = 0;
  /// Batches that it may have at a time. Must not block.
  virtual std::int64_t ready() const = 0;
  using Done = std::function<void(Result<NodeAnswer> answer)>;
  /// Runs a batch there, without waiting for it: `done` is called once, on another thread. Any
  /// error given to it means that the batch may be run elsewhere. Errors: unavailable, where too
  /// much waits; `done` is not called.
  virtual Status run(ModelRequest work, const os::Deadline& deadline, Done done) = 0;
};

}  // namespace cairn::inference
