// SPDX-License-Identifier: Apache-2.0
// Two nodes on one Redis: the table of every limiter, exact sums, and Redis slow, gone and back.
#include "ratelimit/redis/redis_limiter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ratelimit/limiter_contract.h"
#include "ratelimit/memory/memory_limiter.h"
#include "ratelimit/redis/redis_process.h"
#include "ratelimit/redis/redis_scripts.h"

namespace cairn::ratelimit {
namespace {

using contract::admitted;
using contract::check_refused;
using contract::check_window;
using contract::once;
using contract::read_of;
using contract::user;
using contract::with_user_limit;

/// The server of all cases, empty each time; null and a message where there is none.
RedisProcess* server() {
  static const std::unique_ptr<RedisProcess> process = RedisProcess::start();
  if (process == nullptr)
    MESSAGE("skipped: redis-server is not installed");
  else
    process->command({"FLUSHALL"});
  return process.get();
}

/// One node. Its clock stands still, so that nothing here depends on how fast the machine is; the
/// clock that decides is Redis's.
struct Node {
  os::FakeClock clock{os::system_clock().unix_ms()};
  std::unique_ptr<os::Random> random;
  os::Metrics metrics;
  std::unique_ptr<RedisLimiter> limiter;

  Node(const RedisProcess& redis, Policy policy, std::uint64_t seed = 1,
       std::uint32_t timeout_ms = 10'000)
      : random(os::seeded_random(seed)) {
    policy.store.kind = SharedState::Kind::redis;
    policy.store.urls = {redis.url()};
    policy.store.timeout_ms = timeout_ms;
    const auto shared = std::make_shared<const Policy>(std::move(policy));
    auto opened =
        RedisLimiter::open(shared, clock, *random, metrics,
                           memory_limiter(shared, clock, *random, metrics), {.upkeep = false});
    REQUIRE(opened.ok());
    limiter = std::move(*opened);
  }
  Limiter& operator*() const { return *limiter; }
  RedisLimiter* operator->() const { return limiter.get(); }
};

Policy only_primary(Limit limit) {
  Policy policy = with_user_limit(limit);
  policy.secondary = {.concurrent = {},
                      .points_rest = {},
                      .points_graphql = {},
                      .cpu_ms_total = {},
                      .cpu_ms_graphql = {},
                      .content_per_minute = {},
                      .content_per_hour = {}};
  return policy;
}

TEST_CASE("redis limiter: decides as the table of every limiter says") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  std::vector<std::shared_ptr<os::FakeClock>> clocks;
  const auto random = os::seeded_random(1);
  os::Metrics metrics;
  const auto tell = [redis](const os::FakeClock& clock) {
    const std::string seconds = std::to_string(clock.unix_ms() / 1'000);
    const std::string micros = std::to_string(clock.unix_ms() % 1'000 * 1'000);
    redis->command({"MSET", "test:s", seconds, "test:us", micros});
  };
  contract::run_all([&](Policy policy) {
    redis->command({"FLUSHALL"});
    policy.store.urls = {redis->url()};
    policy.store.timeout_ms = 10'000;
    const std::int64_t start = os::system_clock().unix_ms() / 1'000 * 1'000;
    const auto clock = std::make_shared<os::FakeClock>(start);
    clocks.push_back(clock);
    tell(*clock);
    const auto shared = std::make_shared<const Policy>(std::move(policy));
    auto opened = RedisLimiter::open(
        shared, *clock, *random, metrics, memory_limiter(shared, *clock, *random, metrics),
        {.upkeep = false, .time = "redis.call('MGET', 'test:s', 'test:us')"});
    REQUIRE(opened.ok());
    return contract::Bench{.limiter = std::move(*opened),
                           .advance_ms =
                               [clock, tell](std::int64_t ms) {
                                 clock->advance_ms(ms);
                                 tell(*clock);
                               },
                           .unix_ms = [clock] { return clock->unix_ms(); }};
  });
}

TEST_CASE("redis limiter: two nodes and 20 threads admit exactly the primary limit") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = only_primary(1'000);
  const Node a(*redis, policy, 1);
  const Node b(*redis, policy, 2);
  std::atomic<int> total = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 20; ++t)
      threads.emplace_back(
          [&, t] { total += admitted(t % 2 == 0 ? *a : *b, user("a"), read_of(policy), 100); });
  }
  CHECK(total == 1'000);
  check_window(once(*a, user("a"), read_of(policy)), 1'000, 1'000);
  CHECK(a->windows(user("a")).front().used == 1'000);
}

TEST_CASE("redis limiter: a limited identity costs no call") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = only_primary(5);
  const Node node(*redis, policy);
  CHECK(admitted(*node, user("a"), read_of(policy), 6) == 5);
  const std::uint64_t before = node->calls();
  for (std::uint32_t i = 0; i < 100; ++i) {
    const Decision refused = once(*node, user("a"), read_of(policy));
    check_refused(refused, Refusal::primary);
    check_window(refused, 5, 5);
    CHECK(refused.nth_refusal == i + 2);
  }
  CHECK(node->calls() == before);
  CHECK(once(*node, user("a"), read_of(policy, "search", 9)).admitted());
}

TEST_CASE("redis limiter: nodes see each other's requests under way") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  Policy policy = with_user_limit(1'000);
  policy.secondary.concurrent = 10;
  const Node a(*redis, policy, 1);
  const Node b(*redis, policy, 2);
  std::vector<Admission> held;
  for (int i = 0; i < 6; ++i) held.push_back(a->admit(user("a"), read_of(policy)));
  for (int i = 0; i < 4; ++i) held.push_back(b->admit(user("a"), read_of(policy)));
  CHECK(std::all_of(held.begin(), held.end(),
                    [](const Admission& each) { return each.decision().admitted(); }));
  check_refused(once(*b, user("a"), read_of(policy)), Refusal::concurrent);
  check_refused(once(*a, user("a"), read_of(policy)), Refusal::concurrent);
  held.erase(held.begin(), held.begin() + 6);
  a->tend();  // says that they are over
  CHECK(once(*b, user("a"), read_of(policy)).admitted());
  CHECK(b->describe(user("a")).find_path("secondary.concurrent")->int_or("used") <= 5);
}

TEST_CASE("redis limiter: CPU time of one node counts on the other") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = with_user_limit(1'000);
  const Node a(*redis, policy, 1);
  const Node b(*redis, policy, 2);
  CHECK(once(*a, user("a"), read_of(policy), 95'000).admitted());
  a->tend();
  check_refused(once(*b, user("a"), read_of(policy)), Refusal::cpu);
}

TEST_CASE("redis limiter: a reset on one node ends the refusals of the others") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = only_primary(2);
  const Node a(*redis, policy, 1);
  const Node b(*redis, policy, 2);
  b->tend();
  CHECK(admitted(*b, user("a"), read_of(policy), 5) == 2);
  CHECK(a->reset("user:a"));
  b->tend();
  CHECK(admitted(*b, user("a"), read_of(policy), 5) == 2);
  CHECK(a->reset("user:a"));
  CHECK_FALSE(a->reset("user:a"));
}

TEST_CASE("redis limiter: a refund on one node counts for all") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = only_primary(2);
  const Node a(*redis, policy, 1);
  const Node b(*redis, policy, 2);
  Admission admission = a->admit(user("a"), read_of(policy));
  check_window(once(*b, user("a"), read_of(policy)), 2, 2);
  admission.refund();
  check_window(admission.decision(), 2, 1);
  check_window(once(*b, user("a"), read_of(policy)), 2, 2);
}

TEST_CASE("redis limiter: scripts come back after FLUSH") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = only_primary(100);
  const Node node(*redis, policy);
  CHECK(once(*node, user("a"), read_of(policy)).admitted());
  CHECK(redis->command({"SCRIPT", "FLUSH"}).text == "OK");
  check_window(once(*node, user("a"), read_of(policy)), 100, 2);
  CHECK_FALSE(node->away());
}

TEST_CASE("redis limiter: keys expire with their window") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = with_user_limit(100);
  const Node node(*redis, policy);
  Charge charge = contract::content_of(policy);
  const Decision decision = once(*node, user("a"), charge, 500);
  once(*node, user("a"), charge);
  const RedisReply keys = redis->command({"KEYS", "rl:*"});
  CHECK(keys.elements.size() == 4);
  for (const RedisReply& key : keys.elements) {
    CAPTURE(key.text);
    const std::int64_t at = redis->command({"EXPIRETIME", key.text}).integer;
    CHECK(at > 0);
    if (key.text.ends_with(":p:core")) CHECK(at == decision.window->reset_s + 1);
  }
}

TEST_CASE("redis limiter: a cluster finds all keys of a decision in one slot") {
  if (server() == nullptr) return;
  const auto cluster = RedisProcess::start({"--cluster-enabled", "yes"});
  REQUIRE(cluster != nullptr);
  CHECK(cluster->command({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"}).text == "OK");
  while (cluster->command({"CLUSTER", "INFO"}).text.find("cluster_state:ok") == std::string::npos)
    std::this_thread::yield();
  Policy policy = with_user_limit(100);
  policy.ban = {.enabled = true, .strikes = 1};
  const Node node(*cluster, policy);
  Charge charge = contract::content_of(policy);
  charge.content_per_minute = 3;
  for (int i = 0; i < 20; ++i) {
    const Identity who = user("u" + std::to_string(i));
    CHECK(admitted(*node, who, charge, 5) == 3);
    CHECK(node->windows(who).front().used == 3);
    CHECK(node->reset(who.account));
  }
  node->tend();
  CHECK_FALSE(node->away());
  CHECK(node.metrics.expose().find("store_failures_total 0") != std::string::npos);
}

TEST_CASE("redis limiter: Redis hangs: bounded, never nothing, and one count when it is back") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = only_primary(100);
  const Node a(*redis, policy, 1, 100);
  const Node b(*redis, policy, 2, 100);
  int total = admitted(*a, user("a"), read_of(policy), 20);
  total += admitted(*b, user("a"), read_of(policy), 1);
  redis->pause();
  const int of_a = admitted(*a, user("a"), read_of(policy), 200);
  const int of_b = admitted(*b, user("a"), read_of(policy), 200);
  CHECK(a->away());
  CHECK(of_a == 40);  // half of what was left, rounded up
  CHECK(of_b == 40);
  total += of_a + of_b;
  const Decision refused = once(*a, user("a"), read_of(policy));
  check_refused(refused, Refusal::primary);
  check_window(refused, 100, 100);  // the policy's limit, and nothing left
  CHECK(a->windows(user("a")).front().remaining == 0);
  const int unknown = admitted(*a, user("b"), read_of(policy), 200);
  CHECK(unknown == 50);
  a->tend();
  CHECK(a->away());  // still
  redis->resume();
  while (a->away() || b->away()) {  // a loaded machine may need more than one try
    a->tend();
    b->tend();
  }
  // What both nodes admitted apart is added up. What was sent before the stop may have run after it.
  const std::uint32_t used = a->windows(user("a")).front().used;
  CHECK(used >= static_cast<std::uint32_t>(total));
  CHECK(used <= static_cast<std::uint32_t>(total) + 2);
  CHECK(a->windows(user("b")).front().used >= 50);
  CHECK(admitted(*b, user("a"), read_of(policy), 200) == 0);
  CHECK(total <= 101);  // the shares were rounded up
  CHECK(a->windows(user("a")).front().used == used);
}

TEST_CASE("redis limiter: Redis dies and comes back empty: the counts of the nodes are merged") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = only_primary(100);
  const Node a(*redis, policy, 1, 1'000);
  const Decision before = once(*a, user("a"), read_of(policy));
  check_window(before, 100, 1);
  redis->kill();
  CHECK(admitted(*a, user("a"), read_of(policy), 30) == 30);
  CHECK(a->away());
  const std::uint64_t calls = a->calls();
  CHECK(once(*a, user("a"), read_of(policy)).admitted());
  CHECK(a->calls() == calls);  // the breaker is open
  const std::string saved = a->save();
  REQUIRE(redis->restart());
  a->tend();
  CHECK_FALSE(a->away());
  const Decision after = once(*a, user("a"), read_of(policy));
  check_window(after, 100, 33);
  CHECK(after.window->reset_s == before.window->reset_s);  // the same window

  // A node that was killed meanwhile merges what it had saved.
  redis->command({"FLUSHALL"});
  const Node again(*redis, policy, 3);
  CHECK(again->restore(saved).ok());
  again->tend();
  check_window(once(*again, user("a"), read_of(policy)), 100, 33);
  CHECK_FALSE(again->restore("rlr1\x05").ok());
}

TEST_CASE("redis limiter: refunds, secondary limits and CPU time hold while Redis is away") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  Policy policy = with_user_limit(1'000);
  policy.secondary.concurrent = 3;
  const Node node(*redis, policy, 1, 1'000);
  redis->kill();
  Admission first = node->admit(user("a"), read_of(policy));
  REQUIRE(first.decision().admitted());
  check_window(first.decision(), 1'000, 501);  // the other node's half counts as used
  first.refund();
  check_window(first.decision(), 1'000, 500);
  Admission second = node->admit(user("a"), read_of(policy));
  Admission third = node->admit(user("a"), read_of(policy));
  check_refused(once(*node, user("a"), read_of(policy)), Refusal::concurrent);
  first.finish(0);
  CHECK(admitted(*node, user("b"), contract::write_of(policy), 200) == 180);
  CHECK(once(*node, user("c"), read_of(policy), 95'000).admitted());
  check_refused(once(*node, user("c"), read_of(policy)), Refusal::cpu);
  CHECK(node->describe(user("c")).string_or("store") == "away");
  CHECK(node->windows(user("b")).front().used == 500 + 180);
  CHECK(node->windows(user("b")).front().limit == 1'000);
  REQUIRE(redis->restart());
}

TEST_CASE("redis limiter: a merge that is repeated counts once, and lost data are counted anew") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  redis->command({"FLUSHALL"});
  const RedisScripts scripts("redis.call('TIME')");
  const std::string reset = std::to_string(os::system_clock().unix_ms() / 1'000 + 600);
  const auto merge = [&](const char* known, const char* apart, const char* before,
                         const char* node) {
    return redis
        ->command({"EVAL", scripts.merge.text, "1", "rl:{m}:p:core", known, apart, before,
                   reset.c_str(), node})
        .elements.at(0)
        .integer;
  };
  CHECK(merge("10", "5", "0", "a") == 15);
  CHECK(merge("10", "5", "0", "a") == 15);  // it had run already
  CHECK(merge("10", "7", "0", "b") == 22);  // the sum, and not the larger of 15 and 17
  CHECK(merge("22", "3", "5", "a") == 25);
  redis->command({"FLUSHALL"});
  CHECK(merge("25", "2", "8", "a") == 27);
  CHECK(merge("22", "4", "7", "b") == 31);
}

TEST_CASE("redis limiter: a remembered denial ends with the data that it goes by") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = only_primary(2);
  const Node node(*redis, policy);
  node->tend();
  CHECK(admitted(*node, user("a"), read_of(policy), 5) == 2);
  node->tend();
  check_refused(once(*node, user("a"), read_of(policy)), Refusal::primary);
  redis->command({"FLUSHALL"});
  node->tend();
  const Decision fresh = once(*node, user("a"), read_of(policy));
  CHECK(fresh.admitted());
  check_window(fresh, 2, 1);
}

TEST_CASE("R02: a store that is slow is waited for, and one that is silent is left at once") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  const Policy policy = only_primary(200);
  CHECK(default_policy().store.timeout_ms >= 1'000);
  const Node node(*redis, policy, 1, 30'000);
  std::atomic<int> total = 0;
  {
    // Redis stands still for longer than any answer took before; nobody decides without it.
    redis->command({"CLIENT", "PAUSE", "300", "ALL"});
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] { total += admitted(*node, user("a"), read_of(policy), 50); });
  }
  CHECK(total == 200);
  CHECK_FALSE(node->away());
  const Node hasty(*redis, policy, 2, 50);
  redis->pause();
  CHECK(once(*hasty, user("b"), read_of(policy)).admitted());
  CHECK(hasty->away());  // one call that nobody answered is enough
  const std::uint64_t calls = hasty->calls();
  CHECK(admitted(*hasty, user("b"), read_of(policy), 50) == 50);
  CHECK(hasty->calls() == calls);
  redis->resume();
}

TEST_CASE("R01: Redis: 10,000 parallel requests, a window edge and a restart admit the limit") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  redis->command({"FLUSHALL"});
  Policy policy = only_primary(1'000);
  policy.resources[*policy.resource("core")].window_s = 86'400;
  std::atomic<int> total = 0;
  const auto storm = [&](const Node& a, const Node& b, int each) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 20; ++t)
      threads.emplace_back(
          [&, t] { total += admitted(t % 2 == 0 ? *a : *b, user("a"), read_of(policy), each); });
  };
  {
    const Node a(*redis, policy, 1), b(*redis, policy, 2);
    storm(a, b, 25);
  }
  CHECK(total == 500);  // 500 of 10,000 requests: all fit
  const Node a(*redis, policy, 3), b(*redis, policy, 4);  // both nodes start anew
  storm(a, b, 475);
  CHECK(total == 1'000);
  check_window(once(*a, user("a"), read_of(policy)), 1'000, 1'000);
  a->tend();
  b->tend();
  // The edge: the window is over for everybody at once.
  const std::string key = redis->command({"KEYS", "rl:*:p:core"}).elements.at(0).text;
  const std::int64_t now_s = os::system_clock().unix_ms() / 1'000;
  redis->command({"HSET", key.c_str(), "r", std::to_string(now_s).c_str()});
  CHECK(a->reset("user:nobody") == false);  // tells the nodes to look anew
  a->tend();
  b->tend();
  total = 0;
  storm(a, b, 100);
  CHECK(total == 1'000);
}

TEST_CASE("redis limiter: on_error open admits, closed refuses, exempt callers pass") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  Policy policy = only_primary(1);
  policy.store.on_error = SharedState::OnError::open;
  const Node open(*redis, policy, 1, 1'000);
  policy.store.on_error = SharedState::OnError::closed;
  const Node closed(*redis, policy, 2, 1'000);
  redis->kill();
  CHECK(admitted(*open, user("a"), read_of(policy), 10) == 10);
  CHECK(admitted(*closed, user("a"), read_of(policy), 10) == 0);
  check_refused(once(*closed, user("a"), read_of(policy)), Refusal::no_state);
  Identity exempt = user("admin");
  exempt.exempt = true;
  CHECK(once(*closed, exempt, read_of(policy)).admitted());
  REQUIRE(redis->restart());
}

TEST_CASE("redis limiter: the upkeep thread finds Redis again by itself, and ends") {
  RedisProcess* const redis = server();
  if (redis == nullptr) return;
  Policy policy = only_primary(10);
  policy.store.urls = {redis->url()};
  policy.store.timeout_ms = 1'000;
  const auto random = os::seeded_random(1);
  os::Metrics metrics;
  const auto shared = std::make_shared<const Policy>(policy);
  auto opened = RedisLimiter::open(shared, os::system_clock(), *random, metrics,
                                   memory_limiter(shared, os::system_clock(), *random, metrics));
  REQUIRE(opened.ok());
  redis->kill();
  for (int i = 0; i < 5; ++i) once(**opened, user("x" + std::to_string(i)), read_of(policy));
  REQUIRE(redis->restart());
  while ((*opened)->away()) std::this_thread::yield();
  CHECK(once(**opened, user("a"), read_of(policy)).admitted());
}

TEST_CASE("redis limiter: urls that are none are refused at once") {
  os::FakeClock clock;
  const auto random = os::seeded_random(1);
  os::Metrics metrics;
  const auto open = [&](std::vector<std::string> urls) {
    Policy policy = default_policy();
    policy.store.urls = std::move(urls);
    const auto shared = std::make_shared<const Policy>(std::move(policy));
    return RedisLimiter::open(shared, clock, *random, metrics,
                              memory_limiter(shared, clock, *random, metrics), {.upkeep = false});
  };
  CHECK_FALSE(open({}).ok());
  CHECK_FALSE(open({"http://localhost"}).ok());
  CHECK(open({"redis://127.0.0.1:1"}).ok());  // it may come
}

}  // namespace
}  // namespace cairn::ratelimit
