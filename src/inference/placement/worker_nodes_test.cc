// SPDX-License-Identifier: Apache-2.0
// A node that serves and nodes that run models for it, in one process: batches go to each, and none
// is lost with a node.
#include "inference/placement/worker_nodes.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "inference/fake_models.h"
#include "inference/placement/model_worker.h"
#include "inference/placement/node_calls.h"
#include "os/cpu.h"

namespace cairn::inference::worker_nodes_test {
namespace {

using os::Deadline;

/// A node that runs models, with faults on request.
struct FakeNode {
  explicit FakeNode(const os::Clock& clock)
      : worker(models, cpu, clock, {}, [this] { return memory.load(); }) {}
  ~FakeNode() { models.script->gate.set(true); }

  Result<std::string> call(std::string_view path, const std::string& body,
                           const Deadline& deadline) {
    if (path == run_path) ++runs;
    if (hangs) {
      os::sleep_ms(600'000, deadline);
      return deadline.check("waiting for a node that hangs").error();
    }
    if (path == place_path) return worker.place(body);
    if (fails_runs) return Error{.message = "this node is broken"};
    return worker.run(body, deadline);
  }

  FakeModels models;
  std::atomic<std::uint64_t> memory = 1 << 30;
  std::atomic<bool> hangs = false, fails_runs = false;
  std::atomic<int> runs = 0;
  os::Pool cpu{{.name = "there-cpu", .threads = 4, .queue = 1024}};
  ModelWorker worker;  // the last member: its tasks use the others
};

/// The node that serves, with one deployment.
struct Cluster {
  explicit Cluster(std::int64_t allocations) {
    DeploymentSettings settings;
    settings.deployment_id = "d";
    settings.model_id = "cairn-mini";
    settings.number_of_allocations = allocations;
    deployment =
        std::make_shared<Deployment>(settings, models, cpu, loaders, loaders, clock, Options{});
    deployments.emplace("d", deployment);
    deployment->start();
    REQUIRE(deployment->wait_started(Deadline::never()).ok());
    workers = std::make_unique<WorkerNodes>(
        OtherNodes{.list =
                       [this] {
                         const MutexLock lock(mutex);
                         std::vector<OtherNodes::One> out;
                         for (const auto& [id, node] : nodes)
                           out.push_back({.id = id, .name = "name-" + id, .address = id});
                         return out;
                       },
                   .call =
                       [this](const OtherNodes::One& one, std::string_view path,
                              const std::string& body, const Deadline& deadline) {
                         std::shared_ptr<FakeNode> node;
                         {
                           const MutexLock lock(mutex);
                           const auto at = nodes.find(one.address);
                           if (at != nodes.end()) node = at->second;
                         }
                         if (node == nullptr) return Result<std::string>(Error{.message = "gone"});
                         return node->call(path, body, deadline);
                       }},
        clock);
  }
  ~Cluster() {
    models.script->gate.set(true);
    deployment->stop();
    deployment->set_places({});
    workers.reset();
  }

  std::shared_ptr<FakeNode> add(const std::string& id) {
    auto node = std::make_shared<FakeNode>(clock);
    const MutexLock lock(mutex);
    nodes[id] = node;
    return node;
  }
  Json of(const std::string& id) {
    const Json assignment = deployment->assignment();
    const Json* routing = assignment.find("routing_table")->find(id);
    return routing == nullptr ? Json() : *routing;
  }
  std::int64_t current(const std::string& id) {
    const Json there = of(id);
    return there.is_null() ? -1 : there.int_or("current_allocations", -1);
  }
  /// Looks again and again until it is so.
  void until(const std::function<bool()>& so) {
    while (!so()) {
      workers->look(deployments);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  std::future<Result<ModelResult>> later(std::vector<std::string> inputs,
                                         Deadline deadline = Deadline::never()) {
    return std::async(std::launch::async, [this, inputs = std::move(inputs), deadline] {
      return deployment->run({.inputs = inputs}, deadline);
    });
  }
  std::vector<std::string> many(std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(std::string(i + 1, 'x'));
    return out;
  }
  void check(const Result<ModelResult>& result, std::size_t count) {
    REQUIRE(result.ok());
    REQUIRE(result->dense.size() == count);
    for (std::size_t i = 0; i < count; ++i)
      REQUIRE(result->dense[i][0] == static_cast<float>(i + 1));
  }

  os::FakeClock clock;
  FakeModels models;
  os::Pool cpu{{.name = "here-cpu", .threads = 4, .queue = 1024}};
  os::Pool loaders{{.name = "here-load", .threads = 1, .queue = 16}};
  std::shared_ptr<Deployment> deployment;
  WorkerNodes::Deployments deployments;
  Mutex mutex;
  std::map<std::string, std::shared_ptr<FakeNode>> nodes;
  std::unique_ptr<WorkerNodes> workers;
};

TEST_CASE("worker nodes: allocations are on both, and so are batches") {
  Cluster cluster(2);
  const auto node = cluster.add("b");
  cluster.until([&] { return cluster.current("b") == 1; });
  CHECK(cluster.current("cairn-1") == 1);
  CHECK(cluster.workers->processors() == os::cpu_count());
  cluster.models.script->gate.set(false);
  node->models.script->gate.set(false);
  auto call = cluster.later(cluster.many(40));
  cluster.models.script->gate.await(1);
  node->models.script->gate.await(1);  // one batch is here, one there, none more
  CHECK(cluster.models.script->gate.came() == 1);
  CHECK(node->models.script->gate.came() == 1);
  cluster.models.script->gate.set(true);
  node->models.script->gate.set(true);
  cluster.check(call.get(), 40);
  CHECK(cluster.models.script->seen().size() + node->models.script->seen().size() == 4);

  const Json stats = cluster.deployment->stats();
  REQUIRE(stats.find("nodes")->as_array().size() == 2);
  std::int64_t inferences = 0;
  for (const Json& one : stats.find("nodes")->as_array()) {
    CHECK(one.int_or("number_of_allocations") == 1);
    CHECK(one.find_path("routing_state.routing_state")->as_string() == "started");
    CHECK(one.int_or("inference_count") > 0);
    inferences += one.int_or("inference_count");
  }
  CHECK(inferences == 40);
  CHECK(stats.int_or("inference_count") == 40);
}

TEST_CASE("worker nodes: every task gives there what it gives here") {
  Cluster cluster(3);
  const auto node = cluster.add("b");
  cluster.until([&] { return cluster.current("b") > 0; });
  for (const TaskType task :
       {TaskType::text_embedding, TaskType::sparse_embedding, TaskType::rerank}) {
    // What is here waits, so that the rest has to be there.
    cluster.models.script->gate.set(false);
    std::vector<std::future<Result<ModelResult>>> held;
    const int came = cluster.models.script->gate.came();
    const auto here = static_cast<int>(cluster.current("cairn-1"));
    for (int i = 0; i < here; ++i) {
      held.push_back(cluster.later({"held"}));
      cluster.models.script->gate.await(came + i + 1);
    }
    const ModelRequest work{.task = task, .query = "why", .inputs = {"a", "bb", "a long one"}};
    const auto there = cluster.deployment->run(work, Deadline::never());
    cluster.models.script->gate.set(true);
    for (auto& one : held) CHECK(one.get().ok());
    REQUIRE(there.ok());
    const int runs = node->runs;
    node->fails_runs = true;
    const auto again = cluster.deployment->run(work, Deadline::never());
    node->fails_runs = false;
    cluster.until([&] { return cluster.current("b") > 0; });
    REQUIRE(again.ok());
    CHECK(runs > 0);
    CHECK(there->dense == again->dense);
    CHECK(there->scores == again->scores);
    REQUIRE(there->sparse.size() == again->sparse.size());
    for (std::size_t i = 0; i < there->sparse.size(); ++i)
      CHECK(there->sparse[i].weights == again->sparse[i].weights);
  }
}

TEST_CASE("worker nodes: a batch that a node does not run is run here") {
  Cluster cluster(2);
  const auto node = cluster.add("b");
  cluster.until([&] { return cluster.current("b") == 1; });
  node->fails_runs = true;
  cluster.check(cluster.later(cluster.many(100)).get(), 100);
  CHECK(node->runs > 0);
  CHECK(cluster.deployment->stats().int_or("error_count") == 0);
  CHECK(cluster.current("b") == 0);  // until it has been asked again
  node->fails_runs = false;
  cluster.until([&] { return cluster.current("b") == 1; });
}

TEST_CASE("worker nodes: a node that falls silent is given up, and what it had is run here") {
  Cluster cluster(2);
  const auto node = cluster.add("b");
  cluster.until([&] { return cluster.current("b") == 1; });
  cluster.models.script->gate.set(false);
  node->hangs = true;
  auto call = cluster.later(cluster.many(30));
  cluster.models.script->gate.await(1);
  while (node->runs == 0) std::this_thread::yield();
  cluster.models.script->gate.set(true);
  CHECK(call.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  cluster.until([&] {
    cluster.clock.advance_ms(500);
    return call.wait_for(std::chrono::milliseconds(0)) == std::future_status::ready;
  });
  cluster.check(call.get(), 30);
  CHECK(cluster.current("b") == -1);
  node->hangs = false;
  cluster.until([&] { return cluster.current("b") == 1; });
}

TEST_CASE("worker nodes: a call that is given up ends on the other node too") {
  Cluster cluster(2);
  const auto node = cluster.add("b");
  cluster.until([&] { return cluster.current("b") == 1; });
  cluster.models.script->gate.set(false);
  node->models.script->gate.set(false);
  std::stop_source stop;
  auto call = cluster.later(cluster.many(20), Deadline::never(stop.get_token()));
  cluster.models.script->gate.await(1);
  node->models.script->gate.await(1);
  stop.request_stop();
  CHECK_FALSE(call.get().ok());
  cluster.models.script->gate.set(true);
  node->models.script->gate.set(true);
  cluster.check(cluster.later(cluster.many(5)).get(), 5);
}

TEST_CASE("worker nodes: nodes come and go, and what is not wanted any more is let go of") {
  Cluster cluster(8);
  const auto b = cluster.add("b");
  cluster.until([&] { return cluster.current("b") > 0; });
  const std::int64_t alone = cluster.current("b");
  const auto c = cluster.add("c");
  cluster.until([&] { return cluster.current("c") > 0 && cluster.current("b") < alone; });
  {
    const MutexLock lock(cluster.mutex);
    cluster.nodes.erase("c");
  }
  cluster.until([&] { return cluster.current("c") == -1 && cluster.current("b") == alone; });
  cluster.check(cluster.later(cluster.many(200)).get(), 200);
  cluster.deployment->set_allocations(1, std::nullopt);
  cluster.until([&] { return cluster.current("b") == -1; });
  // It is told so, and not only left alone.
  const RunCall run{.deployment_id = "d",
                    .incarnation = cluster.deployment->placing().incarnation,
                    .work = {.inputs = {"x"}}};
  cluster.until([&] { return !b->worker.run(run.encode(), Deadline::never()).ok(); });
}

TEST_CASE("worker nodes: a model that a node cannot load is run here, and the reason is shown") {
  Cluster cluster(2);
  auto node = std::make_shared<FakeNode>(cluster.clock);
  node->models.fail_loads(Error{.kind = ErrorKind::rate_limited, .message = "no room here"});
  {
    const MutexLock lock(cluster.mutex);
    cluster.nodes["b"] = node;
  }
  cluster.until([&] { return cluster.of("b").string_or("routing_state") == "failed"; });
  CHECK(cluster.of("b").string_or("reason") == "no room here");
  cluster.check(cluster.later(cluster.many(50)).get(), 50);
  CHECK(node->runs == 0);
  // Later there is room.
  node->models.fail_loads(std::nullopt);
  cluster.clock.advance_ms(10'001);
  cluster.until([&] { return cluster.current("b") == 1; });
}

TEST_CASE("worker nodes: whoever is told nothing for half a minute lets go of its models") {
  os::FakeClock clock;
  FakeNode node(clock);
  PlaceCall call{.deployments = {{.deployment_id = "d", .model_id = "cairn-mini"}}};
  REQUIRE(node.worker.place(call.encode()).ok());
  RunCall run{.deployment_id = "d", .incarnation = {}, .work = {.inputs = {"x"}}};
  REQUIRE(node.worker.run(run.encode(), Deadline::never()).ok());
  clock.advance_ms(29'000);
  node.worker.tick();
  CHECK(node.worker.run(run.encode(), Deadline::never()).ok());
  clock.advance_ms(2'000);
  node.worker.tick();
  const auto gone = node.worker.run(run.encode(), Deadline::never());
  REQUIRE_FALSE(gone.ok());
  CHECK(gone.error().kind == ErrorKind::not_found);
  // Another incarnation is another model.
  call.deployments[0].incarnation = "2";
  REQUIRE(node.worker.place(call.encode()).ok());
  CHECK_FALSE(node.worker.run(run.encode(), Deadline::never()).ok());
  run.incarnation = "2";
  CHECK(node.worker.run(run.encode(), Deadline::never()).ok());
  CHECK_FALSE(node.worker.place("{").ok());
  CHECK_FALSE(node.worker.run("?", Deadline::never()).ok());
}

}  // namespace
}  // namespace cairn::inference::worker_nodes_test
