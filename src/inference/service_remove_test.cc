// SPDX-License-Identifier: Apache-2.0
// Which ids a new model may have, who keeps a model from being removed, and a second endpoint.
#include <doctest/doctest.h>

#include <string>

#include "inference/service_bench.h"

namespace cairn::inference::service_remove_test {
namespace {

const os::Deadline never = os::Deadline::never();

constexpr std::string_view of_extra = R"({"model_id":"extra","num_threads":1,"num_allocations":1})";

std::string refusal(const ServiceBench& bench, std::string_view id) {
  const Status checked = bench.service->check_new_model(id);
  return checked.ok() ? std::string() : checked.error().message;
}

TEST_CASE("models: a new one must not have the id of an endpoint or of a deployment") {
  ServiceBench bench;
  REQUIRE(bench.put("mine").ok());
  CHECK(refusal(bench, "other").empty());
  CHECK(refusal(bench, "mine") ==
        "Model IDs must be unique. Requested model ID [mine] matches an existing inference "
        "endpoint ID but must not.");
  CHECK_FALSE(refusal(bench, ".cairn-dense").empty());
  REQUIRE(
      bench.service->start_deployment({.model_id = "cairn-mini", .deployment_id = "shared"}, never)
          .ok());
  CHECK(refusal(bench, "shared").find("deployment ID") != std::string::npos);
  CHECK(refusal(bench, "Upper").find("Invalid model_id") != std::string::npos);
}

TEST_CASE("models: what endpoints and deployments use stays") {
  ServiceBench bench;
  bench.models.add("extra", {TaskType::text_embedding});
  REQUIRE(bench.put("mine", of_extra).ok());
  const auto used = bench.service->delete_model("extra", false, never);
  CHECK(used.error().kind == ErrorKind::conflict);
  CHECK(used.error().message ==
        "Cannot delete model [extra] as it is still referenced by inference endpoints [mine]; use "
        "force to delete the model");
  REQUIRE(bench.remove("mine").ok());
  REQUIRE(bench.service->start_deployment({.model_id = "extra"}, never).ok());
  CHECK(bench.service->delete_model("extra", false, never).error().message ==
        "Cannot delete model [extra] as it is currently deployed; use force to delete the model");
  CHECK(bench.service->delete_model("extra", true, never).error().kind == ErrorKind::unsupported);
  CHECK(bench.stats("extra").is_null());  // its deployment was stopped first
}

TEST_CASE("models: a second endpoint on a model is advised to share") {
  ServiceBench bench;
  bench.models.add("extra", {TaskType::text_embedding});
  const auto first = bench.put("first", of_extra);
  REQUIRE(first.ok());
  CHECK(bench.service->advice(*first).empty());
  const auto second = bench.put("second", of_extra);
  REQUIRE(second.ok());
  CHECK(bench.service->advice(*second) ==
        "Inference endpoint [first] already runs model [extra]. Each endpoint with a deployment of "
        "its own takes resources; name deployment_id [first] to share that one.");
  const auto guest = bench.put("guest", R"({"deployment_id":"first"})");
  REQUIRE(guest.ok());
  CHECK(bench.service->advice(*guest).empty());
  REQUIRE(bench.put("shipped").ok());
  const auto shipped = bench.put("shipped-too");
  REQUIRE(shipped.ok());
  CHECK(bench.service->advice(*shipped).empty());
}

}  // namespace
}  // namespace cairn::inference::service_remove_test
