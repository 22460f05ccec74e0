// SPDX-License-Identifier: Apache-2.0
// Bodies of creations: what is read, what is refused and with which words, and what is stored.
#include "inference/endpoint.h"

#include <doctest/doctest.h>

namespace cairn::inference::endpoint_test {
namespace {

Json json(std::string_view text) {
  Result<Json> parsed = parse_json(text);
  REQUIRE_MESSAGE(parsed.ok(), text);
  return std::move(parsed).value();
}

Result<Endpoint> parse(std::string_view body,
                       std::optional<TaskType> task = TaskType::text_embedding) {
  return parse_endpoint(task, "my-endpoint", json(body));
}

std::string error_of(std::string_view body,
                     std::optional<TaskType> task = TaskType::text_embedding) {
  const Result<Endpoint> result = parse(body, task);
  return result.ok() ? "no error" : result.error().code + ": " + result.error().message;
}

/// A body with these service settings.
std::string with(std::string_view settings, std::string_view service = "elasticsearch") {
  return R"({"service":")" + std::string(service) + R"(","service_settings":)" +
         std::string(settings) + "}";
}

TEST_CASE("endpoint: the fields of a creation are kept and shown") {
  const Result<Endpoint> endpoint = parse(R"({"service":"elasticsearch","service_settings":{
      "model_id":"m","num_threads":4,"num_allocations":2},
      "chunking_settings":{"strategy":"word","max_chunk_size":50,"overlap":10},
      "task_settings":{"input_type":"search"}})");
  REQUIRE(endpoint.ok());
  CHECK(endpoint->num_threads == 4);
  CHECK(endpoint->num_allocations == 2);
  CHECK(to_json(*endpoint).dump() ==
        R"({"inference_id":"my-endpoint","task_type":"text_embedding","service":"elasticsearch",)"
        R"("service_settings":{"num_allocations":2,"num_threads":4,"model_id":"m"},)"
        R"("task_settings":{"input_type":"search"},)"
        R"("chunking_settings":{"strategy":"word","max_chunk_size":50,"overlap":10}})");
}

TEST_CASE("endpoint: adaptive allocations, and no chunking for rerank") {
  const Result<Endpoint> endpoint =
      parse(with(R"({"model_id":"m","num_threads":1,"long_document_strategy":"chunk",
      "max_chunks_per_doc":3,"adaptive_allocations":{"enabled":true,
      "min_number_of_allocations":1,"max_number_of_allocations":4}})"),
            TaskType::rerank);
  REQUIRE(endpoint.ok());
  CHECK(to_json(*endpoint).dump() ==
        R"({"inference_id":"my-endpoint","task_type":"rerank","service":"elasticsearch",)"
        R"("service_settings":{"num_threads":1,"model_id":"m","adaptive_allocations":)"
        R"({"enabled":true,"min_number_of_allocations":1,"max_number_of_allocations":4},)"
        R"("long_document_strategy":"chunk","max_chunks_per_doc":3},)"
        R"("task_settings":{"return_documents":false}})");
}

TEST_CASE("endpoint: the default chunking is shown") {
  const Result<Endpoint> endpoint =
      parse(with(R"({"model_id":"m","num_threads":1,"num_allocations":1})"));
  REQUIRE(endpoint.ok());
  CHECK(to_json(*endpoint).find("chunking_settings")->dump() ==
        R"({"strategy":"sentence","max_chunk_size":250,"sentence_overlap":1})");
}

TEST_CASE("endpoint: every refusal has its words") {
  const std::string settings = R"({"model_id":"m","num_threads":1,"num_allocations":1)";
  struct Case {
    std::string body;
    std::string error;
  };
  const std::string failed = "validation_exception: Validation Failed: ";
  const std::vector<Case> cases{
      {"{}", "status_exception: Inference endpoint configuration is missing the [service] setting"},
      {with("{}", "nope"), "status_exception: Service [nope] not found"},
      {R"({"service":"elasticsearch"})",
       "status_exception: Missing required field [service_settings]"},
      {R"({"service":"elasticsearch","service_settings":3})",
       failed + "1: field [service_settings] is not of the expected type. The value [3] cannot be "
                "converted to a [Map];"},
      {with("{}"),
       failed + "1: [service_settings] does not contain the required setting [num_threads];2: "
                "[service_settings] does not contain one of the required settings "
                "[num_allocations, adaptive_allocations];"},
      {with(R"({"num_threads":1,"num_allocations":1})"),
       "illegal_argument_exception: Error parsing service settings, model_id must be provided"},
      {with(R"({"model_id":"","num_threads":1,"num_allocations":1})"),
       failed + "1: [service_settings] Invalid value empty string. [model_id] must be a non-empty "
                "string;"},
      {with(R"({"model_id":"m","num_threads":0,"num_allocations":-3})"),
       failed + "1: [service_settings] Invalid value [0]. [num_threads] must be a positive "
                "integer;2: [service_settings] Invalid value [-3]. [num_allocations] must be a "
                "positive integer;"},
      {with(R"({"model_id":"m","num_threads":"2","num_allocations":1.5})"),
       failed + "1: field [num_threads] is not of the expected type. The value [2] cannot be "
                "converted to a [Integer];2: field [num_allocations] is not of the expected type. "
                "The value [1.5] cannot be converted to a [Integer];"},
      {with(R"({"model_id":"m","num_threads":3,"num_allocations":1})"),
       "action_request_validation_exception: Validation Failed: 1: [threads_per_allocation] must "
       "be a power of 2 less than or equal to 32;"},
      {with(R"({"model_id":"m","num_threads":64,"num_allocations":1})"),
       "action_request_validation_exception: Validation Failed: 1: [threads_per_allocation] must "
       "be a power of 2 less than or equal to 32;"},
      {with(settings + R"(,"x":1,"y":{"a":[true]}})"),
       "status_exception: Configuration contains settings [{x=1, y={a=[true]}}] unknown to the "
       "[elasticsearch] service"},
      {R"({"service":"cairn","service_settings":)" + settings + R"(},"foo":"bar"})",
       "status_exception: Configuration contains settings [{foo=bar}] unknown to the [cairn] "
       "service"},
      {R"({"service":"cairn","service_settings":)" + settings + R"(},"task_settings":{"top":1}})",
       "status_exception: Configuration contains settings [{top=1}] unknown to the [cairn] "
       "service"},
      {with(settings + R"(,"adaptive_allocations":{"enabled":true}})"),
       failed + "1: [number_of_allocations] cannot be set if adaptive allocations is enabled;"},
      {with(R"({"model_id":"m","num_threads":1,"adaptive_allocations":{"enabled":true,
            "min_number_of_allocations":-1,"max_number_of_allocations":0}})"),
       failed + "1: [min_number_of_allocations] must be a non-negative integer or null;2: "
                "[max_number_of_allocations] must be a positive integer or null;"},
      {with(R"({"model_id":"m","num_threads":1,"adaptive_allocations":{"enabled":true,
            "min_number_of_allocations":5,"max_number_of_allocations":4}})"),
       failed + "1: [min_number_of_allocations] must not be larger than "
                "[max_number_of_allocations];"},
      {with(R"({"model_id":"m","num_threads":1,"adaptive_allocations":{"enabled":"yes"}})"),
       failed + "1: field [enabled] is not of the expected type. The value [yes] cannot be "
                "converted to a [Boolean];"},
      {R"({"service":"cairn","service_settings":)" + settings +
           R"(},"chunking_settings":{"max_chunk_size":20}})",
       "illegal_argument_exception: Can't generate Chunker without ChunkingStrategy provided"},
      {R"({"service":"cairn","service_settings":)" + settings + R"(},"task_type":"rerank"})",
       "status_exception: Cannot resolve conflicting task_type parameter in the request URL "
       "[text_embedding] and the request body [rerank]"},
      {R"({"service":"cairn","service_settings":)" + settings + R"(},"task_type":"bad"})",
       "status_exception: Unknown task_type [bad]"},
      {with(settings + "}", "elser"),
       "status_exception: The [elser] service does not support task type [text_embedding]"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.body);
    CHECK(error_of(one.body) == one.error);
  }
  CHECK(error_of("{}", std::nullopt) ==
        "status_exception: model is missing required setting [task_type]");
  CHECK(error_of(with(settings + R"(,"max_chunks_per_doc":2})"), TaskType::rerank) ==
        failed +
            "1: [service_settings] The [max_chunks_per_doc] setting requires "
            "[long_document_strategy] to be set to [chunk];");
  CHECK(error_of(with(settings + R"(,"long_document_strategy":"cut"})"), TaskType::rerank) ==
        failed +
            "1: [service_settings] Invalid value [cut] received. [long_document_strategy] "
            "must be one of [chunk, truncate];");
}

TEST_CASE("endpoint: the task may stand in the body alone") {
  const Result<Endpoint> endpoint = parse(
      R"({"service":"elser","task_type":"sparse_embedding",
          "service_settings":{"num_threads":1,"num_allocations":1}})",
      std::nullopt);
  REQUIRE(endpoint.ok());
  CHECK(endpoint->task == TaskType::sparse_embedding);
  CHECK(endpoint->model_id.empty());
}

TEST_CASE("endpoint: with deployment_id nothing else is asked for") {
  const Result<Endpoint> endpoint = parse(with(R"({"deployment_id":"d"})"));
  REQUIRE(endpoint.ok());
  CHECK(endpoint->deployment_id == "d");
  CHECK_FALSE(endpoint->owns_deployment);
}

TEST_CASE("endpoint: null settings count as absent") {
  const Result<Endpoint> endpoint =
      parse(with(R"({"model_id":"m","num_threads":1,"num_allocations":null,
      "adaptive_allocations":{"enabled":true,"min_number_of_allocations":null}})"));
  REQUIRE(endpoint.ok());
  CHECK_FALSE(endpoint->adaptive_allocations->min_number_of_allocations);
}

TEST_CASE("inference id: the rules of characters") {
  for (const std::string_view good : {"a", "0", "my-endpoint", "a_b-c", "e5-v1.5"}) {
    CAPTURE(good);
    CHECK(check_inference_id(good).ok());
  }
  for (const std::string_view bad :
       {"", "A", "-a", "a-", "_a", "a_", ".a", "a.", "a b", "a/b", "é", "a*"}) {
    CAPTURE(bad);
    const Status status = check_inference_id(bad);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == "action_request_validation_exception");
  }
  CHECK_FALSE(check_inference_id(std::string(256, 'a')).ok());
}

TEST_CASE("endpoint: the record reads back as it was") {
  for (const std::string& body :
       {with(R"({"model_id":"m","num_threads":4,"num_allocations":2})"),
        with(R"({"model_id":"m","num_threads":1,"adaptive_allocations":{"enabled":true,
             "min_number_of_allocations":0}})"),
        with(R"({"deployment_id":"d"})")}) {
    for (const TaskType task :
         {TaskType::text_embedding, TaskType::sparse_embedding, TaskType::rerank}) {
      Result<Endpoint> endpoint = parse(body, task);
      REQUIRE(endpoint.ok());
      endpoint->confirmed = false;
      if (endpoint->deployment_id.empty()) endpoint->deployment_id = endpoint->inference_id;
      if (task == TaskType::text_embedding) endpoint->dimensions = 8, endpoint->similarity = "x";
      const Result<Endpoint> back = from_record(json(to_record(*endpoint).dump()));
      REQUIRE(back.ok());
      CHECK(*back == *endpoint);
    }
  }
  CHECK(from_record(Json::object()).error().kind == ErrorKind::corrupt);
}

TEST_CASE("endpoint: an update changes allocations and task settings, and nothing else") {
  const Result<Endpoint> endpoint =
      parse(with(R"({"model_id":"m","num_threads":1,"num_allocations":1})"));
  REQUIRE(endpoint.ok());
  const auto update = [&](std::string_view body) {
    return parse_endpoint_update(*endpoint, json(body));
  };
  CHECK(update(R"({"service_settings":{"num_allocations":3}})")->num_allocations == 3);
  CHECK(update(R"({"task_settings":{"input_type":"ingest"}})")->input_type == InputType::ingest);
  CHECK(update("{}").error().kind == ErrorKind::invalid_argument);
  CHECK(update(R"({"service_settings":{"num_threads":3}})").error().message ==
        "Configuration contains settings [{num_threads=3}] unknown to the [elasticsearch] service");
  CHECK(update(R"({"service_settings":{"num_allocations":0}})").error().code ==
        "validation_exception");
}

}  // namespace
}  // namespace cairn::inference::endpoint_test
