// SPDX-License-Identifier: Apache-2.0
// Where a Redis server is, and as whom one comes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::ratelimit {

struct RedisAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;
  std::string user = {};  // both empty: no AUTH
  std::string password = {};
  std::uint32_t database = 0;
  bool tls = false;
};
/// redis://[[user]:password@]host[:port][/database], and rediss:// for TLS.
/// Errors: invalid_argument; the message never holds the password.
Result<RedisAddress> parse_redis_url(std::string_view url);

}  // namespace cairn::ratelimit
