// SPDX-License-Identifier: Apache-2.0
// When a node that stands by has rooms to read with.
#pragma once

#include <condition_variable>
#include <memory>
#include <stop_token>

#include "app/nodes/cluster_node.h"
#include "app/settings/settings.h"
#include "base/threads.h"
#include "os/threads/thread.h"

namespace cairn::app {

/// Builds the ReadRooms of a node while they are wanted, by a thread of its own, and gives them to
/// the node. `node` outlives it.
class Reading {
 public:
  Reading(const Settings& settings, ClusterNode& node);
  /// Takes them down.
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  /// Where they are not wanted any more they are gone when it returns, but for requests under way.
  void set_wanted(bool wanted);

 private:
  void run(const std::stop_token& stop);

  const Settings settings_;
  ClusterNode& node_;
  os::Thread thread_;  // while they are wanted
};

}  // namespace cairn::app
