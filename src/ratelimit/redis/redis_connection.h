// SPDX-License-Identifier: Apache-2.0
// One connection to a Redis server: commands out, replies in, each within a time. And a set of
// them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "ratelimit/redis/redis_address.h"
#include "ratelimit/redis/redis_sentinel.h"

namespace cairn::ratelimit {

struct RedisReply {
  enum class Type : std::uint8_t { nil, integer, text, array, error } type = Type::nil;
  std::int64_t integer = 0;
  std::string text = {};  // of text and error
  std::vector<RedisReply> elements = {};
  bool is_error(std::string_view code) const {
    return type == Type::error && std::string_view(text).starts_with(code);
  }
};

/// Not for two threads at a time. After an error (of ours, not of Redis) it is of no more use.
class RedisConnection {
 public:
  /// Connects, agrees on TLS where the address says so, and sends AUTH and SELECT where it has
  /// them. Blocks for at most `timeout_ms`, but for looking up a host that is a name. Errors:
  /// timeout, unavailable.
  static Result<std::unique_ptr<RedisConnection>> open(const RedisAddress& address,
                                                       std::int64_t timeout_ms,
                                                       const StartTls& start_tls = {});
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  /// One command, whose words may hold any bytes, and its reply. Blocks for at most `timeout_ms`;
  /// the caller holds os::Blocking. An error that Redis replies is a reply.
  /// Errors: timeout (Redis may still do what it was told), unavailable.
  Result<RedisReply> call(std::span<const std::string_view> words, std::int64_t timeout_ms);

 private:
  struct Reader;
  RedisConnection(int fd, std::unique_ptr<RedisChannel> channel);
  Status prepare(const RedisAddress& address, std::int64_t until_ns);
  Result<std::size_t> receive_some(std::span<char> into, std::int64_t until_ns);
  Status send(std::string_view bytes, std::int64_t until_ns);
  Result<RedisReply> receive(std::int64_t until_ns);
  Status set_timeout(std::int64_t ms);
  const int fd_;  // -1: the channel has it
  const std::unique_ptr<RedisChannel> channel_;
  std::int64_t timeout_ms_ = 0;  // as set on the socket
  std::string out_;
  std::unique_ptr<Reader> reader_;
};

/// Connections to one server, as many as there are callers at a time. With Sentinels the server is
/// looked for with each new connection, and one that turns out to be no master any more is left.
/// Safe from any thread.
class RedisConnections {
 public:
  explicit RedisConnections(RedisAddress address, RedisWays ways = {})
      : address_(std::move(address)), ways_(std::move(ways)) {}

  /// As RedisConnection::call, on an idle connection or a new one, within one `timeout_ms` for
  /// both. Holds os::Blocking. A connection that failed is closed, and so are the idle ones.
  Result<RedisReply> call(std::span<const std::string_view> words, std::int64_t timeout_ms);
  const RedisAddress& address() const { return address_; }
  /// Commands sent, for tests and metrics.
  std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }

 private:
  Result<std::unique_ptr<RedisConnection>> open(std::int64_t timeout_ms) const;
  const RedisAddress address_;
  const RedisWays ways_;
  Mutex mutex_;
  std::vector<std::unique_ptr<RedisConnection>> idle_ CAIRN_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> calls_{0};
};

}  // namespace cairn::ratelimit
