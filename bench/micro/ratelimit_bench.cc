// SPDX-License-Identifier: Apache-2.0
// A full decision of the limiter in memory: admit (look-up, all tests, all charges) and finish (CPU
// time charged), on the system's clock.
//   bm_decision   of an account by its name, as the server asks about addresses
//   bm_noted      of an account that has a note, as the server asks about callers with a key
//   bm_announced  the same, and each was announced one decision earlier, as the server announces
//                 a key's account before it hashes the secret
// With CAIRN_BENCH_REDIS=PORT also a Lua script in that Redis, over a plain socket.
// ratelimit_peer/run.sh runs all of it, and npm's rate-limiter-flexible besides, one after the
// other.
//   ratelimit_bench [--benchmark_filter=...]
#include <benchmark/benchmark.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/cpu.h"
#include "os/large_memory.h"
#include "ratelimit/memory/memory_limiter.h"

namespace {

using namespace cairn;
using ratelimit::AccountNote;
using ratelimit::Charge;
using ratelimit::Identity;
using ratelimit::Limiter;

constexpr std::uint32_t endpoints = 3;
constexpr std::int64_t cpu_ns = 20'000;

/// Limits so high that nothing is refused, and every one of them looked at.
ratelimit::Policy bench_policy(std::uint32_t identities) {
  ratelimit::Policy policy = ratelimit::default_policy();
  constexpr std::uint32_t plenty = 4'000'000'000;
  policy.plans.user = plenty;
  policy.plans.unauthenticated = 60;
  policy.secondary.points_rest = plenty;
  policy.secondary.cpu_ms_total = plenty;
  policy.secondary.cpu_ms_graphql = plenty;
  policy.secondary.heavy_per_minute = 60'000;
  policy.max_identities = identities;
  return policy;
}

/// A caller as the server knows it once it has found the key.
struct alignas(64) Known {
  Identity identity;
  AccountNote note;
};

/// All of them, in huge pages where there are any: to walk through page tables for a caller is not
/// the limiter's work.
class KnownCallers {
 public:
  explicit KnownCallers(std::uint32_t count)
      : memory_(count * sizeof(Known)), at_(static_cast<Known*>(memory_.data())), count_(count) {
    memory_.use_huge_pages(false);
    std::uninitialized_default_construct_n(at_, count_);
  }
  KnownCallers(const KnownCallers&) = delete;
  KnownCallers& operator=(const KnownCallers&) = delete;
  ~KnownCallers() { std::destroy_n(at_, count_); }
  Known& operator[](std::uint32_t number) { return at_[number]; }

 private:
  os::LargeMemory memory_;
  Known* at_ = nullptr;
  std::uint32_t count_ = 0;
};

struct World {
  explicit World(std::uint32_t identities, std::uint32_t callers = 0)
      : known(callers),
        policy(std::make_shared<const ratelimit::Policy>(bench_policy(identities))),
        limiter(
            ratelimit::memory_limiter(policy, os::system_clock(), os::system_random(), metrics)) {
    for (std::uint32_t i = 0; i < endpoints; ++i) {
      const ratelimit::RouteFacts route{.method = "GET", .path = "/e/" + std::to_string(i)};
      charges.push_back(*ratelimit::charge_of(route, *policy));
    }
  }
  KnownCallers known;  // by number
  os::Metrics metrics;
  std::shared_ptr<const ratelimit::Policy> policy;
  std::unique_ptr<Limiter> limiter;
  std::vector<Charge> charges;
};

/// An account by number. The text is made anew each time, as the server's is: it is in the cache.
class Caller {
 public:
  explicit Caller(std::string_view prefix = "user:") : prefix_(prefix.size()) {
    identity_.kind =
        prefix == "ip:" ? ratelimit::IdentityKind::address : ratelimit::IdentityKind::user;
    identity_.account = std::string(prefix) + "0000000";
  }
  const Identity& number(std::uint32_t n) {
    for (std::size_t at = prefix_ + 7; at-- > prefix_; n /= 10)
      identity_.account[at] = static_cast<char>('0' + n % 10);
    return identity_;
  }

 private:
  std::size_t prefix_;
  Identity identity_;
};

struct Dice {
  std::uint64_t state;
  std::uint32_t below(std::uint32_t bound) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<std::uint32_t>((state >> 32) * bound >> 32);
  }
};

// One world for all benchmarks of one size; filled before it is measured. All endpoints, so that
// nothing is made any more.
World& filled(std::uint32_t identities) {
  static std::unique_ptr<World> world;
  static std::uint32_t size = 0;
  if (size == identities) return *world;
  world = nullptr;
  world = std::make_unique<World>(std::max(identities, 1'000'000u), identities);
  size = identities;
  Caller caller;
  for (std::uint32_t i = 0; i < identities; ++i) {
    Known& known = world->known[i];
    known.identity = caller.number(i);
    for (const Charge& charge : world->charges)
      world->limiter->admit_noted(known.identity, charge, known.note).finish(cpu_ns);
  }
  return *world;
}

void decide(World& world, Caller& caller, Dice& dice, std::uint32_t identities) {
  const Identity& who = caller.number(identities == 1 ? 0 : dice.below(identities));
  ratelimit::Admission admission = world.limiter->admit(who, world.charges[dice.below(endpoints)]);
  benchmark::DoNotOptimize(admission.decision());
  admission.finish(cpu_ns);
}

// The next callers, who come into the cache meanwhile: the server has just read them, to verify the
// key. Their records do not.
class Queue {
 public:
  Queue(World& world, std::uint32_t identities, std::uint64_t seed)
      : world_(world), identities_(identities), dice_{seed} {
    for (std::uint32_t i = 0; i < length; ++i) draw();
  }
  Known& next() {
    Known& now = *known_[at_ % length];
    draw();
    return now;
  }
  Known& after() const { return *known_[at_ % length]; }  // what next() will give
  const Charge& charge() { return world_.charges[dice_.below(endpoints)]; }

 private:
  void draw() {
    Known& known = world_.known[identities_ == 1 ? 0 : dice_.below(identities_)];
    __builtin_prefetch(&known);
    __builtin_prefetch(&known.note);
    known_[at_++ % length] = &known;
  }
  static constexpr std::uint32_t length = 8;
  World& world_;
  std::uint32_t identities_;
  Dice dice_;
  Known* known_[length] = {};
  std::uint32_t at_ = 0;
};

// With the note that the server has of a caller with a key. `announced`: the next one was made
// known before this one was decided, as the server makes it known before it hashes the secret.
template <bool announced>
void decide_noted(World& world, Queue& queue) {
  Known& now = queue.next();
  if constexpr (announced) world.limiter->announce(queue.after().identity, queue.after().note);
  ratelimit::Admission admission =
      world.limiter->admit_noted(now.identity, queue.charge(), now.note);
  benchmark::DoNotOptimize(admission.decision());
  admission.finish(cpu_ns);
}

World* shared_world = nullptr;

void bm_decision(benchmark::State& state) {
  const auto identities = static_cast<std::uint32_t>(state.range(0));
  if (state.thread_index() == 0) shared_world = &filled(identities);
  Caller caller;
  Dice dice{0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(state.thread_index())};
  for (auto _ : state) decide(*shared_world, caller, dice, identities);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bm_decision)->Arg(1)->Arg(10'000)->Arg(1'000'000)->UseRealTime();
BENCHMARK(bm_decision)->Arg(1)->Arg(10'000)->Arg(1'000'000)->Threads(2)->UseRealTime();

template <bool announced>
void run_noted(benchmark::State& state) {
  const auto identities = static_cast<std::uint32_t>(state.range(0));
  if (state.thread_index() == 0) shared_world = &filled(identities);
  std::unique_ptr<Queue> queue;  // made when the world is
  for (auto _ : state) {
    if (queue == nullptr)
      queue = std::make_unique<Queue>(*shared_world, identities,
                                      77 + static_cast<std::uint64_t>(state.thread_index()));
    decide_noted<announced>(*shared_world, *queue);
  }
  state.SetItemsProcessed(state.iterations());
}
void bm_noted(benchmark::State& state) { run_noted<false>(state); }
void bm_announced(benchmark::State& state) { run_noted<true>(state); }
BENCHMARK(bm_noted)->Arg(1)->Arg(10'000)->Arg(1'000'000)->UseRealTime();
BENCHMARK(bm_noted)->Arg(1)->Arg(10'000)->Arg(1'000'000)->Threads(2)->UseRealTime();
BENCHMARK(bm_announced)->Arg(1)->Arg(10'000)->Arg(1'000'000)->UseRealTime();

// The loop and the account's text alone, to know what the above contain of it.
void bm_loop(benchmark::State& state) {
  Caller caller;
  Dice dice{7};
  for (auto _ : state)
    benchmark::DoNotOptimize(caller.number(dice.below(1'000'000)).account.data());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bm_loop);

// One wait for memory: a chain of reads at random places of as much as a million records take. No
// table of that size can answer faster.
void bm_one_miss(benchmark::State& state) {
  const std::size_t bytes = std::size_t{160} << 20;
  const os::LargeMemory memory(bytes);
  memory.use_huge_pages(false);
  auto* const words = static_cast<std::uint64_t*>(memory.data());
  std::fill_n(words, bytes / 8, 0);
  Dice dice{3};
  std::uint64_t last = 0;
  for (auto _ : state) {
    const std::uint64_t line = dice.below(static_cast<std::uint32_t>(bytes / 64)) + last;
    last = words[line * 8];
  }
  benchmark::DoNotOptimize(last);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bm_one_miss);

void report_tail(benchmark::State& state, std::vector<std::int64_t>& took) {
  std::sort(took.begin(), took.end());
  const auto at = [&](double share) {
    return static_cast<double>(took[static_cast<std::size_t>(share * double(took.size() - 1))]);
  };
  state.counters["p50_ns"] = at(0.5);
  state.counters["p99_ns"] = at(0.99);
  state.counters["p99.9_ns"] = at(0.999);
}

// Each decision timed by itself; the clock's own cost, some 20 to 40 ns, is in it.
template <bool noted>
void run_tail(benchmark::State& state) {
  const auto identities = static_cast<std::uint32_t>(state.range(0));
  if (state.thread_index() == 0) shared_world = &filled(identities);
  const std::uint64_t seed = 99 + static_cast<std::uint64_t>(state.thread_index());
  Caller caller;
  Dice dice{seed};
  std::unique_ptr<Queue> queue;
  std::vector<std::int64_t> took;
  took.reserve(4'000'000);
  for (auto _ : state) {
    if (queue == nullptr) queue = std::make_unique<Queue>(*shared_world, identities, seed);
    const auto begin = std::chrono::steady_clock::now();
    if constexpr (noted)
      decide_noted<false>(*shared_world, *queue);
    else
      decide(*shared_world, caller, dice, identities);
    const auto ns = (std::chrono::steady_clock::now() - begin).count();
    if (took.size() < took.capacity()) took.push_back(ns);
  }
  if (state.thread_index() == 0) report_tail(state, took);
}
void bm_tail(benchmark::State& state) { run_tail<false>(state); }
void bm_noted_tail(benchmark::State& state) { run_tail<true>(state); }
BENCHMARK(bm_tail)->Arg(10'000)->Arg(1'000'000)->UseRealTime();
BENCHMARK(bm_noted_tail)->Arg(10'000)->Arg(1'000'000)->UseRealTime();
BENCHMARK(bm_tail)->Arg(1)->Arg(1'000'000)->Threads(2)->UseRealTime();

double bytes_each(std::size_t before, std::uint32_t identities) {
  return (static_cast<double>(os::resident_bytes()) - static_cast<double>(before)) / identities;
}

// What a million identities that read one endpoint take, all in.
void bm_memory(benchmark::State& state) {
  constexpr std::uint32_t identities = 1'000'000;
  double bytes = 0;
  for (auto _ : state) {
    const std::size_t before = os::resident_bytes();
    World world(identities);
    Caller caller;
    for (std::uint32_t i = 0; i < identities; ++i)
      world.limiter->admit(caller.number(i), world.charges[0]).finish(cpu_ns);
    bytes = bytes_each(before, identities);
  }
  state.counters["bytes_per_identity"] = bytes;
  state.SetItemsProcessed(state.iterations() * identities);
}
BENCHMARK(bm_memory)->Iterations(1)->Unit(benchmark::kMillisecond);

// Ten million addresses against a table of a million: the bound holds, and nobody waits long.
void bm_flood(benchmark::State& state) {
  constexpr std::uint32_t places = 1'000'000;
  constexpr std::uint32_t addresses = 9'999'999;
  double bytes = 0;
  for (auto _ : state) {
    const std::size_t before = os::resident_bytes();
    World world(places);
    Caller caller("ip:");
    for (std::uint32_t i = 0; i < addresses; ++i)
      world.limiter->admit(caller.number(i), world.charges[0]).finish(cpu_ns);
    bytes = bytes_each(before, places);
  }
  state.counters["bytes_per_place"] = bytes;
  state.SetItemsProcessed(state.iterations() * addresses);
}
BENCHMARK(bm_flood)->Iterations(1)->Unit(benchmark::kMillisecond);

// The state of a million identities as bytes, as the server writes every few seconds.
void bm_save(benchmark::State& state) {
  World& world = filled(1'000'000);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = world.limiter->save().size();
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(bm_save)->Unit(benchmark::kMillisecond);

// Primary window, two-counter minute and concurrency in one script: what one decision asks of a
// shared store. KEYS[1], KEYS[2]: the window, the rest.
constexpr std::string_view lua = R"(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local used, reset = unpack(redis.call('HMGET', KEYS[1], 'u', 'r'))
used = tonumber(used) or 0
reset = tonumber(reset) or 0
if now >= reset * 1000 then
  used = 0
  reset = math.ceil(now / 1000) + 3600
end
if used + 1 > 4000000000 then return {1, used, reset} end
local slot = math.floor(now / 60000)
local s, c, p = unpack(redis.call('HMGET', KEYS[2], 's', 'c', 'p'))
s, c, p = tonumber(s) or 0, tonumber(c) or 0, tonumber(p) or 0
if s ~= slot then
  p = s + 1 == slot and c or 0
  c = 0
end
if p * (60000 - now % 60000) + (c + 1) * 60000 > 4000000000 * 60000 then return {2, used, reset} end
redis.call('HSET', KEYS[1], 'u', used + 1, 'r', reset)
redis.call('EXPIREAT', KEYS[1], reset + 1)
redis.call('HSET', KEYS[2], 's', slot, 'c', c + 1, 'p', p)
redis.call('EXPIRE', KEYS[2], 120)
return {0, used + 1, reset})";

/// One connection; speaks just enough of the protocol.
class RedisPeer {
 public:
  explicit RedisPeer(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ok_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    if (!ok_) return;
    send(command({"SCRIPT", "LOAD", lua}));
    const std::string reply = line();  // $40, and the hash
    ok_ = reply.substr(0, 1) == "$";
    hash_ = line();
  }
  ~RedisPeer() { ::close(socket_); }
  bool ok() const { return ok_; }
  void ask(std::uint32_t account) {
    const std::string name = "rl:{" + std::to_string(account) + "}";
    waiting_ += command({"EVALSHA", hash_, "2", name + ":p", name + ":s"});
  }
  void flush() { send(waiting_), waiting_.clear(); }
  void answer() {  // *3 and three integers
    for (int i = 0; i < 4; ++i) (void)line();
  }

 private:
  static std::string command(std::initializer_list<std::string_view> parts) {
    std::string out = "*" + std::to_string(parts.size()) + "\r\n";
    for (const std::string_view part : parts)
      out += "$" + std::to_string(part.size()) + "\r\n" + std::string(part) + "\r\n";
    return out;
  }
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) std::exit(1);
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  std::string line() {
    std::size_t end = 0;
    while ((end = received_.find("\r\n", at_)) == std::string::npos) {
      received_.erase(0, at_);
      at_ = 0;
      char buffer[4096];
      const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
      if (got <= 0) std::exit(1);
      received_.append(buffer, static_cast<std::size_t>(got));
    }
    std::string out = received_.substr(at_, end - at_);
    at_ = end + 2;
    return out;
  }
  int socket_;
  bool ok_ = false;
  std::string hash_, waiting_, received_;
  std::size_t at_ = 0;
};

// range(0): how many decisions are asked for before the first is answered.
void bm_redis_lua(benchmark::State& state) {
  RedisPeer redis(std::atoi(std::getenv("CAIRN_BENCH_REDIS")));
  if (!redis.ok()) {
    state.SkipWithError("no Redis at CAIRN_BENCH_REDIS");
    return;
  }
  Dice dice{11};
  for (auto _ : state) {
    for (int i = 0; i < state.range(0); ++i) redis.ask(dice.below(100'000));
    redis.flush();
    for (int i = 0; i < state.range(0); ++i) redis.answer();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (std::getenv("CAIRN_BENCH_REDIS") != nullptr)
    benchmark::RegisterBenchmark("bm_redis_lua", bm_redis_lua)->Arg(1)->Arg(50)->UseRealTime();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
