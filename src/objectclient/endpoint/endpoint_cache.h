// SPDX-License-Identifier: Apache-2.0
// Endpoints that operations have to ask for: kept for as long as their service says, and asked for
// again in the background where the client wants that.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "base/threads.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/threads/thread.h"

namespace cairn::objectclient {

struct DiscoveredEndpoint {
  std::string url = {};
  std::int64_t good_for_ms = 0;
};

struct EndpointCacheOptions {
  std::size_t max_entries = 1'000;
  std::size_t max_threads = 10;
  std::int64_t poll_interval_ms = 60'000;
  bool active = false;  // endpoints that end before the next look are asked for again
};

/// Safe from any thread. Keys are an operation and what identifies its endpoint.
class EndpointCache {
 public:
  using Discover = std::function<Result<DiscoveredEndpoint>(const std::string& key)>;
  /// `clock` outlives it. Where it is active, a thread of its own runs until it is destroyed.
  EndpointCache(EndpointCacheOptions options, Discover discover, const os::Clock& clock);
  ~EndpointCache();
  EndpointCache(const EndpointCache&) = delete;
  EndpointCache& operator=(const EndpointCache&) = delete;

  /// Errors: those of `discover`.
  Result<std::string> get(const std::string& key);
  /// The service says that the endpoint is wrong.
  void forget(const std::string& key);
  std::size_t size() const;
  /// One look of the background thread: how many were asked for again.
  std::size_t refresh();

 private:
  struct Entry {
    std::string key;
    std::string url;
    std::int64_t until_ns;
  };
  using Order = std::list<Entry>;
  Result<std::string> ask(const std::string& key);
  void keep(const std::string& key, const DiscoveredEndpoint& found);
  void run(const std::stop_token& stop);

  const EndpointCacheOptions options_;
  const Discover discover_;
  const os::Clock& clock_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  Order order_ CAIRN_GUARDED_BY(mutex_);  // asked for last first
  std::unordered_map<std::string, Order::iterator> places_ CAIRN_GUARDED_BY(mutex_);
  os::Thread poller_;  // last: it uses the others
};

}  // namespace cairn::objectclient
