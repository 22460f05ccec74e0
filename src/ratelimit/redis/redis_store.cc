// SPDX-License-Identifier: Apache-2.0
// Calls that fail are not repeated; five of them within a second end the calling.
#include "ratelimit/redis/redis_store.h"

#include <chrono>
#include <limits>
#include <utility>

#include "os/log.h"
#include "ratelimit/units.h"

namespace cairn::ratelimit {
namespace {

Error reply_error(const RedisReply& reply) {
  return {ErrorKind::unavailable, "", "redis: " + reply.text};
}

Result<std::vector<std::int64_t>> integers_of(const RedisReply& reply) {
  if (reply.type == RedisReply::Type::error) return reply_error(reply);
  std::vector<std::int64_t> out;
  out.reserve(reply.elements.size());
  for (const RedisReply& element : reply.elements) {
    if (element.type != RedisReply::Type::integer)
      return Error{ErrorKind::unavailable, "", "redis: a script answered something else"};
    out.push_back(element.integer);
  }
  return out;
}

}  // namespace

RedisStore::RedisStore(RedisAddress address, RedisWays ways, const os::Clock& clock,
                       os::Metrics& metrics)
    : clock_(clock),
      connections_(std::move(address), std::move(ways)),
      seconds_(metrics.histogram("cairn_ratelimit_store_seconds",
                                 "Time of a call to the shared state of the rate limits.")),
      failures_(metrics.counter("cairn_ratelimit_store_failures_total",
                                "Calls to the shared state of the rate limits that failed.")),
      fallback_(metrics.gauge("cairn_ratelimit_fallback_active",
                              "Servers of the shared state that this node does without.")) {
  MutexLock lock(mutex_);
  failed_ns_.fill(std::numeric_limits<std::int64_t>::min() / 2);
}

RedisStore::~RedisStore() {
  if (away()) fallback_.add(-1);
}

void RedisStore::note_failure(const Error& error, std::int64_t began_ns) {
  failures_.add();
  const std::int64_t now = clock_.steady_ns();
  // A slow store still answers somebody. One that answers nobody makes everyone wait in full.
  const bool silent =
      error.kind == ErrorKind::timeout && answered_ns_.load(std::memory_order_relaxed) <= began_ns;
  {
    MutexLock lock(mutex_);
    const std::int64_t fifth_before = failed_ns_[(next_ + 1) % failures_to_open];
    failed_ns_[next_] = now;
    next_ = (next_ + 1) % failures_to_open;
    if ((!silent && now - fifth_before > second_ns) || away_.exchange(true)) return;
  }
  fallback_.add(1);
  os::log(os::LogLevel::warn, "ratelimit", "store_away",
          {{"host", connections_.address().host},
           {"port", static_cast<int>(connections_.address().port)},
           {"error", error.message}});
}

void RedisStore::came_back() {
  {
    MutexLock lock(mutex_);
    failed_ns_.fill(std::numeric_limits<std::int64_t>::min() / 2);
    if (!away_.exchange(false)) return;
  }
  fallback_.add(-1);
  os::log(os::LogLevel::info, "ratelimit", "store_back",
          {{"host", connections_.address().host},
           {"port", static_cast<int>(connections_.address().port)}});
}

Result<RedisReply> RedisStore::command(std::initializer_list<std::string_view> words,
                                       std::int64_t timeout_ms) {
  const std::int64_t began_ns = clock_.steady_ns();
  auto reply = connections_.call({words.begin(), words.size()}, timeout_ms);
  if (!reply.ok()) {
    note_failure(reply.error(), began_ns);
  } else if (reply->type == RedisReply::Type::error) {
    note_failure(reply_error(*reply), began_ns);
    return reply_error(*reply);
  }
  return reply;
}

Result<std::vector<std::int64_t>> RedisStore::run(const RedisScript& script,
                                                  const std::vector<std::string>& keys,
                                                  const std::vector<std::string>& arguments,
                                                  std::int64_t timeout_ms) {
  const std::int64_t began_ns = clock_.steady_ns();
  const auto began = std::chrono::steady_clock::now();
  const std::string count = std::to_string(keys.size());
  std::vector<std::string_view> words;
  words.reserve(3 + keys.size() + arguments.size());
  words.insert(words.end(), {"EVALSHA", script.sha, count});
  words.insert(words.end(), keys.begin(), keys.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto reply = connections_.call(words, timeout_ms);
  // It has not run; EVAL runs it and keeps it for the next EVALSHA.
  if (reply.ok() && reply->is_error("NOSCRIPT")) {
    words[0] = "EVAL";
    words[1] = script.text;
    reply = connections_.call(words, timeout_ms);
  }
  const auto took = std::chrono::steady_clock::now() - began;
  seconds_.observe_ns(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
  auto integers = reply.ok() ? integers_of(*reply) : std::move(reply).error();
  if (integers.ok())
    answered_ns_.store(clock_.steady_ns(), std::memory_order_relaxed);
  else
    note_failure(integers.error(), began_ns);
  return integers;
}

}  // namespace cairn::ratelimit
