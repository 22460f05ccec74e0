// SPDX-License-Identifier: Apache-2.0
// Endpoints in the service: creation and its wait, reuse, updates, deletion, restarts.
#include "inference/service.h"

#include <future>
#include <thread>

#include "inference/service_bench.h"

namespace cairn::inference::service_test {
namespace {

using Strings = std::vector<std::string>;

std::string message(const auto& result) {
  return result.ok() ? "no error" : result.error().message;
}

TEST_CASE("service: the preconfigured endpoints are there and deploy when first used") {
  ServiceBench bench;
  Strings ids;
  for (const Endpoint& endpoint : bench.service->list_endpoints()) {
    ids.push_back(endpoint.inference_id);
    CHECK(endpoint.model_id == "cairn-mini");
  }
  CHECK(ids == Strings{".cairn-chat", ".cairn-completion", ".cairn-dense", ".cairn-rerank",
                       ".cairn-sparse", ".elser-2-elasticsearch", ".multilingual-e5-small-elasticsearch",
                       ".rerank-v1-elasticsearch"});
  CHECK(to_json(*bench.service->get_endpoint(".multilingual-e5-small-elasticsearch")).dump() ==
        R"({"inference_id":".multilingual-e5-small-elasticsearch","task_type":"text_embedding",)"
        R"("service":"elasticsearch","service_settings":{"num_threads":1,"model_id":"cairn-mini",)"
        R"("adaptive_allocations":{"enabled":true,"min_number_of_allocations":0,)"
        R"("max_number_of_allocations":32},"dimensions":2,"similarity":"cosine",)"
        R"("element_type":"float"},"chunking_settings":{"strategy":"sentence",)"
        R"("max_chunk_size":250,"sentence_overlap":1}})");
  CHECK(bench.models.load_gate.came() == 0);
  CHECK(bench.keys().empty());
  REQUIRE(bench.infer(".elser-2-elasticsearch", {"abc"}).ok());
  CHECK(bench.infer(".cairn-sparse", {"abc"})->sparse[0].weights[0].second == 3);
  CHECK(bench.models.load_gate.came() == 1);  // the two share a deployment
  CHECK(bench.service->get_endpoint(".elser-2-elasticsearch")->num_allocations == 1);
  CHECK(bench.keys() == Strings{"deployments/.elser-2-elasticsearch"});
  bench.restart();
  CHECK(bench.stats(".elser-2-elasticsearch").string_or("deployment_id") ==
        ".elser-2-elasticsearch");
}

TEST_CASE("service: preconfigured ids are reserved") {
  ServiceBench bench;
  CHECK(message(bench.put(".elser-2-elasticsearch")) ==
        "[.elser-2-elasticsearch] is a reserved inference Id. Cannot create a new inference "
        "endpoint with a reserved Id");
  CHECK(message(bench.remove(".cairn-dense")) ==
        "[.cairn-dense] is a reserved inference endpoint. Use the force=true query parameter to "
        "delete the inference endpoint.");
  REQUIRE(bench.infer(".rerank-v1-elasticsearch", {"a"}, "b").ok());
  CHECK(bench.remove(".rerank-v1-elasticsearch", true)->acknowledged);
  CHECK(bench.keys().empty());
  CHECK(bench.service->get_endpoint(".rerank-v1-elasticsearch").ok());  // back to what it was
  CHECK(message(bench.service->update_endpoint(
            {}, ".cairn-dense", ServiceBench::json(R"({"task_settings":{}})"),
            os::Deadline::never())) == "Default endpoint [.cairn-dense] cannot be updated");
}

TEST_CASE("service: a created endpoint is durable, deployed and shown with live numbers") {
  ServiceBench bench;
  const auto made = bench.put(
      "e", R"({"model_id":"cairn-mini","num_threads":2,"adaptive_allocations":{"enabled":true,
              "min_number_of_allocations":2,"max_number_of_allocations":4}})");
  REQUIRE(made.ok());
  CHECK(made->num_allocations == 2);
  CHECK(made->dimensions == 2);
  CHECK(bench.keys() == Strings{"deployments/e", "endpoints/e"});
  CHECK(bench.stats("e").find_path("allocation_status.state")->as_string() == "fully_allocated");
  CHECK(bench.stats("e").int_or("threads_per_allocation") == 2);
  bench.restart();
  CHECK(*bench.service->get_endpoint("e") == *made);
  CHECK(bench.infer("e", {"four"})->dense[0][0] == 4);
}

TEST_CASE("service: a wait that ends early is a timeout, and the deployment goes on") {
  ServiceBench bench(false);
  const auto late = bench.put("e", ServiceBench::simple, 1);
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().kind == ErrorKind::timeout);
  CHECK(late.error().code == "model_deployment_timeout_exception");
  CHECK(late.error().message ==
        "Timed out after [1ms] waiting for trained model deployment [e] to start. Use the trained "
        "model stats API to track the state of the deployment and try again once it has started.");
  REQUIRE(late.error().details.size() == 1);
  CHECK(late.error().details[0] == std::pair<std::string, std::string>{"_status", "502"});
  CHECK(bench.stats("e").string_or("state") == "starting");
  CHECK(bench.service->get_endpoint("e").ok());

  // The same again waits on; another one is refused at once.
  auto again = std::async(std::launch::async, [&] { return bench.put("e"); });
  CHECK(message(bench.put("e", R"({"model_id":"cairn-mini","num_threads":2,"num_allocations":1})",
                          1)) == "Inference endpoint [e] already exists");
  bench.models.load_gate.set(true);
  CHECK(again.get().ok());
  CHECK(bench.models.load_gate.came() == 1);
  const auto third = bench.put("e");
  REQUIRE_FALSE(third.ok());
  CHECK(third.error().code == "resource_already_exists_exception");
}

TEST_CASE("service: the same creation after a timeout succeeds when all is done by then") {
  ServiceBench bench(false);
  REQUIRE_FALSE(bench.put("e", ServiceBench::simple, 1).ok());
  bench.models.load_gate.set(true);
  REQUIRE(bench.infer("e", {"x"}).ok());
  SUBCASE("at once") {}
  SUBCASE("after a restart") { bench.restart(); }
  CHECK(bench.put("e").ok());
  CHECK(message(bench.put("e")) == "Inference endpoint [e] already exists");
}

TEST_CASE("service: the status of a timeout can be 408") {
  ServiceBench bench(false, {.create_timeout_status = 408});
  CHECK(bench.put("e", ServiceBench::simple, 1).error().details[0].second == "408");
}

TEST_CASE("service: a timeout of 0 answers at once") {
  ServiceBench bench(false);
  CHECK(bench.put("e", ServiceBench::simple, 0).ok());
  CHECK(bench.stats("e").string_or("state") == "starting");
  auto again = std::async(std::launch::async, [&] { return bench.put("e"); });
  bench.models.load_gate.set(true);
  (void)again.get();  // joined the wait, or came after its end
  CHECK(message(bench.put("e")) == "Inference endpoint [e] already exists");
}

TEST_CASE("service: a deployment that fails takes its creation back") {
  ServiceBench bench;
  bench.models.fail_loads(Error{.kind = ErrorKind::corrupt, .message = "torn"});
  const auto failed = bench.put("e");
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().kind == ErrorKind::corrupt);
  CHECK(failed.error().message == "Could not start deployment [e] of model [cairn-mini]: torn");
  CHECK(bench.service->get_endpoint("e").error().message == "Inference endpoint not found [e]");
  CHECK(bench.keys().empty());
  bench.models.fail_loads(std::nullopt);
  CHECK(bench.put("e").ok());
}

TEST_CASE("service: an answered creation keeps its endpoint when the deployment fails later") {
  ServiceBench bench;
  bench.models.fail_loads(Error{.message = "torn"});
  REQUIRE(bench.put("e", ServiceBench::simple, 0).ok());
  while (bench.stats("e").string_or("state") != "failed") std::this_thread::yield();
  CHECK(bench.stats("e").string_or("reason") == "torn");
  CHECK(message(bench.put("e")) == "Could not start deployment [e] of model [cairn-mini]: torn");
  CHECK(bench.service->get_endpoint("e").ok());
  bench.models.fail_loads(std::nullopt);
  CHECK(bench.put("e").ok());
}

TEST_CASE("service: what a creation names must exist and fit") {
  ServiceBench bench;
  bench.models.add("dense-only", {TaskType::text_embedding});
  CHECK(message(bench.put("e", R"({"model_id":"nope","num_threads":1,"num_allocations":1})")) ==
        "Error parsing request config, model id does not match any models available on this "
        "platform. Was [nope]. Take it in with [cairn model import], or name a place that has it in "
        "models.sources.");
  const auto misfit =
      bench.put("e", R"({"model_id":"dense-only","num_threads":1,"num_allocations":1})", -1,
                TaskType::rerank);
  CHECK(message(misfit) ==
        "Model [dense-only] does not support task type [rerank]. Supported tasks: "
        "[text_embedding]");
  CHECK(message(bench.put("cairn-mini")) ==
        "Inference endpoint IDs must be unique. Requested inference endpoint ID [cairn-mini] "
        "matches existing trained model ID(s) but must not.");
  CHECK(message(bench.put("dense-only")) ==
        "Inference endpoint IDs must be unique. Requested inference endpoint ID [dense-only] "
        "matches existing trained model ID(s) but must not.");
  CHECK(bench.put("Bad").error().code == "action_request_validation_exception");
  CHECK(bench.keys().empty());
}

TEST_CASE("service: ids of the platform's models stand for the default model, and it shows") {
  ServiceBench bench;
  const auto made =
      bench.put("e", R"({"model_id":".elser_model_2","num_threads":1,"num_allocations":1})", -1,
                TaskType::sparse_embedding);
  REQUIRE(made.ok());
  CHECK(made->model_id == "cairn-mini");
  const auto elser = bench.service->put_endpoint(
      TaskType::sparse_embedding, "f",
      ServiceBench::json(
          R"({"service":"elser","service_settings":{"num_threads":1,"num_allocations":1}})"),
      -1, os::Deadline::never());
  REQUIRE(elser.ok());
  CHECK(elser->model_id == "cairn-mini");
  CHECK(elser->service == "elser");
  const auto stats =
      bench.service->trained_model_stats({.expression = ".elser_model_2"}, os::Deadline::never());
  CHECK(stats->int_or("count") == 2);
}

TEST_CASE("service: an endpoint can reuse a deployment") {
  ServiceBench bench;
  REQUIRE(bench.service
              ->start_deployment({.model_id = "cairn-mini",
                                  .deployment_id = "shared",
                                  .number_of_allocations = 3,
                                  .threads_per_allocation = 2},
                                 os::Deadline::never())
              .ok());
  const auto made = bench.put("e", R"({"deployment_id":"shared"})");
  REQUIRE(made.ok());
  CHECK(to_json(*made).find("service_settings")->dump() ==
        R"({"num_allocations":3,"num_threads":2,"model_id":"cairn-mini",)"
        R"("deployment_id":"shared","dimensions":2,"similarity":"cosine",)"
        R"("element_type":"float"})");
  CHECK(message(bench.put("f", R"({"deployment_id":"nope"})")) == "Cannot find deployment [nope]");
  CHECK(bench.put("f", R"({"deployment_id":"nope"})").error().kind == ErrorKind::not_found);
  CHECK(message(bench.put("f", R"({"deployment_id":"shared","model_id":"other"})")) ==
        "Deployment [shared] uses model [cairn-mini] which does not match the model [other] in "
        "the request.");
  CHECK(message(bench.put("shared")) ==
        "Inference endpoint IDs must be unique. Requested inference endpoint ID [shared] matches "
        "existing trained model ID(s) but must not.");
  CHECK(bench.service
            ->update_endpoint({}, "e",
                              ServiceBench::json(R"({"service_settings":{"num_allocations":2}})"),
                              os::Deadline::never())
            .error()
            .kind == ErrorKind::conflict);
  bench.restart();
  CHECK(*bench.service->get_endpoint("e") == *made);
  REQUIRE(bench.remove("e").ok());
  CHECK(bench.keys() == Strings{"deployments/shared"});
}

TEST_CASE("service: a deployment stays while others use it, and goes with the last") {
  ServiceBench bench;
  REQUIRE(bench.put("owner").ok());
  REQUIRE(bench.put("guest", R"({"deployment_id":"owner"})").ok());
  REQUIRE(bench.remove("owner").ok());
  CHECK(bench.keys() == Strings{"deployments/owner", "endpoints/guest"});
  bench.restart();
  CHECK(bench.infer("guest", {"xy"})->dense[0][0] == 2);
  REQUIRE(bench.remove("guest").ok());
  CHECK(bench.keys().empty());
  CHECK(bench.stats("owner").is_null());
  // One that reuses the deployment of a preconfigured endpoint leaves it alone.
  REQUIRE(bench.infer(".elser-2-elasticsearch", {"x"}).ok());
  REQUIRE(bench
              .put("guest", R"({"deployment_id":".elser-2-elasticsearch"})", -1,
                   TaskType::sparse_embedding)
              .ok());
  REQUIRE(bench.remove("guest").ok());
  CHECK(bench.keys() == Strings{"deployments/.elser-2-elasticsearch"});
}

TEST_CASE("service: an endpoint in use is deleted by force only, and a dry run says so") {
  ServiceBench bench;
  REQUIRE(bench.put("e").ok());
  bench.service->set_references({.indexes =
                                     [](std::string_view id) {
                                       return id == "e" ? Strings{"b", "a"} : Strings{};
                                     },
                                 .pipelines = [](std::string_view) { return Strings{"p"}; }});
  const std::string reason =
      "Inference endpoint e is referenced by pipelines: [p]. Ensure that no pipelines are using "
      "this inference endpoint, or use force to ignore this warning and delete the inference "
      "endpoint. Inference endpoint e is being used in the mapping for indexes: [a, b]. Ensure "
      "that no index mappings are using this inference endpoint, or use force to ignore this "
      "warning and delete the inference endpoint.";
  const auto refused = bench.remove("e");
  CHECK(message(refused) == reason);
  CHECK(refused.error().kind == ErrorKind::conflict);
  const auto dry = bench.remove("e", false, true);
  REQUIRE(dry.ok());
  CHECK(to_json(*dry).dump() ==
        R"({"acknowledged":false,"pipelines":["p"],"indexes":["a","b"],"error_message":")" +
            reason + R"("})");
  CHECK(bench.service->get_endpoint("e").ok());
  CHECK(to_json(*bench.remove("e", true)).dump() ==
        R"({"acknowledged":true,"pipelines":["p"],"indexes":["a","b"]})");
  CHECK(bench.remove("e").error().code == "resource_not_found_exception");
}

TEST_CASE("service: a task that is not the endpoint's is refused") {
  ServiceBench bench;
  REQUIRE(bench.put("e").ok());
  const std::string reason =
      "Requested task type [rerank] does not match the inference endpoint's task type "
      "[text_embedding]";
  CHECK(message(bench.service->get_endpoint("e", TaskType::rerank)) == reason);
  CHECK(message(bench.service->delete_endpoint(TaskType::rerank, "e", false, false,
                                               os::Deadline::never())) == reason);
  CHECK(bench.service->list_endpoints(TaskType::text_embedding).size() == 3);
}

TEST_CASE("service: an update changes the deployment and lasts") {
  ServiceBench bench;
  REQUIRE(bench.put("e").ok());
  const auto updated = bench.service->update_endpoint(
      TaskType::text_embedding, "e",
      ServiceBench::json(
          R"({"service_settings":{"num_allocations":5},"task_settings":{"input_type":"search"}})"),
      os::Deadline::never());
  REQUIRE(updated.ok());
  CHECK(updated->num_allocations == 5);
  CHECK(bench.stats("e").int_or("number_of_allocations") == 5);
  CHECK(bench.infer("e", {"x"})->dense[0][1] == static_cast<float>(InputType::search));
  bench.restart();
  CHECK(bench.service->get_endpoint("e")->num_allocations == 5);
  CHECK(
      message(bench.service->update_endpoint({}, "nope", Json::object(), os::Deadline::never())) ==
      "The inference endpoint [nope] does not exist and cannot be updated");
  CHECK(message(bench.service->update_endpoint(TaskType::rerank, "e", Json::object(),
                                               os::Deadline::never())) ==
        "Task type must match the task type of the existing endpoint");
}

TEST_CASE("service: a store that fails leaves nothing half done") {
  ServiceBench bench;
  for (const std::string_view failing : {"endpoints/e", "deployments/e"}) {
    CAPTURE(failing);
    bench.fault = [&](std::string_view call, std::string_view key) -> Status {
      if (call != "put" || key != failing) return ok_status();
      return Error{.kind = ErrorKind::storage_full, .message = "no space"};
    };
    const auto failed = bench.put("e");
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().kind == ErrorKind::storage_full);
    CHECK(bench.keys().empty());
    CHECK_FALSE(bench.service->get_endpoint("e").ok());
    bench.fault = {};
  }
  CHECK(bench.put("e").ok());
}

TEST_CASE("service: cut between any two writes, a restart is whole") {
  // Each round fails every store call from the n-th on, as a kill would, then restarts.
  for (int cut = 0;; ++cut) {
    CAPTURE(cut);
    ServiceBench bench;
    REQUIRE(bench.put("old").ok());
    int calls = 0;
    bench.fault = [&](std::string_view, std::string_view) -> Status {
      if (calls++ < cut) return ok_status();
      return Error{.kind = ErrorKind::internal, .message = "killed"};
    };
    const bool created = bench.put("new").ok();
    const bool deleted = bench.remove("old").ok();
    const int used = calls;
    bench.fault = {};
    bench.restart();
    const bool has_new = bench.service->get_endpoint("new").ok();
    const bool has_old = bench.service->get_endpoint("old").ok();
    if (created) CHECK(has_new);
    if (deleted) CHECK_FALSE(has_old);
    for (const std::string_view id : {"new", "old"}) {
      if (bench.service->get_endpoint(id).ok()) CHECK(bench.infer(id, {"x"}).ok());
      if (!bench.service->get_endpoint(id).ok()) CHECK(bench.stats(id).is_null());
    }
    if (!has_new) CHECK(bench.put("new").ok());
    if (used <= cut) break;
  }
}

TEST_CASE("service: of many creations of one id exactly one makes it") {
  ServiceBench bench;
  std::atomic<int> made{0}, exists{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        const auto result =
            bench.put("e", R"({"model_id":"cairn-mini","num_threads":1,"num_allocations":)" +
                               std::to_string(i + 1) + "}");
        if (result.ok()) ++made;
        if (!result.ok() && result.error().kind == ErrorKind::already_exists) ++exists;
      });
    }
  }
  CHECK(made == 1);
  CHECK(exists == 7);
}

TEST_CASE("service: a record that cannot be read is left alone") {
  ServiceBench bench;
  REQUIRE(bench.put("good").ok());
  bench.close();
  REQUIRE(bench.records->put("endpoints/bad", "{]", os::Deadline::never()).ok());
  REQUIRE(bench.records->put("deployments/bad", "[]", os::Deadline::never()).ok());
  bench.open();
  CHECK(bench.service->get_endpoint("good").ok());
  CHECK_FALSE(bench.service->get_endpoint("bad").ok());
  CHECK(message(bench.put("bad")) == "Inference endpoint [bad] already exists");
}

TEST_CASE("options: limits that make no sense are refused by name") {
  CHECK(Options{}.validate().ok());
  CHECK(message(Options{.batch_inputs = 0}.validate()) ==
        "inference.batch_inputs must be positive, got 0");
  CHECK(message(Options{.create_timeout_status = 500}.validate()) ==
        "inference.creation_timeout_status must be 502 or 408, got 500");
}

}  // namespace
}  // namespace cairn::inference::service_test
