// SPDX-License-Identifier: Apache-2.0
// How connections come about: over TLS that another room brings, and to whom Sentinels call the
// master.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ratelimit/redis/redis_address.h"

namespace cairn::ratelimit {

/// Bytes to and from a server over something else than a plain socket. Not for two threads at a
/// time. Errors of both calls: timeout, unavailable.
class RedisChannel {
 public:
  virtual ~RedisChannel() = default;
  virtual Status send(std::string_view bytes, std::int64_t timeout_ms) = 0;  // all of them
  /// At least one byte; 0 at the end.
  virtual Result<std::size_t> receive(std::span<char> into, std::int64_t timeout_ms) = 0;
};

/// Agrees on TLS over a connected socket, which it takes over whatever comes of it. `host`: whom
/// the certificate must be for. Blocks for at most `timeout_ms`; any thread.
using StartTls = std::function<Result<std::unique_ptr<RedisChannel>>(
    int descriptor, const std::string& host, std::int64_t timeout_ms)>;

struct RedisWays {
  StartTls start_tls = {};  // empty: addresses with TLS cannot be reached
  /// Where there are any, the host of an address is the name of a master, whose place they know.
  std::vector<RedisAddress> sentinels = {};
};

/// Asks the Sentinels one after the other where the master `name` is. Blocks for at most
/// `timeout_ms` for all of them. Errors: unavailable, with what the last one said.
Result<RedisAddress> find_master(const std::string& name, const RedisWays& ways,
                                 std::int64_t timeout_ms);

}  // namespace cairn::ratelimit
