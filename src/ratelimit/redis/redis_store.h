// SPDX-License-Identifier: Apache-2.0
// One Redis server as the limiter sees it: scripts by their digest, and a breaker in front.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "os/clock.h"
#include "os/metrics.h"
#include "ratelimit/redis/redis_connection.h"
#include "ratelimit/redis/redis_scripts.h"

namespace cairn::ratelimit {

/// Safe from any thread. Calls hold os::Blocking.
class RedisStore {
 public:
  RedisStore(RedisAddress address, RedisWays ways, const os::Clock& clock, os::Metrics& metrics);
  /// A node that hands its store over does without no server any more.
  ~RedisStore();

  /// Runs a script once: never again after a timeout, since it may have run. Gives its integers.
  /// Errors: unavailable at once while away(); timeout, unavailable, each counted by the breaker.
  Result<std::vector<std::int64_t>> run(const RedisScript& script,
                                        const std::vector<std::string>& keys,
                                        const std::vector<std::string>& arguments,
                                        std::int64_t timeout_ms);
  /// A plain command, whatever the breaker says; a failure counts.
  Result<RedisReply> command(std::initializer_list<std::string_view> words,
                             std::int64_t timeout_ms);

  /// True until came_back() from the fifth failure within a second, or from a call that nobody
  /// answered within its time, nor any other call meanwhile.
  bool away() const { return away_.load(std::memory_order_acquire); }
  void came_back();
  std::uint64_t calls() const { return connections_.calls(); }

 private:
  void note_failure(const Error& error, std::int64_t began_ns);

  const os::Clock& clock_;
  RedisConnections connections_;
  os::Histogram& seconds_;
  os::Counter& failures_;
  os::Gauge& fallback_;
  std::atomic<bool> away_{false};
  std::atomic<std::int64_t> answered_ns_{0};  // when a call was answered last
  Mutex mutex_;
  static constexpr std::size_t failures_to_open = 5;
  std::array<std::int64_t, failures_to_open> failed_ns_ CAIRN_GUARDED_BY(mutex_) = {};
  std::size_t next_ CAIRN_GUARDED_BY(mutex_) = 0;
};

}  // namespace cairn::ratelimit
