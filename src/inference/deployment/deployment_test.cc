// SPDX-License-Identifier: Apache-2.0
// Deployments: loading, batches and allocations, limits of time and queue, scaling, statistics.
#include "inference/deployment/deployment.h"

#include <new>
#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <thread>

#include "inference/fake_models.h"
#include "os/metrics.h"

namespace cairn::inference::deployment_test {
namespace {

using os::Deadline;

/// A deployment of a fake model on a pool of its own.
struct Bench {
  explicit Bench(DeploymentSettings s = {}, bool loads_pass = true, Options o = {})
      : models(loads_pass) {
    s.deployment_id = "d";
    s.model_id = "cairn-mini";
    deployment =
        std::make_unique<Deployment>(std::move(s), models, cpu, loaders, loaders, clock, o);
  }
  ~Bench() {
    models.load_gate.set(true);
    models.script->gate.set(true);
    deployment.reset();
  }
  void started() {
    deployment->start();
    REQUIRE(deployment->wait_started(Deadline::never()).ok());
  }
  FakeScript& script() { return *models.script; }
  Json stats() { return deployment->stats(); }
  std::int64_t stat(std::string_view name) { return stats().int_or(name, -1); }
  std::string state() { return stats().string_or("state"); }
  std::string allocation_state() {
    return stats().find_path("allocation_status.state")->as_string();
  }
  /// Runs work on a thread of its own.
  std::future<Result<ModelResult>> later(ModelRequest work, Deadline deadline = Deadline::never()) {
    return std::async(std::launch::async, [this, work = std::move(work), deadline] {
      return deployment->run(work, deadline);
    });
  }
  std::int64_t pending() {
    const Json all = stats();
    return all.find("nodes")->as_array().at(0).int_or("number_of_pending_requests");
  }
  void await_pending(std::int64_t count) {
    while (pending() != count) std::this_thread::yield();
  }

  os::FakeClock clock;
  FakeModels models;
  os::Pool cpu{{.name = "test-cpu", .threads = 8, .queue = 1024}};
  os::Pool loaders{{.name = "test-load", .threads = 1, .queue = 16}};
  std::unique_ptr<Deployment> deployment;
};

ModelRequest dense(std::vector<std::string> inputs, InputType type = InputType::unspecified) {
  return {.input_type = type, .inputs = std::move(inputs)};
}

DeploymentSettings allocations(std::int64_t number, std::int64_t threads = 1,
                               std::int64_t queue = 1024) {
  DeploymentSettings out;
  out.number_of_allocations = number;
  out.threads_per_allocation = threads;
  out.queue_capacity = queue;
  return out;
}

DeploymentSettings adaptive(std::optional<std::int64_t> least, std::int64_t most = 8) {
  DeploymentSettings out = allocations(std::max<std::int64_t>(1, least.value_or(0)));
  out.adaptive_allocations = AdaptiveAllocations{
      .enabled = true, .min_number_of_allocations = least, .max_number_of_allocations = most};
  return out;
}

TEST_CASE("deployment: loads in the background and shows how far it is") {
  Bench bench({}, false);
  bench.deployment->start();
  bench.models.load_gate.await(1);
  CHECK(bench.state() == "starting");
  CHECK(bench.allocation_state() == "starting");
  CHECK(bench.stats().find_path("load_progress.loaded_bytes")->as_int() == 100);
  CHECK(bench.stats().find_path("load_progress.total_bytes")->as_int() == 500);
  const Status early = bench.deployment->wait_started(Deadline::in_ms(1));
  REQUIRE_FALSE(early.ok());
  CHECK(early.error().kind == ErrorKind::timeout);
  bench.models.load_gate.set(true);
  CHECK(bench.deployment->wait_started(Deadline::never()).ok());
  CHECK(bench.state() == "started");
  CHECK(bench.allocation_state() == "fully_allocated");
  CHECK(bench.stats().find_path("load_progress.loaded_bytes")->as_int() == 500);
}

TEST_CASE("deployment: results stand at the places of their inputs, for each task") {
  Bench bench(allocations(3, 2));
  bench.started();
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < 57; ++i) inputs.push_back(std::string(i, 'x'));
  const auto vectors = bench.deployment->run(dense(inputs), Deadline::never());
  REQUIRE(vectors.ok());
  REQUIRE(vectors->dense.size() == 57);
  for (std::size_t i = 0; i < 57; ++i) CHECK(vectors->dense[i][0] == static_cast<float>(i));
  const auto terms = bench.deployment->run({.task = TaskType::sparse_embedding, .inputs = inputs},
                                           Deadline::never());
  REQUIRE(terms.ok());
  CHECK(terms->sparse[12].weights[0].second == 12);
  CHECK(terms->sparse[12].is_truncated);
  const auto scores = bench.deployment->run(
      {.task = TaskType::rerank, .query = "xx", .inputs = inputs}, Deadline::never());
  REQUIRE(scores.ok());
  for (std::size_t i = 0; i < 57; ++i) {
    CHECK(scores->scores[i] == doctest::Approx(2.0 / (2.0 + static_cast<double>(i))));
  }
  CHECK(bench.stat("inference_count") == 3 * 57);
  CHECK(bench.deployment->run(dense({}), Deadline::never())->dense.empty());
}

TEST_CASE("deployment: a quotation that memory does not hold is an error") {
  Bench bench;
  bench.started();
  bench.script().on_call = [] { throw std::bad_alloc(); };
  ModelRequest work{.task = TaskType::completion};
  work.inputs.emplace_back();
  const auto refused = bench.deployment->run(work, Deadline::never());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::rate_limited);
  bench.script().on_call = {};
  CHECK(bench.deployment->run(work, Deadline::never()).ok());
}

TEST_CASE("deployment: callers that wait together share a batch of ten") {
  Bench bench;
  bench.started();
  bench.script().gate.set(false);
  std::vector<std::future<Result<ModelResult>>> calls;
  calls.push_back(bench.later(dense({"first"})));
  bench.script().gate.await(1);
  for (int i = 0; i < 4; ++i) calls.push_back(bench.later(dense({"a", "b", "c"})));
  bench.await_pending(12);
  bench.script().gate.set(true);
  for (auto& call : calls) CHECK(call.get().ok());
  const auto seen = bench.script().seen();
  REQUIRE(seen.size() == 3);
  CHECK(seen[1].size() == 10);
  CHECK(seen[2].size() == 2);
}

TEST_CASE("deployment: as many batches at a time as allocations, each over its threads") {
  Bench bench(allocations(2, 4));
  bench.started();
  bench.script().gate.set(false);
  auto call = bench.later(dense(std::vector<std::string>(40, "x")));
  bench.script().gate.await(8);  // 2 allocations of 4 threads
  CHECK(bench.pending() == 20);
  CHECK(bench.script().gate.came() == 8);
  bench.deployment->set_allocations(3, std::nullopt);
  bench.cpu.for_each(1, [](std::size_t) {});
  CHECK(bench.pending() == 10);
  bench.script().gate.set(true);
  CHECK(call.get().ok());
  CHECK(bench.script().gate.most_inside() <= 8);  // the pool of this test has 8 threads
  CHECK(bench.script().seen().size() == 16);
}

TEST_CASE("deployment: a full queue refuses, an empty one takes what it cannot hold") {
  Bench bench(allocations(1, 1, 4));
  bench.started();
  bench.script().gate.set(false);
  auto first = bench.later(dense(std::vector<std::string>(10, "x")));
  bench.script().gate.await(1);
  auto large = bench.later(dense(std::vector<std::string>(30, "y")));
  bench.await_pending(30);
  const auto refused = bench.deployment->run(dense({"z"}), Deadline::never());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::rate_limited);
  CHECK(refused.error().code == "es_rejected_execution_exception");
  CHECK(bench.stat("rejected_execution_count") == 1);
  bench.script().gate.set(true);
  CHECK(first.get().ok());
  CHECK(large.get().ok());
}

TEST_CASE("deployment: a call whose time ends leaves the queue and stops its batch") {
  Bench bench;
  bench.started();
  bench.script().gate.set(false);
  std::stop_source stop_running;
  auto running = bench.later(dense({"x"}), Deadline::never(stop_running.get_token()));
  bench.script().gate.await(1);
  ModelRequest waiting = dense({"y", "z"});
  waiting.timeout_ms = 30'000;
  const auto late = bench.deployment->run(waiting, Deadline::in_ms(1));
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().kind == ErrorKind::timeout);
  CHECK(late.error().message == "Timeout [30s] waiting for inference result");
  CHECK(bench.stat("timeout_count") == 1);
  CHECK(bench.pending() == 0);
  stop_running.request_stop();  // its caller goes away: the model is told to stop, the gate closed
  const auto gone = running.get();
  REQUIRE_FALSE(gone.ok());
  CHECK(gone.error().kind == ErrorKind::cancelled);
  bench.script().gate.set(true);
  CHECK(bench.deployment->run(dense({"w"}), Deadline::never()).ok());
  CHECK(bench.stat("error_count") == 0);
}

/// Computes for so long, by the clock of its thread.
void burn_ms(std::int64_t ms) {
  const std::int64_t until = os::thread_cpu_ns() + ms * 1'000'000;
  while (os::thread_cpu_ns() < until) {
  }
}

/// What a call of run() charges the thread that makes it, milliseconds.
std::int64_t charged_ms(Deployment& deployment, const ModelRequest& work,
                        const Deadline& deadline) {
  const std::int64_t before = os::pool_cpu_ns();
  static_cast<void>(deployment.run(work, deadline));
  return (os::pool_cpu_ns() - before) / 1'000'000;
}

TEST_CASE("R05: CPU time of work on the pool is charged to the request that caused it") {
  for (const std::int64_t threads : {1, 4}) {
    CAPTURE(threads);
    Bench bench(allocations(2, threads));
    bench.started();
    std::atomic<std::int64_t> burnt_ms = 0;
    bench.script().on_call = [&burnt_ms] {
      burn_ms(5);
      burnt_ms += 5;
    };
    const std::int64_t charged =
        charged_ms(*bench.deployment, dense(std::vector<std::string>(40, "x")), Deadline::never());
    CHECK(charged >= burnt_ms);
    CHECK(charged <= burnt_ms * 4);  // what else the pieces took
  }
}

TEST_CASE("R05: CPU time is measured whoever asks, and a job of the server pays nobody") {
  Bench bench;
  bench.started();
  bench.script().on_call = [] { burn_ms(20); };
  const os::Counter& all = os::metrics().seconds(
      "cairn_inference_cpu_seconds_total", "CPU time of models, whoever asked",
      {{"model_id", bench.deployment->settings().model_id}});
  const std::uint64_t before_ns = all.value();
  const std::int64_t here_ns = os::pool_cpu_ns();
  // A thread of its own, as syncs and backfills have: no request of this thread pays.
  std::thread job([&] { CHECK(bench.deployment->run(dense({"x"}), Deadline::never()).ok()); });
  job.join();
  CHECK(all.value() - before_ns >= 20'000'000);
  CHECK(os::pool_cpu_ns() == here_ns);
}

TEST_CASE("R05: callers of one batch pay in proportion, and all of it") {
  Bench bench;
  bench.started();
  bench.script().gate.set(false);
  auto first = bench.later(dense({"first"}));
  bench.script().gate.await(1);
  bench.script().on_call = [] { burn_ms(30); };
  std::vector<std::future<std::int64_t>> calls;
  for (const std::size_t inputs : {1, 8}) {
    calls.push_back(std::async(std::launch::async, [&bench, inputs] {
      return charged_ms(*bench.deployment, dense(std::vector<std::string>(inputs, "x")),
                        Deadline::never());
    }));
  }
  bench.await_pending(9);
  bench.script().gate.set(true);
  const std::int64_t one = calls[0].get(), eight = calls[1].get();
  CHECK(first.get().ok());
  CHECK(one >= 3);
  CHECK(eight >= 7 * one);
  CHECK(one + eight >= 28);  // whole milliseconds each
}

TEST_CASE("R05: a caller that goes away pays for what runs until then") {
  Bench bench;
  bench.started();
  bench.script().gate.set(false);
  std::stop_source stop;
  std::promise<void> burnt;
  bench.script().before_gate = [&burnt] {
    burn_ms(20);
    burnt.set_value();
  };
  auto charged = std::async(std::launch::async, [&] {
    return charged_ms(*bench.deployment, dense({"x"}), Deadline::never(stop.get_token()));
  });
  burnt.get_future().wait();
  stop.request_stop();
  CHECK(charged.get() >= 20);
}

TEST_CASE("deployment: work that must run at once is refused while others run") {
  Bench bench;
  bench.deployment->start();
  bench.started();
  ModelRequest work = dense({"x"});
  work.only_at_once = true;
  work.timeout_ms = 0;
  CHECK(bench.deployment->run(work, Deadline::never()).ok());
  bench.script().gate.set(false);
  auto other = bench.later(dense({"y"}));
  bench.script().gate.await(2);
  const auto refused = bench.deployment->run(work, Deadline::never());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "Timeout [0s] waiting for inference result");
  bench.script().gate.set(true);
  CHECK(other.get().ok());
}

TEST_CASE("deployment: a failing input fails its own batch only") {
  Bench bench;
  bench.script().fails_on = "bad";
  bench.started();
  const auto failed = bench.deployment->run(dense({"good", "bad"}), Deadline::never());
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message == "the model cannot take [bad]");
  CHECK(bench.deployment->run(dense({"good"}), Deadline::never()).ok());
  CHECK(bench.stat("error_count") == 2);
  CHECK(bench.stat("inference_count") == 1);
}

TEST_CASE("deployment: a load that fails says why, and is tried anew after a while") {
  Bench bench;
  bench.models.fail_loads(Error{.kind = ErrorKind::corrupt, .message = "the weights are torn"});
  bench.deployment->start();
  const Status failed = bench.deployment->wait_started(Deadline::never());
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().kind == ErrorKind::corrupt);
  CHECK(failed.error().message ==
        "Could not start deployment [d] of model [cairn-mini]: the weights are torn");
  CHECK(bench.state() == "failed");
  CHECK(bench.stats().string_or("reason") == "the weights are torn");
  bench.models.fail_loads(std::nullopt);
  const auto refused = bench.deployment->run(dense({"x"}), Deadline::never());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::unavailable);
  CHECK(refused.error().message ==
        "Trained model deployment [d] request failed: not started: the weights are torn");
  bench.clock.advance_ms(10'000);
  CHECK(bench.deployment->run(dense({"x"}), Deadline::never()).ok());
  CHECK(bench.state() == "started");
  CHECK(bench.stats().find("reason") == nullptr);
}

TEST_CASE("deployment: work that comes before the model waits for it, and fails with it") {
  Bench bench({}, false);
  bench.deployment->start();
  auto early = bench.later(dense({"x"}));
  bench.await_pending(1);
  bench.models.load_gate.set(true);
  CHECK(early.get().ok());

  Bench failing({}, false);
  failing.models.fail_loads(Error{.message = "no"});
  failing.deployment->start();
  auto lost = failing.later(dense({"x"}));
  failing.await_pending(1);
  failing.models.load_gate.set(true);
  CHECK(lost.get().error().kind == ErrorKind::unavailable);
}

TEST_CASE("deployment: stopping fails what waits, lets a batch end, and ends a load") {
  Bench bench;
  bench.started();
  bench.script().gate.set(false);
  auto running = bench.later(dense({"x"}));
  bench.script().gate.await(1);
  auto waiting = bench.later(dense({"y"}));
  bench.await_pending(1);
  bench.deployment->stop();
  CHECK(waiting.get().error().kind == ErrorKind::unavailable);
  bench.script().gate.set(true);
  CHECK(running.get().ok());
  CHECK(bench.deployment->run(dense({"z"}), Deadline::never()).error().kind ==
        ErrorKind::unavailable);
  CHECK(bench.state() == "stopping");

  Bench loading({}, false);
  loading.deployment->start();
  loading.models.load_gate.await(1);
  loading.deployment->stop();  // the closed gate is left since the load's deadline stops
}

TEST_CASE("deployment: scales up under load, and down after the cooldown") {
  Bench bench(adaptive(1, 4));
  bench.started();
  bench.script().on_call = [&] { bench.clock.advance_ms(50); };
  const auto load = [&](int calls) {
    for (int i = 0; i < calls; ++i) {
      REQUIRE(bench.deployment->run(dense({"x"}), Deadline::never()).ok());
    }
    bench.clock.advance_ms(std::max(0, 10'000 - calls * 50));
    return bench.deployment->scale();
  };
  CHECK_FALSE(load(1));
  for (int i = 0; i < 50 && !load(200); ++i) {
  }
  CHECK(bench.stat("number_of_allocations") == 2);  // one is busy all the time, which is too much
  for (int i = 0; i < 20; ++i) load(0);
  CHECK(bench.stat("number_of_allocations") == 2);  // 200 s: still within the cooldown
  for (int i = 0; i < 60; ++i) load(0);
  CHECK(bench.stat("number_of_allocations") == 1);
  CHECK_FALSE(bench.deployment->scale());  // the interval has not passed
}

TEST_CASE("deployment: scales to zero when idle, and a call wakes it") {
  Bench bench(adaptive(0));
  bench.started();
  bench.clock.advance_ms(23 * 3'600'000);
  CHECK_FALSE(bench.deployment->scale());
  REQUIRE(bench.deployment->run(dense({"x"}), Deadline::never()).ok());  // the clock starts anew
  bench.clock.advance_ms(2 * 3'600'000);
  CHECK_FALSE(bench.deployment->scale());
  bench.clock.advance_ms(22 * 3'600'000);
  CHECK(bench.deployment->scale());
  CHECK(bench.stat("number_of_allocations") == 0);
  CHECK(bench.state() == "started");
  CHECK(bench.allocation_state() == "starting");
  CHECK(bench.deployment->model() == nullptr);
  CHECK(bench.stats().find("nodes")->as_array().empty());
  ModelRequest at_once = dense({"x"});
  at_once.only_at_once = true;
  CHECK_FALSE(bench.deployment->run(at_once, Deadline::never()).ok());
  CHECK(bench.deployment->run(dense({"abc"}), Deadline::never())->dense[0][0] == 3);
  CHECK(bench.stat("number_of_allocations") == 1);
  CHECK(bench.allocation_state() == "fully_allocated");
}

TEST_CASE("deployment: never to zero with a minimum, nor without adaptive allocations") {
  for (const DeploymentSettings& settings : {adaptive(1), allocations(2)}) {
    Bench bench(settings);
    bench.started();
    bench.clock.advance_ms(48 * 3'600'000);
    bench.deployment->scale();
    CHECK(bench.stat("number_of_allocations") == settings.number_of_allocations);
  }
}

TEST_CASE("deployment: bounds that change move the number at once") {
  Bench bench(adaptive(1, 8));
  bench.started();
  bench.deployment->set_allocations(
      std::nullopt,
      AdaptiveAllocations{
          .enabled = true, .min_number_of_allocations = 3, .max_number_of_allocations = 5});
  CHECK(bench.stat("number_of_allocations") == 3);
  bench.deployment->set_allocations(7, AdaptiveAllocations{.enabled = false});
  CHECK(bench.stat("number_of_allocations") == 7);
}

TEST_CASE("deployment: times and rates are those of the clock") {
  Bench bench;
  bench.started();
  bench.script().on_call = [&] { bench.clock.advance_ms(20); };
  for (int i = 0; i < 3; ++i) {
    REQUIRE(bench.deployment->run(dense({"a", "b"}), Deadline::never()).ok());
  }
  const Json first = bench.stats();
  const Json& node = first.find("nodes")->as_array().at(0);
  CHECK(node.double_or("average_inference_time_ms") == doctest::Approx(10));
  CHECK(node.int_or("inference_count") == 6);
  CHECK(node.int_or("peak_throughput_per_minute") == 6);
  CHECK(node.int_or("throughput_last_minute") == 0);
  CHECK(node.int_or("last_access") >= bench.clock.unix_ms() - 20);
  bench.clock.advance_ms(60'000);
  const Json second = bench.stats();
  const Json& later = second.find("nodes")->as_array().at(0);
  CHECK(later.int_or("throughput_last_minute") == 6);
  CHECK(later.double_or("average_inference_time_ms_last_minute") == doctest::Approx(10));
  bench.clock.advance_ms(60'000);
  CHECK(bench.stats().find("nodes")->as_array().at(0).int_or("throughput_last_minute") == 0);
  CHECK(bench.stat("peak_throughput_per_minute") == 6);
}

TEST_CASE("deployment: many callers at once each get their own answers") {
  Bench bench(allocations(3, 2));
  bench.started();
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 50; ++i) {
          std::vector<std::string> inputs(1 + (t + i) % 13, std::string(t * 50 + i, 'x'));
          const auto type = i % 3 == 0 ? InputType::ingest : InputType::search;
          const auto result = bench.deployment->run(dense(inputs, type), Deadline::never());
          if (!result.ok() || result->dense.size() != inputs.size()) {
            ++wrong;
            continue;
          }
          for (const auto& vector : result->dense) {
            if (vector[0] != static_cast<float>(t * 50 + i)) ++wrong;
            if (vector[1] != static_cast<float>(type)) ++wrong;
          }
        }
      });
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("deployment: its record reads back as it was") {
  DeploymentSettings settings = adaptive(1, 4);
  settings.deployment_id = "d";
  settings.model_id = "m";
  settings.threads_per_allocation = 4;
  settings.owner = "e";
  const auto back = deployment_from_record(*parse_json(to_record(settings).dump()));
  REQUIRE(back.ok());
  CHECK(to_record(*back) == to_record(settings));
  CHECK(deployment_from_record(Json::object()).error().kind == ErrorKind::corrupt);
}

}  // namespace
}  // namespace cairn::inference::deployment_test
