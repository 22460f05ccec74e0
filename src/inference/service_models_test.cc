// SPDX-License-Identifier: Apache-2.0
// The trained-model API: lists, statistics, and deployments started, changed and stopped by hand.
#include "inference/service_bench.h"

namespace cairn::inference::service_models_test {
namespace {

using os::Deadline;

struct Models : ServiceBench {
  Models() {
    models.add("alpha", {TaskType::text_embedding});
    models.add("beta", {TaskType::rerank});
  }
  std::string names(std::string_view expression, std::size_t from = 0, std::size_t size = 100) {
    const auto stats = service->trained_model_stats(
        {.expression = std::string(expression), .from = from, .size = size}, Deadline::never());
    if (!stats.ok()) return stats.error().message;
    std::string out = std::to_string(stats->int_or("count")) + ":";
    for (const Json& row : stats->find("trained_model_stats")->as_array()) {
      out += " " + row.string_or("model_id");
      if (const Json* deployment = row.find("deployment_stats")) {
        out += "/" + deployment->string_or("deployment_id");
      }
    }
    return out;
  }
  Result<Json> start(std::string_view id, StartDeployment params = {}) {
    params.model_id = "alpha";
    params.deployment_id = std::string(id);
    return service->start_deployment(params, Deadline::never());
  }
};

TEST_CASE_FIXTURE(Models, "models: one row for each model and deployment, by id") {
  CHECK(names("") == "3: alpha beta cairn-mini");
  REQUIRE(start("two").ok());
  REQUIRE(start("one").ok());
  REQUIRE(put("e").ok());
  CHECK(names("_all") == "4: alpha/one alpha/two beta cairn-mini/e");
  CHECK(names("alpha,e") == "3: alpha/one alpha/two cairn-mini/e");
  CHECK(names("*a*", 1, 2) == "4: alpha/two beta");
  CHECK(names("*", 9) == "4:");
  CHECK(names("gamma*") == "0:");
  CHECK(names("gamma") == "No known trained model with model_id [gamma]");
  CHECK(names("alpha,gamma") == "No known trained model with model_id [gamma]");
  const auto strict = service->trained_model_stats(
      {.expression = "gamma*", .allow_no_match = false}, Deadline::never());
  CHECK(strict.error().code == "resource_not_found_exception");
}

TEST_CASE_FIXTURE(Models, "models: the statistics of one") {
  REQUIRE(put("e").ok());
  REQUIRE(infer("e", {"x", "y"}).ok());
  const auto all = service->trained_model_stats({.expression = "cairn-mini"}, Deadline::never());
  const Json& row = all->find("trained_model_stats")->as_array().at(0);
  CHECK(row.find_path("model_size_stats.model_size_bytes")->as_int() == 500);
  CHECK(row.find_path("model_size_stats.required_native_memory_bytes")->as_int() == 1'000);
  CHECK(row.find_path("inference_stats.inference_count")->as_int() == 2);
  CHECK(row.find_path("deployment_stats.allocation_status")->dump() ==
        R"({"allocation_count":1,"target_allocation_count":1,"state":"fully_allocated"})");
  CHECK(row.find_path("deployment_stats.queue_capacity")->as_int() == 1024);
}

TEST_CASE_FIXTURE(Models, "models: their configurations") {
  const auto all = service->trained_models({.expression = "alpha"}, true, Deadline::never());
  REQUIRE(all.ok());
  CHECK(all->int_or("count") == 1);
  const Json& config = all->find("trained_model_configs")->as_array().at(0);
  CHECK(config.string_or("model_type") == "fake");
  CHECK(config.find("inference_config")->dump() == R"({"text_embedding":{"embedding_size":2}})");
  CHECK(config.bool_or("fully_defined"));
}

TEST_CASE_FIXTURE(Models, "deployments: started by hand, kept over a restart, stopped") {
  const auto started = start("d", {.number_of_allocations = 2, .threads_per_allocation = 4});
  REQUIRE(started.ok());
  CHECK(started->find_path("assignment.assignment_state")->as_string() == "started");
  CHECK(started->find_path("assignment.task_parameters.threads_per_allocation")->as_int() == 4);
  CHECK(started->find_path("assignment.routing_table.cairn-1.current_allocations")->as_int() == 2);
  CHECK(start("d").error().message ==
        "Could not start model deployment because an existing deployment with the same id [d] "
        "exist");
  restart();
  CHECK(stats("d").int_or("threads_per_allocation") == 4);
  const auto stop = [&](std::string_view id, bool allow_no_match = true) {
    return service->stop_deployment(id, allow_no_match, false, Deadline::never());
  };
  CHECK(stop("d")->dump() == R"({"stopped":true})");
  CHECK(keys().empty());
  CHECK(stop("d").error().code == "resource_not_found_exception");
  CHECK(stop("d*").ok());
  CHECK_FALSE(stop("d*", false).ok());
}

TEST_CASE_FIXTURE(Models, "deployments: those of endpoints are left to them") {
  REQUIRE(put("e").ok());
  const auto stopped = service->stop_deployment("e", true, false, Deadline::never());
  CHECK(stopped.error().kind == ErrorKind::conflict);
  CHECK(stopped.error().message ==
        "Cannot stop deployment [e] as it was created by inference endpoint [e]; use force to "
        "stop the deployment");
  CHECK(service->update_deployment("e", {.number_of_allocations = 2}, Deadline::never())
            .error()
            .message ==
        "Cannot update deployment [e] as it was created by inference endpoint [e]. This model "
        "deployment must be updated through the inference API.");
  REQUIRE(start("d").ok());
  REQUIRE(put("f", R"({"deployment_id":"d"})").ok());
  CHECK(service->stop_deployment("d", true, false, Deadline::never()).error().message ==
        "Cannot stop deployment [d] as it is used by inference endpoint [f]; use force to stop "
        "the deployment");
  CHECK(start("f").error().message ==
        "Deployment IDs must be unique. Requested deployment ID [f] matches an existing inference "
        "endpoint ID");
}

TEST_CASE_FIXTURE(Models, "deployments: their allocations can be changed, and it lasts") {
  REQUIRE(start("d").ok());
  const auto update = [&](const UpdateDeployment& params) {
    return service->update_deployment("d", params, Deadline::never());
  };
  REQUIRE(update({.number_of_allocations = 3}).ok());
  restart();
  CHECK(stats("d").int_or("number_of_allocations") == 3);
  REQUIRE(update({.adaptive_allocations =
                      AdaptiveAllocations{.enabled = true, .min_number_of_allocations = 4}})
              .ok());
  CHECK(stats("d").int_or("number_of_allocations") == 4);
  CHECK(update({.number_of_allocations = 3}).error().message ==
        "Validation Failed: 1: [number_of_allocations] cannot be set if adaptive allocations is "
        "enabled;");
  CHECK(update({}).error().code == "validation_exception");
  CHECK(service->update_deployment("x", {.number_of_allocations = 1}, Deadline::never())
            .error()
            .kind == ErrorKind::not_found);
}

TEST_CASE_FIXTURE(Models, "deployments: parameters of a start that make no sense") {
  const auto refusal = [&](StartDeployment params) {
    const auto result = start("d", std::move(params));
    return result.ok() ? "no error" : result.error().message;
  };
  CHECK(refusal({.number_of_allocations = 0}) ==
        "Validation Failed: 1: [number_of_allocations] must be a positive integer;");
  CHECK(refusal({.threads_per_allocation = 3}) ==
        "Validation Failed: 1: [threads_per_allocation] must be a power of 2 less than or equal "
        "to 32;");
  CHECK(refusal({.queue_capacity = 0, .priority = "high", .wait_for = "nothing"}) ==
        "Validation Failed: 1: [queue_capacity] must be a positive integer;2: [priority] must be "
        "one of [low, normal], got [high];3: [wait_for] must be one of [started, starting, "
        "fully_allocated], got [nothing];");
  CHECK(refusal({.number_of_allocations = 2, .threads_per_allocation = 2, .priority = "low"}) ==
        "Validation Failed: 1: [threads_per_allocation] must be 1 when [priority] is low;2: "
        "[number_of_allocations] must be 1 when [priority] is low;");
  const auto unknown = service->start_deployment({.model_id = "gamma"}, Deadline::never());
  CHECK(unknown.error().kind == ErrorKind::not_found);
}

TEST_CASE("deployments: no more allocations than the machine has") {
  Options options;
  options.allocations_max = 4;
  ServiceBench bench(true, options);
  const auto refused = [](const auto& result, const char* doing) {
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().kind == ErrorKind::rate_limited);
    CHECK(result.error().code == "status_exception");
    CHECK(result.error().message ==
          "Could not " + std::string(doing) +
              " deployment because there are not enough resources to provide all requested "
              "allocations: [5] were requested, and a deployment has at most [4] here");
  };
  const AdaptiveAllocations many{.enabled = true, .min_number_of_allocations = 5};
  const auto start = [&](StartDeployment params) {
    params.model_id = "cairn-mini";
    params.deployment_id = "d";
    return bench.service->start_deployment(params, Deadline::never());
  };
  refused(start({.number_of_allocations = 5}), "start");
  refused(start({.adaptive_allocations = many}), "start");
  REQUIRE(start({.number_of_allocations = 4}).ok());
  const auto update = [&](const UpdateDeployment& params) {
    return bench.service->update_deployment("d", params, Deadline::never());
  };
  refused(update({.number_of_allocations = 5}), "update");
  refused(update({.adaptive_allocations = many}), "update");
  CHECK(bench.stats("d").int_or("number_of_allocations") == 4);
  refused(bench.put("e", R"({"model_id":"cairn-mini","num_threads":1,"num_allocations":5})"),
          "start");
  REQUIRE(bench.put("e").ok());
  refused(
      bench.service->update_endpoint(
          {}, "e", bench.json(R"({"service_settings":{"num_allocations":5}})"), Deadline::never()),
      "update");
}

TEST_CASE("deployments: a start whose time ends goes on, and wait_for starting does not wait") {
  ServiceBench bench(false);
  StartDeployment params{.model_id = "cairn-mini", .deployment_id = "a", .timeout_ms = 1};
  const auto late = bench.service->start_deployment(params, Deadline::never());
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().code == "model_deployment_timeout_exception");
  CHECK(late.error().details.empty());
  params.deployment_id = "b";
  params.wait_for = "starting";
  const auto begun = bench.service->start_deployment(params, Deadline::never());
  REQUIRE(begun.ok());
  CHECK(begun->find_path("assignment.assignment_state")->as_string() == "starting");
  CHECK(bench.stats("a").string_or("state") == "starting");
}

TEST_CASE_FIXTURE(Models, "services: what each can do") {
  const auto all = service->services({}, Deadline::never());
  REQUIRE(all.ok());
  CHECK(all->as_array().size() == 5);
  CHECK(all->as_array()[1].string_or("service") == "elasticsearch");
  CHECK(all->as_array()[0].find("task_types")->dump() ==
        R"(["rerank","sparse_embedding","text_embedding"])");
  CHECK(service->services(TaskType::rerank, Deadline::never())->as_array().size() == 4);
  CHECK(service->services(TaskType::sparse_embedding, Deadline::never())->as_array().size() == 2);
  const auto texts = service->services(TaskType::completion, Deadline::never());
  REQUIRE(texts->as_array().size() == 1);
  CHECK(texts->as_array()[0].string_or("service") == "openai");
}

}  // namespace
}  // namespace cairn::inference::service_models_test
