// SPDX-License-Identifier: Apache-2.0
#include "objectclient/endpoint/endpoint_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cairn::objectclient {

EndpointCache::EndpointCache(EndpointCacheOptions options, Discover discover,
                             const os::Clock& clock)
    : options_(options), discover_(std::move(discover)), clock_(clock) {
  // Without it each endpoint is asked for when it is needed.
  if (options_.active)
    poller_ = os::Thread::start_stoppable_or_tell(
        {.name = "endpoints"}, [this](const std::stop_token& stop) { run(stop); });
}

EndpointCache::~EndpointCache() {
  poller_.request_stop();
  changed_.notify_all();
}

Result<std::string> EndpointCache::get(const std::string& key) {
  {
    MutexLock lock(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) {
      const Order::iterator entry = found->second;
      if (entry->until_ns > clock_.steady_ns()) {
        order_.splice(order_.begin(), order_, entry);
        return entry->url;
      }
      order_.erase(entry);
      places_.erase(found);
    }
  }
  return ask(key);
}

Result<std::string> EndpointCache::ask(const std::string& key) {
  CAIRN_TRY(const DiscoveredEndpoint found, discover_(key));
  keep(key, found);
  return found.url;
}

void EndpointCache::keep(const std::string& key, const DiscoveredEndpoint& found) {
  const std::int64_t until_ns = clock_.steady_ns() + found.good_for_ms * 1'000'000;
  MutexLock lock(mutex_);
  if (const auto known = places_.find(key); known != places_.end()) {
    known->second->url = found.url;
    known->second->until_ns = until_ns;
    return;
  }
  if (order_.size() >= options_.max_entries) {
    places_.erase(order_.back().key);
    order_.pop_back();
  }
  order_.push_front({key, found.url, until_ns});
  places_[key] = order_.begin();
}

void EndpointCache::forget(const std::string& key) {
  MutexLock lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return;
  order_.erase(found->second);
  places_.erase(found);
}

std::size_t EndpointCache::size() const {
  MutexLock lock(mutex_);
  return order_.size();
}

std::size_t EndpointCache::refresh() {
  std::vector<std::string> due;
  {
    const std::int64_t next_look_ns = clock_.steady_ns() + options_.poll_interval_ms * 1'000'000;
    MutexLock lock(mutex_);
    for (const Entry& entry : order_)
      if (entry.until_ns <= next_look_ns) due.push_back(entry.key);
  }
  for (std::size_t begin = 0; begin < due.size(); begin += options_.max_threads) {
    const std::size_t end = std::min(due.size(), begin + options_.max_threads);
    std::vector<os::Thread> askers;
    for (std::size_t i = begin; i < end; ++i) {
      const auto asks = [this, &key = due[i]] { static_cast<void>(ask(key).ok()); };
      askers.push_back(os::Thread::start_or_tell({.name = "endpoint"}, asks));
      if (!askers.back().joinable()) asks();
    }
  }
  return due.size();
}

void EndpointCache::run(const std::stop_token& stop) {
  for (;;) {
    {
      MutexLock lock(mutex_);
      changed_.wait_for(lock, stop, std::chrono::milliseconds(options_.poll_interval_ms),
                        [] { return false; });
    }
    if (stop.stop_requested()) return;
    refresh();
  }
}

}  // namespace cairn::objectclient
