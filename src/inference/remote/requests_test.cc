// SPDX-License-Identifier: Apache-2.0
// Bodies of requests to other servers, each in its service's words.
#include "inference/remote/requests.h"

#include <doctest/doctest.h>

namespace cairn::inference::requests_test {
namespace {

Endpoint endpoint_of(RemoteKind kind, TaskType task = TaskType::text_embedding) {
  Endpoint out;
  out.inference_id = "there";
  out.task = task;
  out.model_id = "m";
  out.remote = RemoteSettings{.kind = kind, .url = "http://127.0.0.1:1/"};
  return out;
}

const std::vector<std::string> texts{"one", "zwei äöü"};

TEST_CASE("remote requests: vectors of openai, with what the endpoint sets") {
  Endpoint endpoint = endpoint_of(RemoteKind::openai);
  CHECK(vectors_request(endpoint, texts, InputType::search) ==
        R"({"input":["one","zwei äöü"],"model":"m","encoding_format":"float"})");
  endpoint.dimensions = 4;
  endpoint.remote->asks_dimensions = true;
  endpoint.remote->user = "u";
  endpoint.remote->max_input_tokens = 2;
  CHECK(vectors_request(endpoint, texts, InputType::unspecified) ==
        R"({"input":["one","zwei ä"],"model":"m","encoding_format":"float","user":"u",)"
        R"("dimensions":4})");
}

TEST_CASE("remote requests: vectors of cohere say which side a text stands on") {
  Endpoint endpoint = endpoint_of(RemoteKind::cohere);
  const auto body = [&](InputType type) {
    return vectors_request(endpoint, std::span(texts).first(1), type);
  };
  CHECK(body(InputType::search) ==
        R"({"texts":["one"],"model":"m","input_type":"search_query","embedding_types":["float"]})");
  CHECK(body(InputType::ingest).find(R"("search_document")") != std::string::npos);
  CHECK(body(InputType::unspecified).find(R"("search_document")") != std::string::npos);
  CHECK(body(InputType::classification).find(R"("classification")") != std::string::npos);
  CHECK(body(InputType::clustering).find(R"("clustering")") != std::string::npos);
  endpoint.element_type = ElementType::byte;
  endpoint.remote->truncate = "END";
  CHECK(body(InputType::ingest) == R"({"texts":["one"],"model":"m","input_type":"search_document",)"
                                   R"("embedding_types":["int8"],"truncate":"END"})");
}

TEST_CASE("remote requests: vectors and scores of a text embeddings server") {
  const Endpoint endpoint = endpoint_of(RemoteKind::hugging_face);
  CHECK(vectors_request(endpoint, texts, InputType::ingest) == R"({"inputs":["one","zwei äöü"]})");
  CHECK(scores_request(endpoint, "q", texts) == R"({"query":"q","texts":["one","zwei äöü"]})");
  CHECK(scores_request(endpoint_of(RemoteKind::cohere, TaskType::rerank), "q", texts) ==
        R"({"query":"q","documents":["one","zwei äöü"],"model":"m"})");
}

TEST_CASE("remote requests: inputs are cut at characters") {
  CHECK(cut_to_tokens("äöüß", 1) == "äöü");
  CHECK(cut_to_tokens("äö", 1) == "äö");
  CHECK(cut_to_tokens("äöü", 1) == "äöü");
  CHECK(cut_to_tokens("anything", std::nullopt) == "anything");
}

TEST_CASE("remote requests: a chat with everything") {
  const Endpoint endpoint = endpoint_of(RemoteKind::openai, TaskType::chat_completion);
  TextCall call;
  call.prompt.messages = *parse_json(R"([{"role":"user","content":"Hi"},
      {"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function",
       "function":{"name":"f","arguments":{"x":1}}}]},
      {"role":"tool","content":"2","tool_call_id":"1"}])");
  call.prompt.tools = *parse_json(R"([{"type":"function","function":{"name":"f"}}])");
  call.sampling.temperature = 0.5;
  call.sampling.top_k = 4;
  call.sampling.seed = 7;
  call.sampling.logit_bias = {{12, -100.0F}};
  call.most_tokens = 9;
  call.stop = {"\n"};
  call.choices = 2;
  const auto body = chat_request(endpoint, call);
  REQUIRE(body.ok());
  CHECK(*body ==
        R"({"model":"m","messages":[{"role":"user","content":"Hi"},{"role":"assistant",)"
        R"("content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"f",)"
        R"("arguments":"{\"x\":1}"}}]},{"role":"tool","content":"2","tool_call_id":"1"}],)"
        R"("tools":[{"type":"function","function":{"name":"f"}}],"temperature":0.5,"top_k":4,)"
        R"("seed":7,"logit_bias":{"12":-100.0},"max_completion_tokens":9,"stop":["\n"],"n":2,)"
        R"("stream":true,"stream_options":{"include_usage":true}})");
}

TEST_CASE("remote requests: a completion is a message, and what cannot be asked is refused") {
  const Endpoint endpoint = endpoint_of(RemoteKind::openai, TaskType::completion);
  TextCall call;
  call.prompt.text = "Say";
  const auto bare = chat_request(endpoint, call);
  REQUIRE_FALSE(bare.ok());
  CHECK(bare.error().message ==
        "Inference endpoint [there] has a remote model: it answers messages and cannot go on with "
        "a text");
  call.prompt.as_message = true;
  const auto body = chat_request(endpoint, call);
  REQUIRE(body.ok());
  CHECK(*body == R"({"model":"m","messages":[{"role":"user","content":"Say"}],"stream":true,)"
                 R"("stream_options":{"include_usage":true}})");
  call.sampling.logprobs = true;
  CHECK_FALSE(chat_request(endpoint, call).ok());
}

}  // namespace
}  // namespace cairn::inference::requests_test
