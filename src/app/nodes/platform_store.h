// SPDX-License-Identifier: Apache-2.0
// Where the platform keeps what must last: the embedded engine, or a place on a cluster.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/nodes/cluster_node.h"
#include "base/result.h"
#include "objectstore/engine.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::app {

/// Outlives the stores that it gives.
class PlatformStore {
 public:
  /// `node`: the one that serves the store on a cluster, or null where all lies in the engine. Both
  /// outlive this. Errors: those of remotestore, with store.url before them.
  static Result<std::unique_ptr<PlatformStore>> open(ClusterNode* node, objectstore::Engine& engine,
                                                     const os::Deadline& deadline);

  /// The store of one of the engine's reserved buckets, or what stands for it on the cluster.
  Result<std::unique_ptr<store::Store>> reserved(std::string_view bucket);
  /// Why nothing can be changed now; empty where it can.
  std::string fault() const;
  bool is_remote() const { return node_ != nullptr; }

 private:
  PlatformStore(objectstore::Engine& engine, ClusterNode* node) : engine_(engine), node_(node) {}

  objectstore::Engine& engine_;
  ClusterNode* const node_;
};

}  // namespace cairn::app
