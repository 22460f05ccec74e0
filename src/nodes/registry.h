// SPDX-License-Identifier: Apache-2.0
// Which nodes there are: the record of this one, kept alive, and those of the others.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "nodes/node_record.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::nodes {

struct RegistryOptions {
  /// How long after a renewal was sent the node may change what it owns.
  std::int64_t lease_ms = 15'000;
  /// Records of nodes that have ended go after this.
  std::int64_t kept_ended_ms = 600'000;
  /// A node whose process is gone from this machine is ended at once.
  std::function<bool(const os::ProcessIdentity&)> is_gone = os::is_surely_gone;

  /// A record that stands still so long, by the clock of who looks, is of a node that has stopped.
  /// Clocks whose rates differ by less than a fifth agree on that.
  std::int64_t silent_ms() const { return lease_ms + lease_ms / 4; }
};

/// All records that are there now, of nodes that have not ended: also of those that have just come,
/// which no look has seen. Errors: those of a store; corrupt.
Result<std::vector<NodeRecord>> read_nodes(store::Store& store, const os::Deadline& deadline);

/// For one thread at a time, but for holds(), which others may ask. Every call may block up to its
/// deadline. Errors of all calls: those of a store.
class Registry {
 public:
  /// `self`: with a new id, and no beat. `store` and `clock` outlive it.
  Registry(store::Store& store, const os::Clock& clock, NodeRecord self,
           RegistryOptions options = {});

  /// Renews the lease: makes the record, or replaces it. An answer that is lost is settled by the
  /// next renewal. Errors: conflict, once another node has ended this one: this start is over.
  Status renew(const os::Deadline& deadline);
  /// Whether this node may change what it owns.
  bool holds() const { return holds_for_ms() > 0; }
  /// How long it may, from now; 0 or less: not any more, or not now.
  std::int64_t holds_for_ms() const;
  bool has_ended() const { return ended_; }

  /// Says so with the next renewal.
  void begin_leaving() { self_.leaving = self_.draining = true; }
  void set_figures(const NodeFigures& figures) { self_.figures = figures; }
  const NodeRecord& self() const { return self_; }

  /// All nodes that have not ended, this one among them, by their ids. One whose record cannot be
  /// read counts as draining until it is silent.
  Result<std::vector<NodeRecord>> look(const os::Deadline& deadline);
  /// Ends those whose records stood still at the last looks, and removes old records of ended ones.
  /// The number of nodes that ended now.
  Result<std::size_t> end_silent(const os::Deadline& deadline);
  /// The node is gone in order: its record goes. Nothing may be owned any more.
  Status leave(const os::Deadline& deadline);

 private:
  struct Seen {
    std::string etag;
    std::int64_t since_ns = 0;  // when it was seen to have changed
    NodeRecord record = {};
  };
  std::string key_of(const std::string& id) const { return "nodes/" + id; }
  Status read_own(const os::Deadline& deadline);
  void note(const std::string& key, store::Object found, Seen& seen) const;
  Result<bool> end(const std::string& key, Seen& seen, bool gone, const os::Deadline& deadline);

  store::Store& store_;
  const os::Clock& clock_;
  const RegistryOptions options_;
  NodeRecord self_;
  std::string etag_;       // of the record as this node knows it
  bool in_doubt_ = false;  // an answer was lost: the record is read before it is replaced
  std::atomic<bool> ended_{false};
  std::atomic<std::int64_t> held_until_ns_{INT64_MIN};
  // The wall clock too, since the steady one stands still while a machine sleeps.
  std::atomic<std::int64_t> held_until_unix_ms_{INT64_MIN};
  std::map<std::string, Seen> seen_;  // by key
};

}  // namespace cairn::nodes
