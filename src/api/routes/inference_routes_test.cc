// SPDX-License-Identifier: Apache-2.0
// Inference and trained models over HTTP: paths, parameters, bodies, statuses, privileges.
#include "api/routes/inference_routes.h"

#include <doctest/doctest.h>

#include "api/routes/ml_routes.h"
#include "api/testing.h"
#include "inference/fake_models.h"

namespace cairn::api::inference_routes_test {
namespace {

struct Fixture : DispatcherFixture {
  std::unique_ptr<store::Store> records = store::memory_store();
  inference::FakeModels models;
  os::Pool cpu{{.name = "test-cpu", .threads = 2, .queue = 64}};
  std::unique_ptr<inference::Service> service =
      std::move(inference::Service::open(*records, models, cpu, clock, {.background = false},
                                         os::Deadline::never())
                    .value());

  Fixture() {
    Router router;
    add_inference_routes(router, *service);
    add_ml_routes(router, *service);
    serve(std::move(router));
  }
  ~Fixture() { models.load_gate.set(true); }
};

const std::string simple =
    R"({"service":"elasticsearch","service_settings":{"model_id":"cairn-mini","num_threads":1,)"
    R"("num_allocations":1}})";

TEST_CASE("inference routes: an endpoint from creation to deletion") {
  Fixture fixture;
  const auto made = fixture.ask("PUT", "/_inference/sparse_embedding/e?timeout=-1", simple);
  CHECK(made.status == 200);
  CHECK(made.json().string_or("inference_id") == "e");
  const auto one = fixture.ask("GET", "/_inference/e");
  CHECK(one.status == 200);
  CHECK(one.json().find("endpoints")->as_array().size() == 1);
  CHECK(fixture.ask("GET", "/_inference").json().find("endpoints")->as_array().size() == 9);
  for (const std::string target : {"/_inference/_all", "/_inference?pretty"}) {
    CHECK(fixture.ask("GET", target).json().find("endpoints")->as_array().size() == 9);
  }
  CHECK(fixture.ask("GET", "/_inference/rerank/_all").json().find("endpoints")->as_array().size() ==
        2);
  const auto updated =
      fixture.ask("PUT", "/_inference/e/_update", R"({"service_settings":{"num_allocations":3}})");
  CHECK(updated.json().find_path("service_settings.num_allocations")->as_int() == 3);
  CHECK(fixture.ask("DELETE", "/_inference/e?dry_run=true").body ==
        R"({"acknowledged":false,"pipelines":[],"indexes":[],"dry_run":true,)"
        R"("would":{"be_refused":false,"indices":[],"pipelines":[]}})");
  CHECK(fixture.ask("DELETE", "/_inference/sparse_embedding/e").body ==
        R"({"acknowledged":true,"pipelines":[],"indexes":[]})");
  CHECK(status_and_reason(fixture.ask("GET", "/_inference/e")) ==
        "404 Inference endpoint not found [e]");
}

TEST_CASE("inference routes: the task may stand in the path or in the body") {
  Fixture fixture;
  CHECK(fixture
            .ask("PUT", "/_inference/a",
                 R"({"task_type":"rerank","service":"cairn","service_settings":{)"
                 R"("model_id":"cairn-mini","num_threads":1,"num_allocations":1}})")
            .status == 200);
  CHECK(status_and_reason(fixture.ask("PUT", "/_inference/b", simple)) ==
        "400 model is missing required setting [task_type]");
  CHECK(status_and_reason(fixture.ask("PUT", "/_inference/what/b", simple)) ==
        "400 Unknown task_type [what]");
  CHECK(status_and_reason(fixture.ask("PUT", "/_inference/rerank/b")) ==
        "400 request body is required");
}

TEST_CASE("inference routes: a creation whose time ends is a 502 that names the time") {
  Fixture fixture;
  fixture.models.load_gate.set(false);
  const auto late = fixture.ask("PUT", "/_inference/text_embedding/e?timeout=1ms", simple);
  CHECK(late.status == 502);
  CHECK(late.json().find_path("error.type")->as_string() == "model_deployment_timeout_exception");
  CHECK(late.json().int_or("status") == 502);
  CHECK(status_and_reason(late).find("[1ms]") != std::string::npos);
  CHECK(fixture.ask("PUT", "/_inference/text_embedding/f?timeout=0", simple).status == 200);
  const auto stats = fixture.ask("GET", "/_ml/trained_models/cairn-mini/_stats").json();
  CHECK(stats.int_or("count") == 2);
  fixture.models.load_gate.set(true);
  CHECK(fixture.ask("PUT", "/_inference/text_embedding/e?timeout=-1", simple).status == 200);
  const auto again = fixture.ask("PUT", "/_inference/text_embedding/e", simple);
  CHECK(status_and_reason(again) == "400 Inference endpoint [e] already exists");
  CHECK(again.json().find_path("error.type")->as_string() == "resource_already_exists_exception");
  CHECK(fixture.ask("PUT", "/_inference/text_embedding/g?timeout=soon", simple).status == 400);
}

TEST_CASE("inference routes: calls, with one input or many, with the task or without") {
  Fixture fixture;
  const std::string sparse =
      R"({"sparse_embedding":[{"is_truncated":false,"embedding":{"abc":3.0}}]})";
  for (const std::string target :
       {"/_inference/.cairn-sparse", "/_inference/sparse_embedding/.cairn-sparse",
        "/_inference/.cairn-sparse?timeout=-1"}) {
    CHECK(fixture.ask("POST", target, R"({"input":"abc"})").body == sparse);
  }
  CHECK(fixture
            .ask("POST", "/_inference/text_embedding/.cairn-dense",
                 R"({"input":["a","bc"],"input_type":"search","task_settings":null})")
            .body == R"({"text_embedding":[{"embedding":[1.0,1.0]},{"embedding":[2.0,1.0]}]})");
  CHECK(fixture
            .ask("POST", "/_inference/rerank/.cairn-rerank",
                 R"({"input":["xx","x"],"query":"q","top_n":1,"return_documents":false})")
            .body == R"({"rerank":[{"index":1,"relevance_score":0.5}]})");
}

TEST_CASE("inference routes: calls that are refused") {
  Fixture fixture;
  const auto ask = [&](const std::string& path, const std::string& body) {
    return status_and_reason(fixture.ask("POST", "/_inference/" + path, body));
  };
  CHECK(ask(".cairn-dense", "{}") == "400 Validation Failed: 1: Field [input] cannot be null;");
  CHECK(ask(".cairn-dense", R"({"input":null})") ==
        "400 Validation Failed: 1: Field [input] cannot be null;");
  CHECK(ask(".cairn-dense", R"({"input":[]})") ==
        "400 Validation Failed: 1: Field [input] cannot be an empty array;");
  CHECK(ask("rerank/.cairn-rerank", R"({"input":"x"})") ==
        "400 Validation Failed: 1: Field [query] cannot be null for task type [rerank];");
  CHECK(ask("rerank/.cairn-dense", R"({"input":"x","query":"q"})") ==
        "400 Incompatible task_type, the requested type [rerank] does not match the model type "
        "[text_embedding]");
  CHECK(ask("nope", R"({"input":"x"})") == "404 Inference endpoint not found [nope]");
  CHECK(ask("nope/x", R"({"input":"x"})") == "400 Unknown task_type [nope]");
  CHECK(ask(".cairn-dense", R"({"input":"x","inputs":"y"})") ==
        "400 [1:14] [inference] unknown field [inputs] did you mean [input]?");
  CHECK(fixture.ask("POST", "/_inference/.cairn-dense", R"({"input":7})").status == 400);
  for (const char* timeout : {"-1s", "-5s", "-1ms"}) {
    CAPTURE(std::string(timeout));
    const std::string why = "400 failed to parse setting [timeout] with value [" +
                            std::string(timeout) +
                            "] as a time value: negative durations are not supported";
    CHECK(ask(".cairn-dense?timeout=" + std::string(timeout), R"({"input":"x"})") == why);
    CHECK(ask(".cairn-dense", R"({"input":"x","timeout":")" + std::string(timeout) + "\"}") == why);
  }
  CHECK(fixture.ask("POST", "/_inference/.cairn-dense", R"({"input":"x")").status == 400);
  CHECK(ask(".cairn-dense", "") == "400 request body is required");
  fixture.models.load_gate.set(false);
  CHECK(ask(".cairn-dense?timeout=1ms", R"({"input":"x"})") ==
        "408 Timeout [1ms] waiting for inference result");
  CHECK(ask(".cairn-dense", R"({"input":"x","timeout":"2ms"})") ==
        "408 Timeout [2ms] waiting for inference result");
  CHECK(ask(".cairn-dense?timeout=0", R"({"input":"x"})") ==
        "408 Timeout [0s] waiting for inference result");
}

TEST_CASE("inference routes: who may create and who may call") {
  Fixture fixture;
  const std::string caller = fixture.cluster_key("caller", R"(["monitor_inference"])");
  const std::string maker = fixture.cluster_key("maker", R"(["manage_inference"])");
  const std::string other = fixture.cluster_key("other", R"(["monitor_ml"])");
  const std::string call = "/_inference/.cairn-sparse";
  CHECK(fixture.ask("POST", call, R"({"input":"x"})", caller).status == 200);
  CHECK(fixture.ask("POST", call, R"({"input":"x"})", maker).status == 200);
  CHECK(fixture.ask("POST", call, R"({"input":"x"})", other).status == 403);
  CHECK(fixture.ask("PUT", "/_inference/rerank/e", simple, caller).status == 403);
  CHECK(fixture.ask("PUT", "/_inference/rerank/e", simple, maker).status == 200);
  CHECK(fixture.ask("DELETE", "/_inference/e", {}, caller).status == 403);
  CHECK(fixture.ask("GET", "/_ml/trained_models/_stats", {}, other).status == 200);
  CHECK(fixture.ask("GET", "/_ml/trained_models/_stats", {}, caller).status == 403);
  CHECK(fixture.ask("POST", "/_ml/trained_models/cairn-mini/deployment/_start", {}, other).status ==
        403);
}

TEST_CASE("inference routes: services") {
  Fixture fixture;
  const auto all = fixture.ask("GET", "/_inference/_services").json();
  REQUIRE(all.is_array());
  CHECK(all.as_array().size() == 5);  // the own one by two names, and three of other servers
  CHECK(fixture.ask("GET", "/_inference/_services/rerank").json().as_array().size() == 4);
  const auto texts = fixture.ask("GET", "/_inference/_services/completion").json();
  REQUIRE(texts.as_array().size() == 1);
  CHECK(texts.as_array()[0].string_or("service") == "openai");
}

TEST_CASE("ml routes: models and deployments") {
  Fixture fixture;
  const std::string one = "/_ml/trained_models/cairn-mini";
  const auto models = fixture.ask("GET", "/_ml/trained_models?include=definition_status").json();
  CHECK(models.int_or("count") == 1);
  CHECK(models.find("trained_model_configs")->as_array().at(0).bool_or("fully_defined"));
  CHECK(fixture.ask("GET", one).status == 200);
  CHECK(fixture.ask("GET", "/_ml/trained_models?include=definition").status == 400);
  CHECK(status_and_reason(fixture.ask("GET", "/_ml/trained_models/nope/_stats")) ==
        "404 No known trained model with model_id [nope]");
  CHECK(fixture.ask("GET", "/_ml/trained_models/nope*/_stats").json().int_or("count", -1) == 0);
  CHECK(fixture.ask("GET", "/_ml/trained_models/nope*/_stats?allow_no_match=false").status == 404);
  CHECK(status_and_reason(fixture.ask("GET", "/_ml/trained_models/_stats?from=-1")) ==
        "400 Parameter [from] cannot be < 0");
  CHECK(fixture.ask("GET", "/_ml/trained_models/_stats?from=9000&size=2000").status == 400);

  const auto started = fixture.ask(
      "POST", one + "/deployment/_start?deployment_id=d&threads_per_allocation=2&timeout=30s",
      R"({"adaptive_allocations":{"enabled":true,"min_number_of_allocations":2}})");
  CHECK(started.status == 200);
  CHECK(started.json().find_path("assignment.task_parameters.number_of_allocations")->as_int() ==
        2);
  const auto stats = fixture.ask("GET", "/_ml/trained_models/d/_stats").json();
  CHECK(stats.find("trained_model_stats")
            ->as_array()
            .at(0)
            .find_path("deployment_stats.allocation_status.state")
            ->as_string() == "fully_allocated");
  CHECK(status_and_reason(fixture.ask("POST", one + "/deployment/_start?deployment_id=d")) ==
        "400 Could not start model deployment because an existing deployment with the same id [d] "
        "exist");
  const auto updated = fixture.ask("POST", "/_ml/trained_models/d/deployment/_update",
                                   R"({"adaptive_allocations":{"enabled":false}})");
  CHECK(updated.status == 200);
  CHECK(fixture.ask("POST", "/_ml/trained_models/d/deployment/_update?number_of_allocations=4")
            .json()
            .find_path("assignment.task_parameters.number_of_allocations")
            ->as_int() == 4);
  CHECK(fixture.ask("POST", "/_ml/trained_models/d/deployment/_stop").body ==
        R"({"stopped":true})");
  CHECK(fixture.ask("POST", "/_ml/trained_models/d/deployment/_stop").status == 404);
}

}  // namespace
}  // namespace cairn::api::inference_routes_test
