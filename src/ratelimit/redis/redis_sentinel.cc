// SPDX-License-Identifier: Apache-2.0
#include "ratelimit/redis/redis_sentinel.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/strings.h"
#include "ratelimit/redis/redis_connection.h"

namespace cairn::ratelimit {
namespace {

using Steady = std::chrono::steady_clock;

Error nobody_knows(const std::string& name, std::string_view why) {
  return {ErrorKind::unavailable, "",
          "redis: no Sentinel says where the master [" + name + "] is: " + std::string(why)};
}

Result<RedisAddress> ask(const RedisAddress& sentinel, const std::string& name,
                         const StartTls& start_tls, std::int64_t timeout_ms) {
  const auto until = Steady::now() + std::chrono::milliseconds(timeout_ms);
  CAIRN_TRY(const auto connection, RedisConnection::open(sentinel, timeout_ms, start_tls));
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now());
  const std::array<std::string_view, 3> words = {"SENTINEL", "get-master-addr-by-name", name};
  CAIRN_TRY(const RedisReply reply,
            connection->call(words, std::max<std::int64_t>(left.count(), 1)));
  if (reply.type == RedisReply::Type::error) return nobody_knows(name, reply.text);
  if (reply.elements.size() != 2) return nobody_knows(name, "it is not known there");
  const auto port = parse_number<std::uint16_t>(reply.elements[1].text);
  if (!port || *port == 0 || reply.elements[0].text.empty())
    return nobody_knows(name, "what came is no address");
  RedisAddress out;
  out.host = reply.elements[0].text;
  out.port = *port;
  return out;
}

}  // namespace

Result<RedisAddress> find_master(const std::string& name, const RedisWays& ways,
                                 std::int64_t timeout_ms) {
  const auto until = Steady::now() + std::chrono::milliseconds(timeout_ms);
  Error last = nobody_knows(name, "there are none");
  for (std::size_t i = 0; i < ways.sentinels.size(); ++i) {
    // One that is silent leaves the others their time.
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now());
    const auto share = left.count() / static_cast<std::int64_t>(ways.sentinels.size() - i);
    if (left.count() <= 0) break;
    auto found = ask(ways.sentinels[i], name, ways.start_tls, std::max<std::int64_t>(share, 1));
    if (found.ok()) return found;
    last = std::move(found).error();
  }
  last.kind = ErrorKind::unavailable;
  return last;
}

}  // namespace cairn::ratelimit
