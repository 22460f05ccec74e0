// SPDX-License-Identifier: Apache-2.0
// Where the platform keeps what must last: the embedded engine, or a place on a cluster.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectstore/engine.h"
#include "os/deadline.h"
#include "remotestore/cluster.h"
#include "remotestore/lease.h"
#include "store/store.h"

namespace cairn::app {

/// Outlives the stores that it gives.
class PlatformStore {
 public:
  /// `url`: "s3://…", or empty for the engine, which outlives this. A cluster is checked, and its
  /// place taken, before this returns. Errors: those of remotestore, with store.url before them.
  static Result<std::unique_ptr<PlatformStore>> open(const std::string& url,
                                                     objectstore::Engine& engine,
                                                     const os::Deadline& deadline);

  /// The store of one of the engine's reserved buckets, or what stands for it on the cluster.
  Result<std::unique_ptr<store::Store>> reserved(std::string_view bucket);
  /// Why nothing can be changed now; empty where it can.
  std::string fault() const;
  /// Another process has taken the place: this one must end.
  bool lost() const { return lease_ != nullptr && lease_->lost(); }
  bool is_remote() const { return cluster_ != nullptr; }

 private:
  explicit PlatformStore(objectstore::Engine& engine) : engine_(engine) {}

  objectstore::Engine& engine_;
  std::unique_ptr<remotestore::Cluster> cluster_;
  std::unique_ptr<remotestore::Lease> lease_;
};

}  // namespace cairn::app
