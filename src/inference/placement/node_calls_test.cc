// SPDX-License-Identifier: Apache-2.0
// What nodes say to each other is read as it was written, and nothing else is read.
#include "inference/placement/node_calls.h"

#include <doctest/doctest.h>

#include <limits>

namespace cairn::inference::node_calls_test {
namespace {

RunCall some_call() {
  return {.deployment_id = "d",
          .incarnation = "1.2",
          .work = {.task = TaskType::chat_completion,
                   .input_type = InputType::search,
                   .query = "a query",
                   .inputs = {"", "two", std::string("\0\xff", 2)},
                   .said = {{.role = "user", .content = "who?"}, {.role = "", .content = ""}}}};
}

NodeAnswer some_answer() {
  NodeAnswer out{.cpu_ns = 1'234'567};
  out.result.dense = {{1.5F, -2}, {0, 3}};
  out.result.sparse = {{.weights = {{"a", 0.5F}, {"", 2}}, .is_truncated = true}, {}};
  out.result.scores = {0.25F, 0.75F};
  out.result.texts = {{.tokens = {"one", ""}, .prompt_tokens = 7}, {}};
  return out;
}

TEST_CASE("node calls: a batch and its answer come as they were sent") {
  const auto call = RunCall::decode(some_call().encode());
  REQUIRE(call.ok());
  CHECK(call->deployment_id == "d");
  CHECK(call->incarnation == "1.2");
  CHECK(call->work.task == TaskType::chat_completion);
  CHECK(call->work.input_type == InputType::search);
  CHECK(call->work.query == "a query");
  CHECK(call->work.inputs == some_call().work.inputs);
  REQUIRE(call->work.said.size() == 2);
  CHECK(call->work.said[0].content == "who?");

  const auto answer = decode_answer(encode(some_answer()), TaskType::rerank, 2);
  REQUIRE(answer.ok());
  CHECK(answer->cpu_ns == 1'234'567);
  CHECK(answer->result.dense == some_answer().result.dense);
  CHECK(answer->result.sparse[0].weights == some_answer().result.sparse[0].weights);
  CHECK(answer->result.sparse[0].is_truncated);
  CHECK(answer->result.scores == some_answer().result.scores);
  CHECK(answer->result.texts[0].tokens == some_answer().result.texts[0].tokens);
  CHECK(answer->result.texts[0].prompt_tokens == 7);
}

TEST_CASE("node calls: bytes that end early or go on are refused") {
  const std::string call = some_call().encode(), answer = encode(some_answer());
  for (std::size_t size = 0; size < call.size(); ++size)
    REQUIRE_FALSE(RunCall::decode(call.substr(0, size)).ok());
  for (std::size_t size = 0; size < answer.size(); ++size)
    REQUIRE_FALSE(decode_answer(answer.substr(0, size), TaskType::rerank, 2).ok());
  CHECK_FALSE(RunCall::decode(call + "x").ok());
  CHECK_FALSE(decode_answer(answer + "x", TaskType::rerank, 2).ok());
}

TEST_CASE("node calls: an answer has a result for each input, of finite numbers") {
  for (const TaskType task : {TaskType::text_embedding, TaskType::sparse_embedding,
                              TaskType::rerank, TaskType::completion}) {
    CHECK(decode_answer(encode(some_answer()), task, 2).ok());
    CHECK_FALSE(decode_answer(encode(some_answer()), task, 3).ok());
  }
  NodeAnswer uneven = some_answer();
  uneven.result.dense[1].push_back(1);
  CHECK_FALSE(decode_answer(encode(uneven), TaskType::rerank, 2).ok());
  NodeAnswer endless = some_answer();
  endless.result.scores[0] = std::numeric_limits<float>::infinity();
  CHECK_FALSE(decode_answer(encode(endless), TaskType::rerank, 2).ok());
}

TEST_CASE("node calls: what is placed, and how it does") {
  const PlaceCall call{.deployments = {{.deployment_id = "d",
                                        .model_id = "m",
                                        .incarnation = "7.1",
                                        .allocations = 3,
                                        .threads = 2}}};
  const auto read = PlaceCall::decode(call.encode());
  REQUIRE(read.ok());
  REQUIRE(read->deployments.size() == 1);
  CHECK(read->deployments[0].model_id == "m");
  CHECK(read->deployments[0].allocations == 3);
  CHECK(read->deployments[0].threads == 2);
  for (const char* text : {"", "{}", "[]", R"({"deployments": 1})", R"({"deployments": [1]})",
                           R"({"deployments": [{"deployment_id": "d", "model_id": "m"}]})"})
    CHECK_FALSE(PlaceCall::decode(text).ok());

  const PlaceAnswer answer{
      .processors = 4,
      .memory_bytes = 1ull << 40,
      .deployments = {
          {.deployment_id = "d", .incarnation = "7.1", .state = "failed", .reason = "no room"}}};
  const auto told = PlaceAnswer::decode(answer.encode());
  REQUIRE(told.ok());
  CHECK(told->processors == 4);
  CHECK(told->memory_bytes == 1ull << 40);
  CHECK(told->deployments[0].reason == "no room");
  for (const char* text : {"", "{}", R"({"processors": 0, "deployments": []})",
                           R"({"processors": 1, "deployments": {}})"})
    CHECK_FALSE(PlaceAnswer::decode(text).ok());
}

}  // namespace
}  // namespace cairn::inference::node_calls_test
