// SPDX-License-Identifier: Apache-2.0
// Decisions over Redis beside the bare script: the same EVALSHA on the same keys over a connection
// of its own per thread, in the same run. And what an identity costs that is limited already.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ratelimit/memory/memory_limiter.h"
#include "ratelimit/redis/redis_accounts.h"
#include "ratelimit/redis/redis_limiter.h"
#include "ratelimit/redis/redis_process.h"
#include "ratelimit/redis/redis_scripts.h"

namespace cairn::ratelimit {
namespace {

constexpr std::uint64_t identities = 10'000;
constexpr int rounds = 21;

Policy bench_policy(const std::string& url) {
  Policy policy = default_policy();
  policy.plans.user = 4'000'000'000U;
  policy.secondary.points_rest = 4'000'000'000U;
  policy.store.kind = SharedState::Kind::redis;
  policy.store.urls = {url};
  policy.store.timeout_ms = 10'000;
  return policy;
}

struct Fixture {
  std::unique_ptr<RedisProcess> redis = RedisProcess::start();
  os::Metrics metrics;
  std::unique_ptr<RedisLimiter> limiter;
  std::shared_ptr<const Policy> policy;
  std::string sha;

  Fixture() {
    if (redis == nullptr) return;
    policy = std::make_shared<const Policy>(bench_policy(redis->url()));
    auto opened = RedisLimiter::open(
        policy, os::system_clock(), os::system_random(), metrics,
        memory_limiter(policy, os::system_clock(), os::system_random(), metrics));
    if (!opened.ok()) std::abort();
    limiter = std::move(*opened);
    const RedisScripts scripts("redis.call('TIME')");
    sha = redis->command({"SCRIPT", "LOAD", scripts.decide.text}).text;
    if (sha != scripts.decide.sha) std::abort();
  }
};

Fixture& fixture() {
  static Fixture the_house;
  return the_house;
}

Identity identity_of(std::uint64_t number) {
  return {.kind = IdentityKind::user, .account = "user:" + std::to_string(number % identities)};
}

// A thread's turn: `calls` decisions by the bare script, or through the limiter.
class Worker {
 public:
  Worker(Fixture& fixture, std::uint64_t number) : house_(fixture), next_(number * 2'503) {
    auto opened = RedisConnection::open(fixture.redis->address(), 10'000);
    if (!opened.ok()) std::abort();
    connection_ = std::move(*opened);
    const NodeAccounts tags(1, 1);
    for (std::uint64_t i = 0; i < identities; ++i) {
      who_.push_back(identity_of(i));
      const std::string tag = tags.tag_of(who_.back().account);
      keys_.push_back({tag + ":p:core", tag + ":s", tag + ":e:7", tag + ":n"});
    }
    charge_ = {.resource = *fixture.policy->resource("core"), .endpoint = 7};
  }
  void raw(int calls) {
    static const std::vector<std::string> arguments = {
        "raw", "0",          "0",  "4000000000", "1",  "3600",  "1",       "100",
        "1",   "4000000000", "0",  "90000",      "0",  "-1",    "0",       "-1",
        "-1",  "-1",         "-1", "0",          "-1", "60000", "3600000", "0"};
    for (int i = 0; i < calls; ++i) {
      const auto& mine = keys_[next_++ % identities];
      words_ = {"EVALSHA", house_.sha, "4"};
      words_.insert(words_.end(), mine.begin(), mine.end());
      words_.insert(words_.end(), arguments.begin(), arguments.end());
      const auto reply = connection_->call(words_, 10'000);
      if (!reply.ok() || reply->elements.size() != 6 || reply->elements[0].integer != 0)
        std::abort();
    }
  }
  void limiter(int calls) {
    for (int i = 0; i < calls; ++i) {
      Admission admission = house_.limiter->admit(who_[next_++ % identities], charge_);
      if (!admission.decision().admitted()) std::abort();
      admission.finish(200'000);  // 0.2 ms of CPU time, as a request takes
    }
  }

 private:
  Fixture& house_;
  std::uint64_t next_;
  std::unique_ptr<RedisConnection> connection_;
  std::vector<Identity> who_;
  std::vector<std::array<std::string, 4>> keys_;
  std::vector<std::string_view> words_;
  Charge charge_;
};

double cpu_s() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double rate(std::vector<std::unique_ptr<Worker>>& workers, int calls, void (Worker::*turn)(int)) {
  const auto began = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (auto& worker : workers) threads.emplace_back([&] { (worker.get()->*turn)(calls); });
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return static_cast<double>(workers.size()) * calls / took.count();
}

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

// Short rounds by turns, so that what else the machine does meets both alike.
void against_raw_script(benchmark::State& state) {
  Fixture& here = fixture();
  if (here.redis == nullptr) return state.SkipWithError("redis-server is not installed");
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::int64_t i = 0; i < state.range(0); ++i)
    workers.push_back(std::make_unique<Worker>(here, static_cast<std::uint64_t>(i)));
  const int calls = static_cast<int>(1'600 / state.range(0));
  rate(workers, calls, &Worker::raw);
  rate(workers, calls, &Worker::limiter);
  for (auto _ : state) {
    std::vector<double> raw, ours, ratio;
    double raw_cpu_s = 0;
    double our_cpu_s = 0;
    for (int round = 0; round < rounds; ++round) {
      const double began = cpu_s();
      raw.push_back(rate(workers, calls, &Worker::raw));
      const double between = cpu_s();
      ours.push_back(rate(workers, calls, &Worker::limiter));
      raw_cpu_s += between - began;
      our_cpu_s += cpu_s() - between;
      ratio.push_back(ours.back() / raw.back());
    }
    state.counters["raw_per_s"] = median(raw);
    state.counters["limiter_per_s"] = median(ours);
    state.counters["ratio"] = median(ratio);
    // This process's own time, which hardly depends on what else runs.
    const double all_calls = double{rounds} * calls * static_cast<double>(workers.size());
    state.counters["raw_cpu_us"] = raw_cpu_s * 1e6 / all_calls;
    state.counters["limiter_cpu_us"] = our_cpu_s * 1e6 / all_calls;
  }
}

void limited_identity(benchmark::State& state) {
  Fixture& here = fixture();
  if (here.redis == nullptr) return state.SkipWithError("redis-server is not installed");
  Charge charge{.resource = *here.policy->resource("search"), .endpoint = 8};
  const Identity who = identity_of(0);
  while (here.limiter->admit(who, charge).decision().admitted()) {
  }
  const std::uint64_t before = here.limiter->calls();
  std::uint64_t refused = 0;
  for (auto _ : state) refused += here.limiter->admit(who, charge).decision().admitted() ? 0 : 1;
  state.SetItemsProcessed(state.iterations());
  // The upkeep's one a second is among them; and where the minute of the window ends on the way,
  // the thirty of the next one.
  state.counters["calls_per_refusal"] = static_cast<double>(here.limiter->calls() - before) /
                                        static_cast<double>(std::max<std::uint64_t>(refused, 1));
}

BENCHMARK(against_raw_script)->Arg(1)->Arg(4)->Arg(16)->Iterations(1)->UseRealTime();
BENCHMARK(limited_identity)->UseRealTime()->MinTime(1);

}  // namespace
}  // namespace cairn::ratelimit

BENCHMARK_MAIN();
