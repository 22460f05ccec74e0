// SPDX-License-Identifier: Apache-2.0
// Pieces on their way: joined while they wait, whole, and with the reason at their end.
#include "inference/generation/text_flow.h"

#include <doctest/doctest.h>

#include <thread>

namespace cairn::inference::text_flow_test {
namespace {

using os::Deadline;

TEST_CASE("text flow: what waits is joined by choice, in order") {
  TextFlow flow(2);
  flow.put({.choice = 0, .text = "a"});
  flow.put({.choice = 1, .text = "x"});
  flow.put({.choice = 0, .text = "b"});
  flow.put({.choice = 1, .text = "y", .finished = FinishReason::length});
  auto first = flow.next(Deadline::never());
  REQUIRE((first.ok() && *first));
  CHECK((*first)->text == "ab");
  CHECK_FALSE((*first)->finished);
  auto second = flow.next(Deadline::never());
  REQUIRE((second.ok() && *second));
  CHECK((*second)->text == "xy");
  CHECK((*second)->finished == FinishReason::length);
  flow.put({.choice = 0, .text = "", .finished = FinishReason::stop});
  REQUIRE(flow.next(Deadline::never()).ok());
  const auto end = flow.next(Deadline::never());
  REQUIRE(end.ok());
  CHECK_FALSE(*end);
}

TEST_CASE("text flow: waiting ends with the deadline, and what comes later is not lost") {
  TextFlow flow(1);
  CHECK(flow.next(Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
  CHECK_FALSE(flow.wait_ms(0, Deadline::never()));
  std::stop_source stop;
  stop.request_stop();
  CHECK(flow.next(Deadline::never(stop.get_token())).error().kind == ErrorKind::cancelled);
  flow.put({.text = "late"});
  CHECK(flow.wait_ms(0, Deadline::never()));
  CHECK(flow.next(Deadline::in_ms(0)).error().kind == ErrorKind::timeout);  // its time is over
  CHECK((*flow.next(Deadline::never()))->text == "late");
}

TEST_CASE("text flow: pieces before a failure are given first") {
  TextFlow flow(1);
  flow.put({.text = "some"});
  flow.fail(Error{.kind = ErrorKind::unavailable, .message = "gone"});
  CHECK((*flow.next(Deadline::never()))->text == "some");
  CHECK(flow.next(Deadline::never()).error().kind == ErrorKind::unavailable);
}

TEST_CASE("text flow: one thread puts what another waits for") {
  TextFlow flow(1);
  std::jthread maker([&] {
    for (int i = 0; i < 1'000; ++i) flow.put({.text = std::to_string(i % 10)});
    flow.put({.finished = FinishReason::stop});
  });
  std::string all;
  for (;;) {
    const auto piece = flow.next(Deadline::in_ms(60'000));
    REQUIRE(piece.ok());
    if (!*piece) break;
    all += (*piece)->text;
  }
  REQUIRE(all.size() == 1'000);
  for (int i = 0; i < 1'000; ++i) CHECK(all[static_cast<std::size_t>(i)] == '0' + i % 10);
}

/// A model whose tokens are bytes; 256 ends a text, 257 is a special token that marks calls.
class Bytes final : public TextModel {
 public:
  static constexpr std::uint32_t end = 256, marker = 257;

  explicit Bytes(ToolCallFormat format) : format_(format), tokenizer_(made()) {}
  Result<std::unique_ptr<StepModel>> steps(std::size_t) const override {
    return Error{.kind = ErrorKind::unsupported};
  }
  const text::Tokenizer& tokenizer() const override { return tokenizer_; }
  const ChatTemplate* chat_template() const override { return nullptr; }
  ToolCallFormat tool_calls() const override { return format_; }
  const Json& template_tokens() const override { return none_; }
  bool ends_text(std::uint32_t id) const override { return id == end; }
  const SamplingOptions& sampling() const override { return sampling_; }

 private:
  static text::Tokenizer made() {
    Json vocabulary = Json::object();
    for (int byte = 0; byte < 256; ++byte) {
      constexpr std::string_view digits = "0123456789ABCDEF";
      const auto at = static_cast<std::size_t>(byte);
      vocabulary.set(std::string("<0x") + digits[at >> 4U] + digits[at & 15U] + ">", byte);
    }
    const Json added =
        Json::array({Json::object({{"id", 256}, {"content", "<|end|>"}, {"special", true}}),
                     Json::object({{"id", 257}, {"content", "[TOOL_CALLS]"}, {"special", true}})});
    const Json file = Json::object(
        {{"added_tokens", added},
         {"decoder",
          Json::object({{"type", "Sequence"},
                        {"decoders", Json::array({Json::object({{"type", "ByteFallback"}}),
                                                  Json::object({{"type", "Fuse"}})})}})},
         {"model", Json::object({{"type", "BPE"},
                                 {"vocab", vocabulary},
                                 {"merges", Json::array()},
                                 {"byte_fallback", true}})}});
    auto out = text::Tokenizer::parse(file.dump());
    REQUIRE_MESSAGE(out.ok(), (out.ok() ? "" : out.error().message));
    return std::move(*out);
  }

  ToolCallFormat format_;
  text::Tokenizer tokenizer_;
  Json none_ = Json::object();
  SamplingOptions sampling_;
};

std::vector<std::uint32_t> ids_of(std::string_view text) {
  std::vector<std::uint32_t> out;
  for (const char c : text) out.push_back(static_cast<unsigned char>(c));
  return out;
}

/// What a choice makes of a model that says these tokens.
TextPiece said(const Bytes& model, const std::vector<std::uint32_t>& ids,
               TextChoice::Params params = {}, std::vector<std::string> stops = {}) {
  const auto flow = std::make_shared<TextFlow>(1);
  SamplingOptions greedy;
  greedy.temperature = 0;
  TextChoice choice(flow, model, Sampler(greedy, 0), StopFinder::make(std::move(stops)).value(),
                    params);
  for (const std::uint32_t id : ids) {
    std::vector<float> logits(258, 0.0F);
    logits[id] = 9;
    if (!choice.next(logits)) break;
  }
  choice.ended(ok_status());
  const auto piece = flow->next(Deadline::never());  // all that waits is one piece
  REQUIRE((piece.ok() && *piece));
  CHECK_FALSE(*flow->next(Deadline::never()));
  return **piece;
}

TEST_CASE("text choice: a text ends at its end, a stop string, or the most tokens") {
  const Bytes model(ToolCallFormat::none);
  auto ids = ids_of("grüße");
  ids.push_back(Bytes::end);
  for (const std::uint32_t id : ids_of("more")) ids.push_back(id);
  const TextPiece whole = said(model, ids);
  CHECK(whole.text == "grüße");
  CHECK(whole.finished == FinishReason::stop);
  const TextPiece stopped = said(model, ids, {}, {"ß"});
  CHECK(stopped.text == "grü");
  CHECK(stopped.finished == FinishReason::stop);
  const TextPiece cut = said(model, ids, {.most_tokens = 3});
  CHECK(cut.text == "gr\uFFFD");  // within a character
  CHECK(cut.finished == FinishReason::length);
  const TextPiece window = said(model, ids_of("abc"));  // the model takes no more
  CHECK(window.finished == FinishReason::length);
}

TEST_CASE("text choice: calls are taken out of the text, also behind a special token") {
  const Bytes hermes(ToolCallFormat::hermes);
  auto ids = ids_of(R"(Let me see. <tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>)");
  ids.push_back(Bytes::end);
  const TextPiece called = said(hermes, ids, {.with_calls = true});
  CHECK(called.text == "Let me see.");
  REQUIRE(called.calls.size() == 1);
  CHECK(called.calls.front().name == "add");
  CHECK(called.calls.front().arguments == R"({"a": 1})");
  CHECK(called.finished == FinishReason::tool_calls);
  CHECK(said(hermes, ids).calls.empty());  // nobody gave tools

  const Bytes mistral(ToolCallFormat::mistral);
  std::vector<std::uint32_t> marked{Bytes::marker};
  for (const std::uint32_t id : ids_of(R"( [{"name": "add", "arguments": {}}])"))
    marked.push_back(id);
  const TextPiece one = said(mistral, marked, {.with_calls = true});
  CHECK(one.text.empty());
  REQUIRE(one.calls.size() == 1);
  CHECK(one.finished == FinishReason::length);  // its own end did not come
}

}  // namespace
}  // namespace cairn::inference::text_flow_test
