// SPDX-License-Identifier: Apache-2.0
// Completions and chats of the model that ships: what it quotes, and what it refuses.
#include <doctest/doctest.h>

#include "inference/model/model_store.h"
#include "inference/model/stored_models.h"
#include "inference/service.h"
#include "os/clock.h"
#include "os/files/files.h"
#include "store/memory_store.h"

namespace cairn::inference::service_quotes_test {
namespace {

using os::Deadline;

constexpr std::string_view says_nothing =
    "No sentence of the given context was found that answers the question; cairn-mini-quotes only "
    "quotes.";
constexpr std::string_view has_nothing =
    "No context was given; cairn-mini-quotes only quotes sentences of a given context.";

struct Quotes {
  std::unique_ptr<store::Store> files = store::memory_store();
  std::unique_ptr<store::Store> records = store::memory_store();
  StoredModels models{*files};
  os::Pool cpu{{.name = "test-cpu", .threads = 2, .queue = 64}};
  os::FakeClock clock;
  std::unique_ptr<Service> service;

  explicit Quotes(bool has_model = true) {
    if (has_model) import("cairn-mini");
    Options options;
    options.background = false;
    service = std::move(
        Service::open(*records, models, cpu, clock, std::move(options), Deadline::never()).value());
  }
  void import(const std::string& id) {
    REQUIRE(ModelStore(*files)
                .import_folder(id, os::system_files(), "models/cairn-mini", Deadline::never())
                .ok());
  }
  static TextCall call(std::string text) {
    TextCall out{.inference_id = ".cairn-completion"};
    out.prompt.text = std::move(text);
    return out;
  }
  static TextCall chat(std::string_view messages) {
    TextCall out{.inference_id = ".cairn-chat"};
    out.prompt.messages = parse_json(messages).value();
    return out;
  }
  std::string answer(TextCall call) {
    auto begun = service->begin_text(std::move(call), Deadline::never());
    REQUIRE_MESSAGE(begun.ok(), (begun.ok() ? "" : begun.error().message));
    CHECK((*begun)->model_name() == "cairn-mini-quotes");
    std::string out;
    for (;;) {
      const auto piece = (*begun)->next(Deadline::never());
      REQUIRE(piece.ok());
      if (!*piece) return out;
      out += (*piece)->text;
    }
  }
  std::string answer(const std::string& text) { return answer(call(text)); }
  Error refusal(TextCall call, const Deadline& deadline = Deadline::never()) {
    auto begun = service->begin_text(std::move(call), deadline);
    REQUIRE_FALSE(begun.ok());
    return begun.error();
  }
};

struct Judged {
  std::string context;
  std::string question;
  std::string answer;  // empty: the context does not say
};

/// Written for this test. The right sentence is never the first.
const std::vector<Judged>& judged() {
  static const std::string cairns =
      "Cairns are among the oldest signs of people on hills. A cairn is a heap of stones that "
      "marks a path or a summit. Walkers add a stone when they pass. In fog the next cairn can be "
      "hard to see.";
  static const std::string disks =
      "Storage fills up faster than one thinks. When the disk is full, remove old log files and "
      "clear the package cache. Backups belong on another disk. A symbolic link is a small file "
      "that points to another path.";
  static const std::string kitchen =
      "This page is about the kitchen. Bread needs flour, water, salt and yeast. The oven must be "
      "preheated to 230 degrees. Dough rests for two hours before it is baked.";
  static const std::string office =
      "Welcome to the team. Holidays are requested four weeks before they begin. The office "
      "opens at seven and closes at eight in the evening. Expenses are paid back at the end of "
      "each month.";
  static const std::vector<Judged> all{
      {cairns, "What is a cairn?", "A cairn is a heap of stones that marks a path or a summit."},
      {cairns, "What do walkers do when they pass?", "Walkers add a stone when they pass."},
      {cairns, "Who won the election in France?", ""},
      {disks, "What should I do when the disk is full?",
       "When the disk is full, remove old log files and clear the package cache."},
      {disks, "Where do backups belong?", "Backups belong on another disk."},
      {disks, "What is a symbolic link?",
       "A symbolic link is a small file that points to another path."},
      {disks, "How long does an elephant live?", ""},
      {kitchen, "What does bread need?", "Bread needs flour, water, salt and yeast."},
      {kitchen, "How long does dough rest?", "Dough rests for two hours before it is baked."},
      {kitchen, "To how many degrees must the oven be preheated?",
       "The oven must be preheated to 230 degrees."},
      {kitchen, "Which port does the server listen on?", ""},
      {office, "When does the office open?",
       "The office opens at seven and closes at eight in the evening."},
      {office, "How are holidays requested?",
       "Holidays are requested four weeks before they begin."},
      {office, "When are expenses paid back?", "Expenses are paid back at the end of each month."},
      {office, "What is the capital of Peru?", ""},
  };
  return all;
}

TEST_CASE_FIXTURE(Quotes, "service quotes: the right sentence of judged questions, or none") {
  for (const Judged& one : judged()) {
    CAPTURE(one.question);
    const std::string said = answer(one.context + "\n\n" + one.question);
    if (one.answer.empty()) {
      CHECK(said == says_nothing);
      continue;
    }
    CHECK(said.find(one.answer) != std::string::npos);
    CHECK(said.find(one.context.substr(0, one.context.find('.'))) == std::string::npos);
    CHECK(said.size() < one.context.size());
  }
}

TEST_CASE_FIXTURE(Quotes, "service quotes: no context, no answer") {
  CHECK(answer("A cairn is a") == has_nothing);
  CHECK(answer("") == has_nothing);
  CHECK(answer(chat(R"([{"role":"user","content":"What is a cairn?"}])")) == has_nothing);
}

TEST_CASE_FIXTURE(Quotes, "service quotes: a chat quotes passages with their marks") {
  const std::string passages =
      R"({"role":"system","content":"Answer what is a cairn from the context, with marks.\n\n)"
      R"([1] hills.md\nA cairn is a heap of stones that marks a path.\n\n)"
      R"([2] dogs.md\nA cairn terrier is a small dog."})";
  CHECK(
      answer(chat("[" + passages + R"(,{"role":"user","content":"Which heap marks a path?"}])")) ==

      "A cairn is a heap of stones that marks a path. [1]");
  // Of another turn; what the assistant said before is not quoted.
  CHECK(answer(chat("[" + passages +
                    R"(,{"role":"user","content":"Which heap marks a path?"},
                       {"role":"assistant","content":"A cairn terrier is a very small dog."},
                       {"role":"user","content":"And what is a cairn terrier?"}])")) ==
        "A cairn terrier is a small dog. [2]");
}

TEST_CASE_FIXTURE(Quotes, "service quotes: the same whatever the drawing, with calls never made") {
  TextCall one = call(judged()[0].context + "\n\n" + judged()[0].question);
  const std::string said = answer(one);
  one.sampling.temperature = 2;
  one.sampling.seed = 9;
  one.prompt.tools = parse_json(R"([{"type":"function","function":{"name":"look"}}])").value();
  CHECK(answer(one) == said);
  one.choices = 2;
  CHECK(answer(one) == said + said);
}

TEST_CASE("service quotes: a model that comes after the start quotes too") {
  Quotes quotes(false);
  CHECK(quotes.refusal(Quotes::call("Stones. What?")).kind != ErrorKind::timeout);
  quotes.import("cairn-mini");
  quotes.clock.advance_ms(3'600'000);  // it is tried again
  CHECK(quotes.answer(judged()[0].context + "\n\n" + judged()[0].question)
            .find(judged()[0].answer) != std::string::npos);
  CHECK(shown_model_id(*quotes.service->get_endpoint(".cairn-chat")) == "cairn-mini-quotes");
}

TEST_CASE_FIXTURE(Quotes, "service quotes: another static model is named so too") {
  import("mine");
  const auto made = service->put_endpoint(
      TaskType::completion, "own",
      parse_json(R"({"service":"cairn","service_settings":{"num_threads":1,"num_allocations":1,
                     "model_id":"mine-quotes"}})")
          .value(),
      -1, Deadline::never());
  REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().message));
  CHECK(shown_model_id(*made) == "mine-quotes");
}

TEST_CASE_FIXTURE(Quotes, "service quotes: refusals") {
  TextCall one = call("Stones. What?");
  one.sampling.logprobs = true;
  CHECK(refusal(one).message.find("[logprobs] are not offered by [cairn-mini-quotes]") !=
        std::string::npos);
  one = call("Stones. What?");
  one.sampling.logit_bias = {{1, 5}};
  CHECK(refusal(one).message.find("[logit_bias] is not offered") != std::string::npos);
  one = call("Stones. What?");
  one.sampling.top_p = 2;
  CHECK(refusal(one).message.find("[top_p]") != std::string::npos);
  CHECK(refusal(call(std::string((512 << 10) + 1, 'x'))).kind == ErrorKind::too_large);
  CHECK(refusal(call("Stones. What?"), Deadline::in_ms(0)).kind == ErrorKind::timeout);
}

TEST_CASE_FIXTURE(Quotes, "service quotes: the model is shown as what it is, and named so too") {
  const auto shipped = service->get_endpoint(".cairn-chat");
  REQUIRE(shipped.ok());
  CHECK(shown_model_id(*shipped) == "cairn-mini-quotes");
  const Json body = parse_json(R"({"service":"cairn","service_settings":{"num_threads":1,
      "num_allocations":1,"model_id":"cairn-mini-quotes"}})")
                        .value();
  const auto made =
      service->put_endpoint(TaskType::completion, "mine", body, -1, Deadline::never());
  REQUIRE(made.ok());
  CHECK(to_json(*made).find_path("service_settings.model_id")->as_string() == "cairn-mini-quotes");
  CHECK(*from_record(to_record(*made)) == service->get_endpoint("mine").value());
  TextCall one = call(judged()[0].context + "\n\n" + judged()[0].question);
  one.inference_id = "mine";
  CHECK(answer(one).find(judged()[0].answer) != std::string::npos);
}

}  // namespace
}  // namespace cairn::inference::service_quotes_test
