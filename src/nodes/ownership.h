// SPDX-License-Identifier: Apache-2.0
// One node's part in sharing out the shards: it keeps its lease, watches the others, and takes,
// keeps and gives away what is its.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "nodes/assignment.h"
#include "nodes/ownership_table.h"
#include "nodes/registry.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::nodes {

struct OwnershipOptions {
  RegistryOptions registry = {};
  AssignmentOptions assignment = {};
  /// How long a node leaves a change of the table to one whose turn is before its own.
  std::int64_t turn_ms = 1'000;
  std::int64_t turns_max = 4;
  /// What a renewal tells of the machine. Called by step(), on its thread.
  std::function<NodeFigures()> figures = {};
};

/// What the owner of a shard does. Called by step(), on its thread.
struct OwnershipEvents {
  /// The shard is this node's, with this epoch: whoever had it before changes nothing any more, or
  /// has given it away.
  std::function<void(const std::string& shard, std::uint64_t epoch)> gained = [](auto&, auto) {};
  /// True once all of the shard is where the next owner finds it, and this node changes nothing of
  /// it any more; else asked again with the next step.
  std::function<bool(const std::string& shard)> finish = [](auto&) { return true; };
  /// It was given away, or taken: nothing of it may be acknowledged any more.
  std::function<void(const std::string& shard)> lost = [](auto&) {};
};

using ShardNames = std::set<std::string, std::less<>>;

/// step() is for one thread; the rest may be asked from any.
class Ownership {
 public:
  /// `shards`: those that there are; the same object as long as they are the same. `store` and
  /// `clock` outlive it.
  Ownership(store::Store& store, const os::Clock& clock, NodeRecord self,
            std::function<std::shared_ptr<const ShardNames>()> shards, OwnershipEvents events,
            OwnershipOptions options = {});

  /// What is due: a renewal, a look at the table and at the other nodes, changes of both. Call it
  /// every second or sooner. What fails is done by a later step. Errors: conflict, once this node
  /// was ended: all it owned is lost, and it must begin anew with another id; others, to be told.
  Status step(const os::Deadline& deadline);

  /// Whether this node may change the shard now. Asked before a change is acknowledged.
  bool may_change(std::string_view shard) const;
  /// How long the lease behind that goes on without another renewal; 0 or less: not now.
  std::int64_t holds_for_ms() const { return registry_.holds_for_ms(); }
  /// Who owns it as far as is known; empty: nobody.
  std::string owner_of(std::string_view shard) const;
  /// A shard is on its way from one node to another, or its owner is gone: the next step is worth
  /// taking soon.
  bool is_moving() const;
  /// All nodes that have not ended, as of the last look.
  std::vector<NodeRecord> nodes() const;
  /// The shards of this node.
  std::map<std::string, std::uint64_t, std::less<>> owned() const;

  /// Says with the next step that this node gives everything away and goes. Once owned() is empty,
  /// leave(). Of the thread of step().
  void begin_leaving();
  /// Tells any node to give everything away, or that it may own things again. Errors: not_found:
  /// no such node; unavailable: others change the table all the time; those of a store.
  Status set_draining(const std::string& node, bool draining, const os::Deadline& deadline);
  Status leave(const os::Deadline& deadline) { return registry_.leave(deadline); }
  const Registry& registry() const { return registry_; }

 private:
  Status renew_if_due(const os::Deadline& deadline);
  Status read_table(const os::Deadline& deadline);
  Status change_table(const os::Deadline& deadline);
  Status give_away(const os::Deadline& deadline);
  Status write(OwnershipTable next, const os::Deadline& deadline);
  bool is_my_turn();
  /// Whether the table was found to be right for the same nodes and shards before.
  bool is_settled(const std::shared_ptr<const ShardNames>& shards) const;
  void follow_table();
  void lose_all();

  store::Store& store_;
  const os::Clock& clock_;
  const std::function<std::shared_ptr<const ShardNames>()> shards_;
  const OwnershipEvents events_;
  const OwnershipOptions options_;
  Registry registry_;
  std::int64_t renewal_due_ns_ = INT64_MIN;
  std::string table_etag_;  // empty: there is none yet
  std::string followed_;    // the etag of the table that owned_ is of
  std::int64_t waits_since_ns_ = 0;
  std::uint64_t waits_for_ = UINT64_MAX;  // the version of the table that a change waits to replace
  /// What the table was last found to be right for.
  struct Settled {
    std::uint64_t version = UINT64_MAX;
    std::vector<NodeRecord> nodes = {};
    std::shared_ptr<const ShardNames> shards = {};
  };
  Settled settled_;

  mutable std::shared_mutex mutex_;  // what step() writes and others read
  OwnershipTable table_;
  std::vector<NodeRecord> nodes_;
  std::map<std::string, std::uint64_t, std::less<>> owned_;
  ShardNames finished_;  // of owned_: nothing of them is changed any more
  ShardNames leaving_;   // of owned_: the table names their next owners; of step() alone
};

}  // namespace cairn::nodes
