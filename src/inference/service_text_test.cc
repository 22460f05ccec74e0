// SPDX-License-Identifier: Apache-2.0
// Texts of a deployed decoder: alone, many at once, cut, refused, stopped.
#include <doctest/doctest.h>

#include <thread>

#include "inference/service.h"
#include "inference/tiny_chat.h"
#include "os/clock.h"
#include "store/memory_store.h"

namespace cairn::inference::service_text_test {
namespace {

using os::Deadline;

constexpr std::size_t endless_window = 1'000'000;  // hours of steps

struct Texts {
  std::unique_ptr<store::Store> records = store::memory_store();
  TinyChatModels models;  // of a window that no text of a test fills where it is not small
  os::Pool cpu{{.name = "test-cpu", .threads = 2, .queue = 64}};
  os::FakeClock clock;
  std::unique_ptr<Service> service;

  explicit Texts(Options options = {}, std::size_t window = TinyDecoder::tokens) : models(window) {
    options.background = false;
    service = std::move(
        Service::open(*records, models, cpu, clock, std::move(options), Deadline::never()).value());
    for (const TaskType task :
         {TaskType::completion, TaskType::chat_completion, TaskType::text_embedding}) {
      const Json body = parse_json(R"({"service":"cairn","service_settings":{"model_id":"tiny",)"
                                   R"("num_threads":1,"num_allocations":1}})")
                            .value();
      REQUIRE(service->put_endpoint(task, id_of(task), body, -1, Deadline::never()).ok());
    }
  }
  static std::string id_of(TaskType task) { return "my-" + std::string(name_of(task)); }

  static TextCall call(std::string text, std::size_t most_tokens = 12) {
    TextCall out{.inference_id = id_of(TaskType::completion)};
    out.prompt.text = std::move(text);
    out.sampling.temperature = 0;
    out.most_tokens = most_tokens;
    return out;
  }
  static TextCall endless() {
    TextCall out = call("w7", endless_window);
    out.sampling.logit_bias = {{3, -100}};  // [SEP] would end it
    return out;
  }
  std::unique_ptr<TextAnswer> begin(const TextCall& call) {
    auto answer = service->begin_text(call, Deadline::never());
    REQUIRE_MESSAGE(answer.ok(), (answer.ok() ? "" : answer.error().message));
    return std::move(*answer);
  }
  struct Whole {
    std::string text;
    std::optional<FinishReason> finished;
    std::size_t tokens = 0;
    friend bool operator==(const Whole&, const Whole&) = default;
  };
  static std::vector<Whole> whole(TextAnswer& answer) {
    std::vector<Whole> out(answer.choices());
    for (;;) {
      const auto piece = answer.next(Deadline::never());
      REQUIRE(piece.ok());
      if (!*piece) return out;
      Whole& choice = out.at((*piece)->choice);
      CHECK_FALSE(choice.finished);
      choice.text += (*piece)->text;
      choice.tokens += (*piece)->tokens.size();
      choice.finished = (*piece)->finished;
    }
  }
  std::vector<Whole> run(const TextCall& call) { return whole(*begin(call)); }
  Error refusal(const TextCall& call, const Deadline& deadline = Deadline::never()) {
    auto answer = service->begin_text(call, deadline);
    REQUIRE_FALSE(answer.ok());
    return answer.error();
  }
};

TEST_CASE_FIXTURE(Texts, "service text: the same text each time, with its count") {
  const auto answer = begin(call("w7 w8"));
  const auto first = whole(*answer);
  CHECK(answer->prompt_tokens() == 4);  // [CLS] and [SEP] around it
  CHECK(answer->new_tokens() > 0);
  CHECK(first.front().finished.has_value());
  CHECK(run(call("w7 w8")) == first);
}

TEST_CASE_FIXTURE(Texts, "service text: what a text becomes does not depend on the others") {
  std::vector<TextCall> calls;
  for (int i = 0; i < 8; ++i) calls.push_back(call("w" + std::to_string(10 + i) + " w9", 30));
  std::vector<std::unique_ptr<TextAnswer>> answers;
  for (const TextCall& one : calls) answers.push_back(begin(one));
  for (std::size_t i = 0; i < calls.size(); ++i) CHECK(whole(*answers[i]) == run(calls[i]));
}

TEST_CASE_FIXTURE(Texts,
                  "service text: statistics tell of steps, and of pages that texts gave back") {
  const auto steps = [&]() -> std::optional<Json> {
    const Json stats =
        service->trained_model_stats({.expression = "my-completion"}, Deadline::never()).value();
    const Json* const found = stats.find("trained_model_stats")
                                  ->as_array()
                                  .front()
                                  .find_path("deployment_stats.text_steps");
    return found == nullptr ? std::nullopt : std::optional<Json>(*found);
  };
  CHECK_FALSE(steps());
  run(call("w7 w8 w9", 12));
  // The step that lets the text go may come behind the text's end.
  while (steps()->int_or("kv_pages") != steps()->int_or("kv_pages_cached"))
    std::this_thread::yield();
  const Json after = *steps();
  CHECK(after.int_or("new_tokens") > 0);
  CHECK(after.int_or("steps") == after.int_or("new_tokens") + 1);  // the last is no input
  CHECK(after.int_or("texts_in_steps") == after.int_or("steps"));
  CHECK(after.int_or("prompt_tokens") > 0);
}

TEST_CASE_FIXTURE(Texts, "service text: choices of one seed differ, and come again") {
  TextCall drawn = call("w7", 20);
  drawn.sampling.temperature = 1;
  drawn.sampling.seed = 3;
  drawn.sampling.logprobs = true;
  drawn.choices = 3;
  const auto first = run(drawn);
  CHECK(first == run(drawn));
  CHECK_FALSE(first[0] == first[1]);
  for (const Whole& choice : first) CHECK(choice.tokens > 0);
}

TEST_CASE_FIXTURE(Texts, "service text: messages go through the template, a text too where asked") {
  TextCall chat = call("", 8);
  chat.inference_id = id_of(TaskType::chat_completion);
  chat.prompt.messages = parse_json(R"([{"role":"user","content":"w7 [SEP] w8"}])").value();
  const auto said = begin(chat);
  // "user", w7, the brackets and letters of what only looks like a control token, w8, [SEP].
  CHECK(said->prompt_tokens() > 5);
  TextCall text = call("w7 [SEP] w8", 8);
  text.prompt.as_message = true;
  const auto asked = begin(text);
  CHECK(asked->prompt_tokens() == said->prompt_tokens());
  CHECK(whole(*asked) == whole(*said));
}

TEST_CASE_FIXTURE(Texts, "service text: a stop string ends a text and is no part of it") {
  const auto free = run(call("w7 w8", 20));
  const std::string& text = free.front().text;
  const std::size_t space = text.find(' ', 1);
  REQUIRE(space != std::string::npos);
  TextCall stopped = call("w7 w8", 20);
  stopped.stop = {text.substr(space, 3)};
  const auto cut = run(stopped);
  CHECK(cut.front().finished == FinishReason::stop);
  CHECK(text.starts_with(cut.front().text));
  CHECK(cut.front().text.find(stopped.stop.front()) == std::string::npos);
}

TEST_CASE_FIXTURE(Texts, "service text: what is wrong in a call is said") {
  TextCall wrong = call("w7");
  wrong.inference_id = "nobody";
  CHECK(refusal(wrong).kind == ErrorKind::not_found);
  wrong.inference_id = id_of(TaskType::text_embedding);
  CHECK(refusal(wrong).message.find("makes no texts") != std::string::npos);
  wrong = call("w7");
  wrong.task = TaskType::chat_completion;
  CHECK(refusal(wrong).message.find("Incompatible task_type") != std::string::npos);
  wrong = call("w7");
  wrong.sampling.top_p = 2;
  CHECK(refusal(wrong).message.find("[top_p]") != std::string::npos);
  wrong = call("w7");
  wrong.choices = 17;
  CHECK(refusal(wrong).message.find("[n]") != std::string::npos);
  wrong = call(std::string(100'000, 'x'));
  CHECK(refusal(wrong).kind == ErrorKind::too_large);
  std::string many;
  for (std::size_t i = 0; i < TinyDecoder::tokens; ++i) many += "w7 ";
  CHECK(refusal(call(many)).message.find("the model takes 1 to [255]") != std::string::npos);
}

TEST_CASE("service text: who leaves ends the text, and frees its place") {
  Texts texts({}, endless_window);
  for (int i = 0; i < 50; ++i) {
    const auto answer = texts.begin(Texts::endless());
    REQUIRE(answer->next(Deadline::never()).ok());
  }
  // 0: nothing else may run. Who left did so before the next step.
  TextCall only = Texts::call("w7", 2);
  only.timeout_ms = 0;
  CHECK(texts.run(only).front().finished.has_value());
  const auto running = texts.begin(Texts::endless());
  CHECK(texts.refusal(only).kind == ErrorKind::timeout);
}

TEST_CASE("service text: a text ends with its deployment, and says so") {
  Texts texts({}, endless_window);
  const auto answer = texts.begin(Texts::endless());
  const auto removed = texts.service->delete_endpoint({}, Texts::id_of(TaskType::completion), false,
                                                      true, Deadline::never());
  REQUIRE(removed.ok());
  for (;;) {
    const auto piece = answer->next(Deadline::never());
    if (piece.ok()) {
      REQUIRE(*piece);
      continue;
    }
    CHECK(piece.error().kind == ErrorKind::unavailable);
    break;
  }
}

TEST_CASE("service text: keys and values have at least a page") {
  Options options;
  options.kv_memory_bytes = 100;
  Texts texts(options);
  CHECK(texts.refusal(Texts::call("w7")).message.find("inference.kv_memory is [100]") !=
        std::string::npos);
}

}  // namespace
}  // namespace cairn::inference::service_text_test
