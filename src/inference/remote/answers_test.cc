// SPDX-License-Identifier: Apache-2.0
// Answers of other servers: what is taken, and what is refused and why.
#include "inference/remote/answers.h"

#include <doctest/doctest.h>

namespace cairn::inference::answers_test {
namespace {

std::string vector_fault(RemoteKind kind, std::string_view answer, WantedVectors wanted) {
  const auto read = read_vectors(kind, answer, wanted);
  if (read.ok()) return "no error";
  CHECK(read.error().kind == ErrorKind::unavailable);
  REQUIRE(read.error().details.size() == 1);
  CHECK(read.error().details.front().second == "502");
  return read.error().message;
}

std::string score_fault(RemoteKind kind, std::string_view answer, std::size_t count) {
  const auto read = read_scores(kind, answer, count);
  return read.ok() ? "no error" : read.error().message;
}

const std::string senseless = "the answer makes no sense: ";

TEST_CASE("remote answers: vectors go to the inputs that their indices name") {
  const auto read = read_vectors(RemoteKind::openai,
                                 R"({"object":"list","data":[{"index":1,"embedding":[0.5,1]},
      {"index":0,"embedding":[-1,2]}],"usage":{"prompt_tokens":7,"total_tokens":7}})",
                                 {.count = 2});
  REQUIRE(read.ok());
  CHECK(read->vectors == std::vector<std::vector<float>>{{-1, 2}, {0.5F, 1}});
  CHECK(read->tokens == 7);
}

TEST_CASE("remote answers: vectors without indices stand in their order") {
  const auto read =
      read_vectors(RemoteKind::openai, R"({"data":[{"embedding":[1]},{"embedding":[2]}]})",
                   {.count = 2, .dimensions = 1});
  REQUIRE(read.ok());
  CHECK(read->vectors == std::vector<std::vector<float>>{{1}, {2}});
  CHECK(read->tokens == 0);
}

TEST_CASE("remote answers: vectors of Cohere, as numbers and as bytes") {
  const auto real =
      read_vectors(RemoteKind::cohere,
                   R"({"id":"x","embeddings":{"float":[[1,2],[3,4]]},"texts":["a","b"],
      "meta":{"billed_units":{"input_tokens":3.0}}})",
                   {.count = 2, .dimensions = 2});
  REQUIRE(real.ok());
  CHECK(real->vectors[1] == std::vector<float>{3, 4});
  CHECK(real->tokens == 3);
  const auto bytes = read_vectors(RemoteKind::cohere, R"({"embeddings":{"int8":[[-128,127]]}})",
                                  {.count = 1, .bytes = true});
  REQUIRE(bytes.ok());
  CHECK(bytes->vectors[0] == std::vector<float>{-128, 127});
  CHECK(vector_fault(RemoteKind::cohere, R"({"embeddings":{"int8":[[128]]}})",
                     {.count = 1, .bytes = true}) ==
        senseless + "a vector of bytes holds a number that is no byte");
  CHECK(vector_fault(RemoteKind::cohere, R"({"embeddings":{"int8":[[0.5]]}})",
                     {.count = 1, .bytes = true}) ==
        senseless + "a vector of bytes holds a number that is no byte");
}

TEST_CASE("remote answers: vectors of a text embeddings server, alone or within an object") {
  for (const char* answer : {"[[1,2]]", R"({"embeddings":[[1,2]]})"}) {
    const auto read = read_vectors(RemoteKind::hugging_face, answer, {.count = 1});
    REQUIRE(read.ok());
    CHECK(read->vectors[0] == std::vector<float>{1, 2});
  }
}

TEST_CASE("remote answers: vectors that do not fit what was asked are refused") {
  const auto openai = [](std::string_view answer, WantedVectors wanted) {
    return vector_fault(RemoteKind::openai, answer, wanted);
  };
  CHECK(openai("", {.count = 1}) == senseless + "it is no JSON");
  CHECK(openai("[]", {.count = 1}) == senseless + "there is no array [data]");
  CHECK(openai(R"({"data":{}})", {.count = 1}) == senseless + "there is no array [data]");
  CHECK(openai(R"({"data":[]})", {.count = 1}) == senseless + "[0] results came for [1] inputs");
  CHECK(openai(R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})",
               {.count = 2}) == senseless + "an index is [0] of [2] inputs, or comes twice");
  CHECK(openai(R"({"data":[{"index":1,"embedding":[1]}]})", {.count = 1}) ==
        senseless + "an index is [1] of [1] inputs, or comes twice");
  for (const char* index : {"-1", "0.5", "\"0\"", "null"})
    CHECK(openai(R"({"data":[{"embedding":[1],"index":)" + std::string(index) + "}]}",
                 {.count = 1}) == senseless + "an [index] is no number of an input");
  CHECK(openai(R"({"data":[{"index":0}]})", {.count = 1}) ==
        senseless + "an element of [data] has no [embedding]");
  CHECK(openai(R"({"data":[{"embedding":"AACAPw=="}]})", {.count = 1}) ==
        senseless + "a vector is no array");
  CHECK(openai(R"({"data":[{"embedding":[]}]})", {.count = 1}) ==
        senseless + "a vector has [0] dimensions");
  CHECK(openai(R"({"data":[{"embedding":[1,2]}]})", {.count = 1, .dimensions = 3}) ==
        senseless + "a vector has [2] dimensions and not [3]");
  CHECK(openai(R"({"data":[{"embedding":[1,2]},{"embedding":[1]}]})", {.count = 2}) ==
        senseless + "a vector has [1] dimensions and not [2]");
  CHECK(openai(R"({"data":[{"embedding":[1,null]}]})", {.count = 1}) ==
        senseless + "a vector holds what is no number");
  CHECK(openai(R"({"data":[{"embedding":[1e300]}]})", {.count = 1}) ==
        senseless + "a vector holds a number without bounds");
  CHECK(vector_fault(RemoteKind::cohere, R"({"embeddings":[[1]]})", {.count = 1}) ==
        senseless + "there is no array [embeddings.float]");
  CHECK(vector_fault(RemoteKind::hugging_face, "3", {.count = 1}) ==
        senseless + "there is no array [embeddings]");
}

TEST_CASE("remote answers: scores go to their documents") {
  const auto cohere = read_scores(RemoteKind::cohere,
                                  R"({"results":[{"index":1,"relevance_score":0.9},
      {"index":0,"relevance_score":0.1}],"meta":{"billed_units":{"search_units":1}}})",
                                  2);
  REQUIRE(cohere.ok());
  CHECK(cohere->scores == std::vector<float>{0.1F, 0.9F});
  const auto server =
      read_scores(RemoteKind::hugging_face, R"([{"index":1,"score":-3},{"index":0,"score":2}])", 2);
  REQUIRE(server.ok());
  CHECK(server->scores == std::vector<float>{2, -3});
}

TEST_CASE("remote answers: scores that do not fit what was asked are refused") {
  const auto server = [](std::string_view answer, std::size_t count) {
    return score_fault(RemoteKind::hugging_face, answer, count);
  };
  CHECK(server("x", 1) == senseless + "it is no JSON");
  CHECK(server("{}", 1) == senseless + "there is no array []");
  CHECK(server(R"([{"index":0,"score":1}])", 2) == senseless + "[1] results came for [2] inputs");
  for (const char* index : {"2", "-1", "true"})
    CHECK(server(R"([{"score":1,"index":)" + std::string(index) + "}]", 1) ==
          senseless + "an [index] is no number of a document, or comes twice");
  CHECK(server(R"([{"index":0,"score":1},{"index":0,"score":1}])", 2) ==
        senseless + "an [index] is no number of a document, or comes twice");
  CHECK(server(R"([{"index":0}])", 1) == senseless + "a document has no score");
  CHECK(server(R"([{"index":0,"score":1e300}])", 1) == senseless + "a score has no bounds");
  CHECK(score_fault(RemoteKind::cohere, R"({"results":{}})", 1) ==
        senseless + "there is no array [results]");
}

TEST_CASE("remote answers: what a refusal says is found in each form") {
  CHECK(refusal_text(std::string_view(R"({"error":{"message":"bad\nmodel"}})")) == "bad model");
  CHECK(refusal_text(std::string_view(R"({"error":{"reason":"no index"},"status":404})")) ==
        "no index");
  CHECK(refusal_text(std::string_view(R"({"error":"too long","error_type":"Validation"})")) ==
        "too long");
  CHECK(refusal_text(std::string_view(R"({"message":"invalid api token"})")) ==
        "invalid api token");
  CHECK(refusal_text(std::string_view(R"({"detail":"Not Found"})")) == "Not Found");
  CHECK(refusal_text(std::string_view("<html>")).empty());
  CHECK(refusal_text(std::string_view(R"({"message":3})")).empty());
}

}  // namespace
}  // namespace cairn::inference::answers_test
