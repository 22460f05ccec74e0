// SPDX-License-Identifier: Apache-2.0
// One of the nodes that share a store on a cluster: one of them serves it, the others pass requests
// on to that one, and follow it when it is gone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/data/mirrored_folder.h"
#include "app/nodes/listeners.h"
#include "app/settings/settings.h"
#include "auth/secrets/seal.h"
#include "base/result.h"
#include "inference/placement/worker_nodes.h"
#include "nodes/front.h"
#include "nodes/ownership.h"
#include "os/deadline.h"
#include "os/files/files.h"
#include "os/threads/thread.h"
#include "remotestore/cluster.h"

namespace cairn::app {

class StandbyModels;

/// Listens from open() to drain(). Safe from any thread, where nothing else is said.
class ClusterNode final : public remotestore::Guard {
 public:
  /// Checks the cluster and the keys, listens, and becomes one of its nodes. Errors: those of
  /// remotestore and of the listeners, with the setting before them; corrupt: keys of another
  /// store; conflict: the data folder is in use.
  static Result<std::unique_ptr<ClusterNode>> open(const Settings& settings,
                                                   const os::Deadline& deadline);
  /// For a command that works on the store while no node does: without listeners, once it owns the
  /// store; rooms are there until the end. Errors: those above; conflict, with the node that
  /// serves.
  static Result<std::unique_ptr<ClusterNode>> open_alone(const Settings& settings,
                                                         const os::Deadline& deadline);
  /// Leaves, so that others need not wait for the end of its lease. No rooms are there any more.
  ~ClusterNode() override;

  /// Whether the rooms are wanted: the store is this node's, and nobody waits for it.
  bool should_serve() const { return owns_ && !leaving_; }
  /// Of the thread that builds the rooms, in this order: rooms are being built (what changes the
  /// store asks check()); requests go to them; none do any more; they are gone, and another node
  /// may have the store.
  void begin_rooms() { rooms_ = true; }
  void serve(net::Handler api, net::Handler objects, nodes::Front::Tell tell);
  void stop_serving(std::int64_t grace_ms);
  void end_rooms();
  /// Who answers what only reads while nobody serves, or whoever does is silent; null: nobody.
  void set_reader(std::shared_ptr<nodes::Reader> reader);
  /// Who runs models for the node that serves; null: nobody.
  void set_models(std::shared_ptr<StandbyModels> models);
  /// How the node that serves reaches those that run models for it. Outlived by this.
  inference::OtherNodes model_nodes();
  /// What the node that serves tells replicas. Errors: those of nodes::Front::ask_owner.
  Result<std::string> ask_owner(const std::string& question, const os::Deadline& deadline) {
    return front_->ask_owner(question, deadline);
  }

  /// May the store be changed? Errors: unavailable, with the reason.
  Result<os::Deadline> check(const os::Deadline& deadline) const override;
  /// Where requests go now: "here", the address of a node, or empty.
  std::string target() const { return front_->target(); }
  /// Tells the others that this node goes: another one is to have the store, and clients are not
  /// sent here any more. False where there is no other.
  bool begin_leaving();
  /// How long it takes until all have seen what a node says.
  std::int64_t seen_after_ms() const;
  /// Clients are let finish, and no new ones come. Blocks.
  void drain(std::int64_t grace_ms);

  /// All that have not ended, this one first.
  std::vector<nodes::NodeRecord> nodes() const;
  /// Of the node that serves; empty: nobody does.
  std::string serving_id() const;
  std::string id() const;                                  // of this start
  const std::string& node_id() const { return node_id_; }  // the same over restarts
  /// Errors: those of nodes::Ownership::set_draining.
  Status set_draining(const std::string& id, bool draining, const os::Deadline& deadline);
  /// For a new master key. Errors: conflict, where other nodes are there, which have the old one;
  /// those of the store.
  Status check_alone(const os::Deadline& deadline) const;
  Status reseal(const auth::Seal& seal, const os::Deadline& deadline);

  remotestore::Cluster& cluster() { return *cluster_; }
  DataPlace& data() { return data_; }
  Listeners& listeners() { return listeners_; }

 private:
  explicit ClusterNode(const Settings& settings) : settings_(settings) {}
  Status open_ground(const os::Deadline& deadline);
  Status open_listeners();
  Status start_thread();
  Status wait_until_alone(const os::Deadline& deadline);
  void answer_api(net::Exchange& exchange);
  void answer_node(net::Exchange& exchange);
  void answer_objects(net::Exchange& exchange);
  bool answer_health(net::Exchange& exchange);
  bool answer_metrics(net::Exchange& exchange);
  void join();
  std::shared_ptr<nodes::Ownership> ownership() const;
  void keep(const std::stop_token& stop);
  void watch_owner(const std::stop_token& stop);
  void wake();
  void step(const os::Deadline& deadline);
  void tell(const Status& stepped);
  void follow_owner(const nodes::Ownership& ownership);

  const Settings settings_;
  DataPlace data_;
  std::unique_ptr<os::File> lock_;
  std::unique_ptr<remotestore::Cluster> cluster_;
  std::unique_ptr<store::Store> nodes_store_;
  std::string secret_;
  std::unique_ptr<nodes::Forwarder> forwarder_;
  std::unique_ptr<nodes::Front> front_;
  std::unique_ptr<nodes::Front> objects_front_;
  std::string address_, api_address_, node_id_;
  std::atomic<bool> owns_{false}, leaving_{false}, rooms_{false}, goes_{false};
  bool is_asked_for_ = false;  // of the thread: somebody else is to have the store
  std::string told_;           // of the thread: the fault that the log has
  mutable std::mutex mutex_;
  std::shared_ptr<nodes::Ownership> ownership_;  // under mutex_
  std::shared_ptr<StandbyModels> models_;        // under mutex_
  Listeners listeners_;
  std::unique_ptr<net::Server> node_server_;
  std::mutex wake_mutex_;
  std::condition_variable_any woken_;
  bool is_woken_ = false;  // under wake_mutex_
  os::Thread thread_;
  std::atomic<bool> has_reader_{false};
  os::Thread watch_;
};

}  // namespace cairn::app
