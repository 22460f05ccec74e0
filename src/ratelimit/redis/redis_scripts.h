// SPDX-License-Identifier: Apache-2.0
// What runs inside Redis: one script per decision, and the few around it. Keys of one call belong
// to one identity and carry its hash tag, so that a cluster keeps them together.
//
//   rl:{h}:p:<resource>  hash u (used), r (reset, epoch seconds),       until r + 1
//                        a:<node> what of u the node counted apart
//   rl:{h}:s             hash of sliding counters t q m h v (CPU, CPU of GraphQL, content by minute
//                        and hour, heavy requests), each as <c>s start ms, <c>c count, <c>p before;
//                        g generation of a reset; bu, bl: banned until (ms), how often
//   rl:{h}:e:<endpoint>  hash of the same counters x (points), m, h     about two slots
//   rl:{h}:n             hash node -> expiry (s) * 1000000 + requests under way
#pragma once

#include <string>
#include <string_view>

namespace cairn::ratelimit {

struct RedisScript {
  std::string text;
  std::string sha;  // 40 hexadecimal digits, as EVALSHA takes it
};

/// `time` is the Lua that gives {seconds, microseconds}; tests put a clock of their own there.
struct RedisScripts {
  explicit RedisScripts(std::string_view time);

  /// KEYS p s e n; ARGV: see DecideArgument. Gives {kind, limit, used, reset_s, wait_ms, now_ms}.
  RedisScript decide;
  /// KEYS s n; ARGV node, requests under way, minute_ms, CPU ms, CPU ms of GraphQL, heavy requests.
  /// Gives {now_ms}.
  RedisScript settle;
  /// KEYS p; ARGV reset_s, cost. Gives {done, used, now_ms}.
  RedisScript refund;
  /// KEYS p; ARGV used as Redis last said, counted apart since the last merge and before it,
  /// reset_s, node. Adds what this node counted apart, once, whether or not an earlier call that
  /// failed has run; the count never falls below what Redis said once. Gives {used, reset_s,
  /// now_ms}.
  RedisScript merge;
  /// KEYS s; ARGV first_s, longest_s. Gives {length_ms}.
  RedisScript ban;
  /// KEYS s, then every p. Gives {what there was}.
  RedisScript reset;
  /// KEYS s n, then every p; ARGV minute_ms, hour_ms. Gives {now_ms, CPU ms, CPU ms of GraphQL,
  /// content by minute, by hour, heavy, under way, banned for ms, then used and reset_s of each p}.
  RedisScript read;
};

/// The order of ARGV of `decide`. Limits are -1 where there is none.
enum class DecideArgument : std::size_t {
  node,        // text
  force,       // charges although refused: exempt, shadow
  no_primary,  // neither tests nor charges p
  limit,
  cost,
  window_s,
  under_way,  // of this node, this request included
  concurrent,
  points,
  points_cap,
  cpu_ms,  // since the last call
  cpu_cap,
  graphql_ms,
  graphql_cap,  // -1 too for requests that are not GraphQL
  content,      // 1: generates content
  content_minute,
  content_hour,
  own_minute,  // of the endpoint
  own_hour,
  heavy,  // since the last call
  heavy_cap,
  minute_ms,
  hour_ms,
  ban,   // 1: bans are on
  test,  // 1: decides, and charges nothing
  count
};

}  // namespace cairn::ratelimit
