// SPDX-License-Identifier: Apache-2.0
// What the server says about itself: who it is, how it is, what it can.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/options.h"
#include "api/router.h"
#include "nodes/node_record.h"
#include "os/clock.h"
#include "os/machine.h"
#include "os/memory_breaker.h"
#include "os/metrics.h"
#include "os/threads/compute_pool.h"

namespace cairn::api {

/// The platform's number that clients are told: they send compatible-with=9 or 8 and get both.
inline constexpr std::string_view platform_version = "9.1.0";

/// Facts that do not change while the server runs.
struct ServerFacts {
  std::string cluster_name;
  std::string cluster_uuid;  // 22 url-safe characters
  std::string node_name;
  std::string node_id;  // 22 url-safe characters
  std::string version;  // of Cairn
  std::string address;  // host:port of this listener, known once it listens
  std::int64_t started_ms = 0;
  std::int64_t installed_ms = 0;  // when the data folder was made
};

/// What only rooms below know. Each is called at any time from any thread, and must not block.
struct ServerSources {
  /// A word why the server is not ready yet or any more; empty where it is.
  std::function<std::string()> not_ready;
  /// What is wrong though requests are served, in words that anybody may read; empty, or null, where
  /// nothing is.
  std::function<std::string()> warning = {};
  /// Indices for GET /_cluster/health: how many there are that {index} names; shards are one each.
  struct IndexCounts {
    std::int64_t total = 0;
    std::int64_t ready = 0;
  };
  std::function<Result<IndexCounts>(const std::string& expression)> indices;
  std::function<std::string()> address;
  /// The disk that the data folder is on.
  std::function<os::DiskSpace()> disk = {};
  os::MemoryBreaker* memory = nullptr;  // null: nothing is refused for want of memory
  /// All nodes that share the store, this one first, which serves; null: there is this one.
  std::function<std::vector<nodes::NodeRecord>()> nodes = {};
  /// Tells one of them, by its id, to give everything away, or that it may own things again. May
  /// block, unlike the others. Null: there is this one. Errors: those of nodes::Ownership.
  std::function<Status(const std::string& id, bool draining, const os::Deadline& deadline)>
      set_draining = {};
  /// The pool in which requests compute; null: each does where it came.
  std::function<const os::ComputePool*()> compute = {};
};

/// Whether a list of nodes ("_local,cairn-*") means this one; an empty one does.
bool means_this_node(const ServerFacts& facts, std::string_view list);

/// Where the node listens, "host:port", and the host of that.
std::string address_of(const ServerFacts& facts, const ServerSources& sources);
std::string host_of(const ServerFacts& facts, const ServerSources& sources);

/// `facts`, `sources` and `metrics` outlive the router's dispatcher.
void add_system_routes(Router& router, const ServerFacts& facts, const ServerSources& sources,
                       const os::Metrics& metrics, const os::Clock& clock, const Options& options);

}  // namespace cairn::api
