// SPDX-License-Identifier: Apache-2.0
// What a node has while it stands by: rooms to read with, and models that it runs for others.
#pragma once

#include "app/nodes/cluster_node.h"
#include "app/settings/settings.h"
#include "base/threads.h"
#include "os/threads/thread.h"

namespace cairn::app {

/// Builds StandbyModels and ReadRooms, as far as the settings say, by a thread of its own, and
/// gives them to the node. `node` outlives it.
class StandingBy {
 public:
  StandingBy(const Settings& settings, ClusterNode& node);
  /// Takes them down.
  ~StandingBy();
  StandingBy(const StandingBy&) = delete;
  StandingBy& operator=(const StandingBy&) = delete;

  /// Where they are not wanted any more they are gone when it returns, but for requests under way.
  void set_wanted(bool wanted);

 private:
  void run(const std::stop_token& stop);
  Status build(const std::stop_token& stop);

  const Settings settings_;
  ClusterNode& node_;
  os::Thread thread_;  // while they are wanted
};

}  // namespace cairn::app
