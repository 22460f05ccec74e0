// SPDX-License-Identifier: Apache-2.0
// The Lua. Integers only; every number stays below 2^53, where doubles are exact.
#include "ratelimit/redis/redis_scripts.h"

#include "base/encode.h"
#include "base/hash.h"

namespace cairn::ratelimit {
namespace {

// A sliding counter estimates the last `length` ms from two slots: the one that runs, opened by the
// first request, and the share of the one before that the window still covers.
constexpr std::string_view counters = R"lua(
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local seconds = math.ceil(now / 1000)
local function roll(start, cur, prev, length)
  start = tonumber(start)
  if not start or now >= start + 2 * length then return {now, 0, 0, length} end
  if now >= start + length then return {start + length, 0, tonumber(cur), length} end
  return {start, tonumber(cur), tonumber(prev), length}
end
local function left_of(c) return math.min(c[4], c[1] + c[4] - now) end
local function estimate(c) return math.floor(c[3] * left_of(c) / c[4]) + c[2] end
local function wait_for(c, cost, cap)
  local left, length = left_of(c), c[4]
  if c[3] * left + (c[2] + cost) * length <= cap * length then return 0 end
  if cost > cap then return 2 * length end
  if c[2] + cost <= cap then
    return math.ceil(left - (cap - c[2] - cost) * length / c[3]) + 1
  end
  return left + math.ceil(length - (cap - cost) * length / c[2]) + 1
end
local function keep(key, name, c)
  redis.call('HSET', key, name .. 's', c[1], name .. 'c', c[2], name .. 'p', c[3])
end
local function lasts(key, seconds_left)
  if redis.call('TTL', key) < seconds_left then redis.call('EXPIRE', key, seconds_left) end
end
local function lease(key, node, count)
  local fresh = seconds + 15
  local mine, others = 0, 0
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local value = tonumber(all[i + 1])
    if all[i] == node then mine = value
    elseif math.floor(value / 1000000) <= seconds then redis.call('HDEL', key, all[i])
    else others = others + value % 1000000 end
  end
  local publish = function()
    if mine % 1000000 == count and math.floor(mine / 1000000) > seconds + 10 then return end
    redis.call('HSET', key, node, fresh * 1000000 + count)
    redis.call('EXPIRE', key, 30)
  end
  return others, publish
end
)lua";

constexpr std::string_view decide_body = R"lua(
local node, force, no_primary = ARGV[1], ARGV[2] == '1', ARGV[3] == '1'
local n = {}
for i = 4, #ARGV do n[i] = tonumber(ARGV[i]) end
local limit, cost, window = n[4], n[5], n[6]
local count, concurrent = n[7], n[8]
local points, points_cap = n[9], n[10]
local graphql_cap, content, heavy_cap = n[14], n[15] == 1, n[21]
local minute, hour = n[22], n[23]
local kind, wait = 0, 0
local function test(which, c, amount, cap)
  if kind ~= 0 or cap < 0 then return end
  local w = wait_for(c, amount, cap)
  if w > 0 then kind, wait = which, w end
end

local s = redis.call('HMGET', KEYS[2], 'g', 'bu', 'ts', 'tc', 'tp', 'vs', 'vc', 'vp')
if n[24] == 1 and s[2] and tonumber(s[2]) > now then kind, wait = 1, tonumber(s[2]) - now end

local p = redis.call('HMGET', KEYS[1], 'u', 'r')
local used, reset, opened = 0, seconds + window, false
if p[2] and now < p[2] * 1000 then used, reset, opened = tonumber(p[1]), tonumber(p[2]), true end
if kind == 0 and not no_primary and limit >= 0 and used + cost > limit then
  kind, wait = 2, reset * 1000 - now
end

local publish
if not no_primary and concurrent >= 0 then
  local others
  others, publish = lease(KEYS[4], node, count)
  if kind == 0 and others + count > concurrent then kind, wait = 3, 1000 end
end

local e, x
if points_cap >= 0 or content then
  e = redis.call('HMGET', KEYS[3], 'g', 'xs', 'xc', 'xp')
  if e[1] ~= s[1] then
    redis.call('DEL', KEYS[3])
    e = {s[1], false, false, false}
  end
  x = roll(e[2], e[3], e[4], minute)
  test(4, x, points, points_cap)
end

local total, graphql, heavy
if n[12] >= 0 or n[11] > 0 then
  total = roll(s[3], s[4], s[5], minute)
  total[2] = total[2] + n[11]
  if n[11] > 0 then
    keep(KEYS[2], 't', total)
    lasts(KEYS[2], 7200)
  end
  test(5, total, 1, n[12])
end
if graphql_cap >= 0 or n[13] > 0 then
  local q = redis.call('HMGET', KEYS[2], 'qs', 'qc', 'qp')
  graphql = roll(q[1], q[2], q[3], minute)
  graphql[2] = graphql[2] + n[13]
  if n[13] > 0 then keep(KEYS[2], 'q', graphql) end
  test(5, graphql, 1, graphql_cap)
end

local by_minute, by_hour, own_minute, own_hour
if content then
  local m = redis.call('HMGET', KEYS[2], 'ms', 'mc', 'mp', 'hs', 'hc', 'hp')
  by_minute, by_hour = roll(m[1], m[2], m[3], minute), roll(m[4], m[5], m[6], hour)
  local o = redis.call('HMGET', KEYS[3], 'ms', 'mc', 'mp', 'hs', 'hc', 'hp')
  own_minute, own_hour = roll(o[1], o[2], o[3], minute), roll(o[4], o[5], o[6], hour)
  test(6, by_minute, 1, n[16])
  test(6, own_minute, 1, n[18])
  test(7, by_hour, 1, n[17])
  test(7, own_hour, 1, n[19])
end
if heavy_cap >= 0 or n[20] > 0 then
  heavy = roll(s[6], s[7], s[8], minute)
  heavy[2] = heavy[2] + n[20]
  if n[20] > 0 then
    keep(KEYS[2], 'v', heavy)
    lasts(KEYS[2], 7200)
  end
  test(8, heavy, 1, heavy_cap)
end

if n[25] ~= 1 and (kind == 0 or force) then
  if not no_primary and cost > 0 then
    used = used + cost
    if opened then
      redis.call('HSET', KEYS[1], 'u', used)
    else
      redis.call('HSET', KEYS[1], 'u', used, 'r', reset)
      redis.call('EXPIREAT', KEYS[1], reset + 1)
    end
  end
  if publish then publish() end
  if x and points > 0 then
    x[2] = x[2] + points
    if tonumber(e[2]) == x[1] then
      redis.call('HSET', KEYS[3], 'xc', x[2])
    else
      keep(KEYS[3], 'x', x)
      if s[1] then redis.call('HSET', KEYS[3], 'g', s[1]) end
      lasts(KEYS[3], math.ceil(2 * minute / 1000))
    end
  end
  if content then
    by_minute[2], by_hour[2] = by_minute[2] + 1, by_hour[2] + 1
    keep(KEYS[2], 'm', by_minute)
    keep(KEYS[2], 'h', by_hour)
    lasts(KEYS[2], math.max(7200, math.ceil(2 * hour / 1000)))
    if n[18] >= 0 or n[19] >= 0 then
      own_minute[2], own_hour[2] = own_minute[2] + 1, own_hour[2] + 1
      keep(KEYS[3], 'm', own_minute)
      keep(KEYS[3], 'h', own_hour)
      lasts(KEYS[3], math.ceil(2 * hour / 1000))
    end
  end
end
return {kind, limit, used, reset, wait, now}
)lua";

constexpr std::string_view settle_body = R"lua(
local count, minute = tonumber(ARGV[2]), tonumber(ARGV[3])
local function add(name, amount)
  amount = tonumber(amount)
  if amount == 0 then return end
  local f = redis.call('HMGET', KEYS[1], name .. 's', name .. 'c', name .. 'p')
  local c = roll(f[1], f[2], f[3], minute)
  c[2] = c[2] + amount
  keep(KEYS[1], name, c)
  lasts(KEYS[1], 7200)
end
add('t', ARGV[4])
add('q', ARGV[5])
add('v', ARGV[6])
if count == 0 then
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  local _, publish = lease(KEYS[2], ARGV[1], count)
  publish()
end
return {now}
)lua";

constexpr std::string_view refund_body = R"lua(
local p = redis.call('HMGET', KEYS[1], 'u', 'r')
if p[2] ~= ARGV[1] or now >= p[2] * 1000 then return {0, 0, now} end
local used = math.max(0, p[1] - ARGV[2])
redis.call('HSET', KEYS[1], 'u', used)
return {1, used, now}
)lua";

constexpr std::string_view merge_body = R"lua(
local known, apart, before = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local reset, mine = tonumber(ARGV[4]), 'a:' .. ARGV[5]
local p = redis.call('HMGET', KEYS[1], 'u', 'r', mine)
local open = p[2] and now < p[2] * 1000
if not open and now >= reset * 1000 then return {0, 0, now} end
local used = known
if open then
  used, reset = math.max(known, tonumber(p[1])), tonumber(p[2])
end
local all = before + apart
used = used + math.max(0, all - (tonumber(p[3] or before)))
redis.call('HSET', KEYS[1], 'u', used, 'r', reset, mine, all)
if not open then redis.call('EXPIREAT', KEYS[1], reset + 1) end
return {used, reset, now}
)lua";

constexpr std::string_view ban_body = R"lua(
local level = tonumber(redis.call('HGET', KEYS[1], 'bl') or '0')
local longest = tonumber(ARGV[2]) * 1000
local length = math.min(longest, tonumber(ARGV[1]) * 1000 * 2 ^ math.min(level, 30))
redis.call('HSET', KEYS[1], 'bu', now + length, 'bl', level + 1)
lasts(KEYS[1], math.ceil((length + longest) / 1000))
return {length}
)lua";

// What was counted by endpoint is of an older generation from now on; requests under way stay.
constexpr std::string_view reset_body = R"lua(
local there = 0
for i = 2, #KEYS do there = there + redis.call('DEL', KEYS[i]) end
local g = tonumber(redis.call('HGET', KEYS[1], 'g') or '0')
local fields = redis.call('HLEN', KEYS[1])
if g > 0 then fields = fields - 1 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'g', g + 1)
redis.call('EXPIRE', KEYS[1], 7200)
return {there + fields}
)lua";

constexpr std::string_view read_body = R"lua(
local minute, hour = tonumber(ARGV[1]), tonumber(ARGV[2])
local out = {now}
local function show(name, length)
  local f = redis.call('HMGET', KEYS[1], name .. 's', name .. 'c', name .. 'p')
  out[#out + 1] = estimate(roll(f[1], f[2], f[3], length))
end
show('t', minute)
show('q', minute)
show('m', minute)
show('h', hour)
show('v', minute)
local under_way = 0
local all = redis.call('HGETALL', KEYS[2])
for i = 2, #all, 2 do
  local value = tonumber(all[i])
  if math.floor(value / 1000000) > seconds then under_way = under_way + value % 1000000 end
end
out[#out + 1] = under_way
local banned = tonumber(redis.call('HGET', KEYS[1], 'bu') or '0')
out[#out + 1] = math.max(0, banned - now)
for i = 3, #KEYS do
  local p = redis.call('HMGET', KEYS[i], 'u', 'r')
  local live = p[2] and now < p[2] * 1000
  out[#out + 1] = live and tonumber(p[1]) or 0
  out[#out + 1] = live and tonumber(p[2]) or 0
end
return out
)lua";

RedisScript script(std::string_view time, std::string_view body) {
  RedisScript out;
  out.text = "local t = " + std::string(time) + "\n";
  (out.text += counters) += body;
  out.sha = to_hex(sha1(out.text));
  return out;
}

}  // namespace

RedisScripts::RedisScripts(std::string_view time)
    : decide(script(time, decide_body)),
      settle(script(time, settle_body)),
      refund(script(time, refund_body)),
      merge(script(time, merge_body)),
      ban(script(time, ban_body)),
      reset(script(time, reset_body)),
      read(script(time, read_body)) {}

}  // namespace cairn::ratelimit
