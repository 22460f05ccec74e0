// SPDX-License-Identifier: Apache-2.0
#include "inference/generation/scheduler.h"

#include <doctest/doctest.h>

#include <numeric>

#include "inference/generation/fake_step_model.h"

namespace cairn::inference::scheduler_test {
namespace {

using os::Deadline;

const Deadline never = Deadline::never();

std::vector<std::uint32_t> prompt_of(std::size_t count, std::uint32_t first) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), first);
  for (std::uint32_t& id : out) id %= FakeStepModel::words;
  return out;
}

struct Texts {
  explicit Texts(std::size_t most_pages = 1000, SchedulerOptions options = {},
                 std::size_t most_tokens = 4096)
      : model(most_pages, most_tokens), scheduler(model, options) {}

  std::shared_ptr<GreedySink> add(std::vector<std::uint32_t> prompt, std::size_t most,
                                  const std::string& scope = "a") {
    auto sink = std::make_shared<GreedySink>(most);
    REQUIRE(scheduler.add({.prompt = std::move(prompt), .sink = sink, .scope = scope}).ok());
    return sink;
  }
  std::optional<StepReport> step() {
    auto report = scheduler.step(never);
    REQUIRE(report.ok());
    return *report;
  }
  std::vector<StepReport> run() {
    std::vector<StepReport> out;
    while (auto report = step()) out.push_back(*report);
    CHECK(scheduler.is_idle());
    return out;
  }

  FakeStepModel model;
  Scheduler scheduler;
};

/// What the model says to a prompt that it has for itself.
std::vector<std::uint32_t> alone(std::vector<std::uint32_t> prompt, std::size_t most) {
  Texts texts;
  const auto sink = texts.add(std::move(prompt), most);
  texts.run();
  CHECK(sink->is_done());
  return sink->ids;
}

TEST_CASE("scheduler: texts that come one by one share steps, and are what they are alone") {
  Texts texts;
  std::vector<std::shared_ptr<GreedySink>> sinks;
  std::size_t shared = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    sinks.push_back(texts.add(prompt_of(20 + 37 * i, i * 100), 40));
    for (int k = 0; k < 3; ++k) shared = std::max(shared, texts.step()->texts);
  }
  texts.run();
  CHECK(shared == 8);
  for (std::uint32_t i = 0; i < 8; ++i) {
    CHECK(sinks[i]->is_done());
    CHECK(sinks[i]->ids == alone(prompt_of(20 + 37 * i, i * 100), 40));
    CHECK(sinks[i]->charged_ns > 0);
  }
  CHECK(texts.model.steps < 8 * 40);
}

TEST_CASE("scheduler: a long prompt comes in parts, and running texts go on beside it") {
  Texts texts(1000, {.prompt_tokens = 256});
  const auto running = texts.add(prompt_of(10, 1), 100);
  texts.step();
  const auto late = texts.add(prompt_of(1000, 5), 3);
  for (std::size_t part = 0; part < 4; ++part) {
    const auto report = texts.step();
    CHECK(report->texts == 2);
    CHECK(report->prompt_tokens == (part < 3 ? 256 : 1000 - 3 * 256));
    CHECK(report->new_tokens == (part < 3 ? 1 : 2));
  }
  CHECK(late->ids.size() == 1);
  CHECK(running->ids.size() == 5);
  texts.run();
  CHECK(late->ids == alone(prompt_of(1000, 5), 3));
}

TEST_CASE("scheduler: a prompt that was computed before is reused, by texts of its scope alone") {
  Texts texts;
  const auto first = texts.add(prompt_of(200, 3), 50);
  texts.run();
  const auto again = texts.add(prompt_of(200, 3), 50);
  const auto foreign = texts.add(prompt_of(200, 3), 50, "b");
  const auto report = texts.step();
  CHECK(report->reused_tokens == 192);
  CHECK(report->prompt_tokens == 8 + 200);
  texts.run();
  CHECK(again->ids == first->ids);
  CHECK(foreign->ids == first->ids);
  // A chat that goes on begins with the answer.
  std::vector<std::uint32_t> chat = prompt_of(200, 3);
  chat.insert(chat.end(), first->ids.begin(), first->ids.end());
  chat.push_back(1);
  texts.add(chat, 2);
  CHECK(texts.step()->reused_tokens == 224);  // 249 are known, 7 pages of them whole
  // All of a prompt is known: its last token is computed all the same.
  const auto whole = texts.add(prompt_of(64, 3), 1);
  texts.run();
  CHECK(whole->ids == alone(prompt_of(64, 3), 1));
}

TEST_CASE("scheduler: texts that begin alike at one time compute their beginning once") {
  Texts texts;
  std::vector<std::shared_ptr<GreedySink>> sinks;
  for (int i = 0; i < 8; ++i) sinks.push_back(texts.add(prompt_of(600, 7), 5));
  const auto other = texts.add(prompt_of(600, 7), 5, "b");  // of another scope: for itself
  const auto later = texts.add(prompt_of(40, 900), 5);      // begins otherwise: waits for nobody
  const auto first = texts.step();
  REQUIRE(first);
  CHECK(first->texts >= 1);
  std::size_t computed = first->prompt_tokens;
  for (const StepReport& report : texts.run()) computed += report.prompt_tokens;
  constexpr std::size_t page = kernels::page_tokens;
  CHECK(computed <= 2 * 600 + 40 + 7 * page);
  for (const auto& sink : sinks) {
    CHECK(sink->is_done());
    CHECK(sink->ids == alone(prompt_of(600, 7), 5));
  }
  CHECK(other->ids == sinks.front()->ids);
  CHECK(later->is_done());
}

TEST_CASE("scheduler: where pages end the youngest goes back and becomes the same later") {
  Texts texts(12, {.prompt_tokens = 256});
  std::vector<std::shared_ptr<GreedySink>> sinks;
  for (std::uint32_t i = 0; i < 6; ++i) sinks.push_back(texts.add(prompt_of(60, i * 7), 100));
  std::size_t set_back = 0;
  for (const StepReport& report : texts.run()) set_back += report.set_back;
  CHECK(set_back > 0);
  for (std::uint32_t i = 0; i < 6; ++i) {
    CHECK(sinks[i]->is_done());
    CHECK(sinks[i]->ids == alone(prompt_of(60, i * 7), 100));
  }
  CHECK(texts.model.pool().taken_pages() == texts.scheduler.cached_pages());
}

TEST_CASE("scheduler: who finds no room waits, and costs others neither pages nor the cache") {
  Texts texts(20, {.prompt_tokens = 256});
  texts.add(prompt_of(100, 500), 1);
  texts.run();
  CHECK(texts.scheduler.cached_pages() == 3);
  const auto running = texts.add(prompt_of(300, 1), 200);
  texts.step();
  const auto large = texts.add(prompt_of(400, 7), 2);
  for (int i = 0; i < 20; ++i) {
    const auto report = texts.step();
    CHECK(report->texts == 1);
    CHECK(report->set_back == 0);
  }
  CHECK(texts.scheduler.waiting() == 1);
  CHECK(texts.scheduler.cached_pages() == 3 + 9);  // of the running prompt too
  texts.run();
  CHECK(running->ids == alone(prompt_of(300, 1), 200));
  CHECK(large->ids == alone(prompt_of(400, 7), 2));
}

TEST_CASE("scheduler: one text may take all pages, and ends where the model does") {
  Texts texts(4);
  const auto sink = texts.add(prompt_of(100, 1), 1000);
  texts.run();
  CHECK(sink->is_done());
  CHECK(sink->ids.size() == 4 * 32 - 100);
  Texts small(100, {}, 50);
  const auto cut = small.add(prompt_of(49, 1), 1000);
  small.run();
  CHECK(cut->is_done());
  CHECK(cut->ids.size() == 1);
}

TEST_CASE("scheduler: what nobody waits for leaves before the next step, with its pages") {
  Texts texts(1000, {.cached_pages = 10});
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const auto sink = texts.add(prompt_of(40 + i % 50, i), 1000);
    if (i % 3 > 0) texts.step();
    sink->wanted = false;
    CHECK_FALSE(texts.step());
    REQUIRE(sink->how);
    CHECK(sink->how->error().kind == ErrorKind::cancelled);
  }
  CHECK(texts.scheduler.is_idle());
  CHECK(texts.scheduler.cached_pages() <= 10);
  CHECK(texts.model.pool().taken_pages() == texts.scheduler.cached_pages());
}

TEST_CASE("scheduler: what cannot be taken is refused") {
  Texts texts(4, {.most_active = 2, .most_waiting = 3});
  const auto refused = [&](std::size_t tokens) {
    const auto sink = std::make_shared<GreedySink>(1);
    return texts.scheduler.add({.prompt = prompt_of(tokens, 0), .sink = sink}).error();
  };
  CHECK(refused(0).kind == ErrorKind::invalid_argument);
  CHECK(refused(128).message ==
        "the prompt has [128] tokens; the model takes 1 to [127]");
  for (int i = 0; i < 3; ++i) texts.add(prompt_of(5, 0), 2);
  const auto sink = std::make_shared<GreedySink>(1);
  CHECK(texts.scheduler.add({.prompt = {1, FakeStepModel::words}, .sink = sink}).error().message ==
        "the prompt has token [1000]; the model knows [1000]");
  CHECK(refused(5).kind == ErrorKind::rate_limited);
  texts.step();
  CHECK(texts.scheduler.active() == 2);
  CHECK(texts.scheduler.waiting() == 1);
  texts.run();
}

TEST_CASE("scheduler: a step that fails ends its texts, a deadline none") {
  Texts texts;
  const auto first = texts.add(prompt_of(5, 0), 10);
  texts.step();
  CHECK(texts.scheduler.step(Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
  CHECK_FALSE(first->how);
  texts.model.fault = Error{.kind = ErrorKind::internal, .message = "broken"};
  CHECK(texts.scheduler.step(never).error().message == "broken");
  REQUIRE(first->how);
  CHECK(first->how->error().message == "broken");
  CHECK(texts.scheduler.is_idle());
  texts.model.fault.reset();
  const auto second = texts.add(prompt_of(5, 0), 10);
  texts.step();
  const auto third = texts.add(prompt_of(5, 0), 10);
  texts.scheduler.end_all(Error{.kind = ErrorKind::unavailable, .message = "stopped"});
  CHECK(second->how->error().message == "stopped");
  CHECK(third->how->error().message == "stopped");
  CHECK(texts.scheduler.is_idle());
}

std::vector<std::shared_ptr<KvPage>> pages_of(KvPool& pool, std::size_t count) {
  std::vector<std::shared_ptr<KvPage>> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(pool.take().value());
  return out;
}

TEST_CASE("prefix cache: the oldest go first, never one in use or on which others build") {
  FakeStepModel model(100);
  PrefixCache cache(5);
  const auto ids = prompt_of(96, 0);
  auto other = ids;
  other[40] = 999;  // alike in the first page
  cache.keep("a", ids, pages_of(model.pool(), 3));
  cache.keep("a", other, pages_of(model.pool(), 3));
  CHECK(cache.pages() == 5);  // the first page once
  CHECK(model.pool().taken_pages() == 5);
  CHECK(cache.find("a", ids).size() == 3);
  CHECK(cache.find("b", ids).empty());
  CHECK(cache.find("a", std::span(ids).first(95)).size() == 2);
  cache.keep("a", prompt_of(32, 500), pages_of(model.pool(), 1));
  CHECK(cache.pages() == 5);
  CHECK(cache.find("a", other).size() == 2);
  CHECK(cache.find("a", ids).size() == 3);
  {
    const auto used = cache.find("a", ids);
    CHECK(cache.spare_pages() == 2);
    CHECK(cache.drop(100) == 2);
    CHECK(cache.pages() == 3);
  }
  CHECK(cache.drop(1) == 1);
  CHECK(cache.find("a", ids).size() == 2);  // the last one went
  CHECK(cache.drop(100) == 2);
  CHECK(cache.pages() == 0);
  CHECK(model.pool().taken_pages() == 0);
}

}  // namespace
}  // namespace cairn::inference::scheduler_test
