// SPDX-License-Identifier: Apache-2.0
// Streamed chats of other servers: pieces, calls of tools, ends, and what is refused.
#include "inference/remote/chat_chunks.h"

#include <doctest/doctest.h>

#include <string>

namespace cairn::inference::chat_chunks_test {
namespace {

std::string chunk(std::string_view choice) {
  return R"({"id":"c","object":"chat.completion.chunk","choices":[)" + std::string(choice) + "]}";
}

std::vector<TextPiece> take(ChatChunks& chunks, std::string_view choice) {
  auto pieces = chunks.take(chunk(choice));
  REQUIRE(pieces.ok());
  return *std::move(pieces);
}

TEST_CASE("chat chunks: texts come as they are, and ends when the stream is over") {
  ChatChunks chunks(2);
  CHECK(take(chunks, R"({"index":0,"delta":{"role":"assistant","content":""}})").empty());
  const auto pieces = take(chunks, R"({"index":1,"delta":{"content":"b"}},
      {"index":0,"delta":{"content":"ä"},"finish_reason":null})");
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].choice == 1);
  CHECK(pieces[0].text == "b");
  CHECK(pieces[1].text == "ä");
  CHECK(take(chunks, R"({"index":0,"delta":{},"finish_reason":"length"})").empty());
  CHECK(take(chunks, R"({"index":1,"delta":{},"finish_reason":"content_filter"})").empty());
  REQUIRE(chunks.take(R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}})").ok());
  const auto ends = chunks.finish(true);
  REQUIRE(ends.ok());
  REQUIRE(ends->size() == 2);
  CHECK((*ends)[0].finished == FinishReason::length);
  CHECK((*ends)[1].finished == FinishReason::content_filter);
  CHECK(chunks.prompt_tokens() == 3);
  CHECK(chunks.new_tokens() == 4);
}

TEST_CASE("chat chunks: a whole answer counts as one chunk") {
  ChatChunks chunks(1);
  const auto pieces = take(chunks, R"({"index":0,"message":{"role":"assistant","content":"Hello",
      "tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},
      "finish_reason":"tool_calls"})");
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].text == "Hello");
  const auto ends = chunks.finish(false);
  REQUIRE(ends.ok());
  CHECK((*ends)[0].finished == FinishReason::tool_calls);
  CHECK((*ends)[0].calls == std::vector<ToolCall>{{"1", "f", "{}"}});
}

TEST_CASE("chat chunks: calls of tools are put together from their parts") {
  ChatChunks chunks(1);
  CHECK(take(chunks, R"({"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g"}}]}})")
            .empty());
  CHECK(take(chunks, R"({"delta":{"tool_calls":[
      {"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\""}}]}})")
            .empty());
  CHECK(take(chunks, R"({"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}})")
            .empty());
  const auto ends = chunks.finish(true);
  REQUIRE(ends.ok());
  CHECK((*ends)[0].finished == FinishReason::tool_calls);
  CHECK((*ends)[0].calls == std::vector<ToolCall>{{"a", "f", R"({"x":1})"}, {"b", "g", ""}});
}

TEST_CASE("chat chunks: a stream that ends without saying so is refused") {
  ChatChunks cut(1);
  take(cut, R"({"delta":{"content":"a"}})");
  CHECK_FALSE(cut.finish(false).ok());
  ChatChunks marked(1);
  take(marked, R"({"delta":{"content":"a"}})");
  const auto ends = marked.finish(true);
  REQUIRE(ends.ok());
  CHECK((*ends)[0].finished == FinishReason::stop);
  ChatChunks finished(1);
  take(finished, R"({"delta":{},"finish_reason":"stop"})");
  CHECK(finished.finish(false).ok());
}

TEST_CASE("chat chunks: what makes no sense is refused") {
  const auto fault = [](std::string_view text) {
    ChatChunks chunks(2, {.bytes = 8, .calls = 2});
    const auto pieces = chunks.take(text);
    return pieces.ok() ? "no error" : pieces.error().message;
  };
  CHECK(fault("[1]") == "the answer makes no sense: a piece of the stream is no JSON object");
  CHECK(fault("{") == "the answer makes no sense: a piece of the stream is no JSON object");
  for (const char* index : {"2", "-1", "0.5", "99999999999999999999"})
    CHECK(fault(chunk(R"({"index":)" + std::string(index) + "}")) ==
          "the answer makes no sense: [index] is no number below 2");
  CHECK(fault(chunk(R"({"delta":{"tool_calls":[{"index":2}]}})")) ==
        "the answer makes no sense: [index] is no number below 2");
  CHECK(fault(chunk(R"({"delta":{"tool_calls":[{},{},{}]}})")) ==
        "the answer makes no sense: it has too many calls of tools");
  CHECK(fault(chunk(R"({"delta":{"content":"123456789"}})")) ==
        "the answer makes no sense: it has more than 8 bytes");
  CHECK(fault(R"({"error":{"message":"overloaded"}})") == "failed in its answer: overloaded");
  CHECK(fault(R"({"object":"ping"})") == "no error");
  ChatChunks nameless(1);
  take(nameless, R"({"delta":{"tool_calls":[{"id":"x"}]}})");
  CHECK_FALSE(nameless.finish(true).ok());
}

TEST_CASE("chat chunks: what follows a choice's end is left out") {
  ChatChunks chunks(1);
  take(chunks, R"({"delta":{"content":"a"},"finish_reason":"stop"})");
  CHECK(take(chunks, R"({"delta":{"content":"b"}})").empty());
}

}  // namespace
}  // namespace cairn::inference::chat_chunks_test
