// SPDX-License-Identifier: Apache-2.0
#include "inference/generation/generator.h"

#include <doctest/doctest.h>

#include <latch>
#include <thread>

#include "inference/generation/fake_step_model.h"

namespace cairn::inference::generator_test {
namespace {

/// A greedy sink that threads may wait for.
class WaitedSink final : public TokenSink {
 public:
  explicit WaitedSink(std::size_t most) : inner_(most) {}
  std::optional<std::uint32_t> next(std::span<const float> logits) override {
    const MutexLock lock(mutex_);
    const auto id = inner_.next(logits);
    changed_.notify_all();
    return id;
  }
  bool is_wanted() const override { return wanted_; }
  void charge(std::int64_t cpu_ns) override { inner_.charge(cpu_ns); }
  void ended(const Status& how) override {
    const MutexLock lock(mutex_);
    inner_.ended(how);
    changed_.notify_all();
  }

  Status wait_for_end() {
    MutexLock lock(mutex_);
    changed_.wait(lock, [&] { return inner_.how.has_value(); });
    return *inner_.how;
  }
  void wait_for_tokens(std::size_t count) {
    MutexLock lock(mutex_);
    changed_.wait(lock, [&] { return inner_.ids.size() >= count || inner_.how; });
  }
  void wait_for_more() {
    MutexLock lock(mutex_);
    const std::size_t before = inner_.ids.size();
    changed_.wait(lock, [&] { return inner_.ids.size() > before || inner_.how; });
  }
  void leave() { wanted_ = false; }
  /// After the end.
  const std::vector<std::uint32_t>& ids() const { return inner_.ids; }

 private:
  std::atomic<bool> wanted_{true};
  Mutex mutex_;
  std::condition_variable_any changed_;
  GreedySink inner_;
};

std::shared_ptr<WaitedSink> add(Generator& generator, std::uint32_t first, std::size_t most) {
  auto sink = std::make_shared<WaitedSink>(most);
  REQUIRE(generator.add({.prompt = {first, 2, 3}, .sink = sink}).ok());
  return sink;
}

TEST_CASE("generator: texts of many threads come to their ends, each as it is alone") {
  std::vector<std::vector<std::uint32_t>> alone;
  os::Pool pool({.name = "steps", .threads = 2});
  for (std::uint32_t i = 0; i < 8; ++i) {
    FakeStepModel model(100);
    Generator generator(model, pool);
    const auto sink = add(generator, i, 100);
    REQUIRE(sink->wait_for_end().ok());
    alone.push_back(sink->ids());
  }
  FakeStepModel model(100);
  Generator generator(model, pool);
  std::vector<std::thread> threads;
  std::atomic<int> same{0};
  for (std::uint32_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        const auto sink = add(generator, i, 100);
        if (sink->wait_for_end().ok() && sink->ids() == alone[i]) ++same;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(same == 40);
  const GenerationTotals totals = generator.totals();
  CHECK(totals.new_tokens == 8 * 5 * 99);  // the last one of a text ends it
}

TEST_CASE("generator: texts that wait together share their steps, also while the pool is full") {
  os::Pool pool({.name = "steps", .threads = 1, .queue = 1});
  std::latch begun(1), go_on(1);
  REQUIRE(pool.submit([&] {
    begun.count_down();
    go_on.wait();
  }).ok());
  begun.wait();
  FakeStepModel model(100);
  Generator generator(model, pool);
  std::vector<std::shared_ptr<WaitedSink>> sinks;
  for (std::uint32_t i = 0; i < 8; ++i) sinks.push_back(add(generator, i, 300));
  go_on.count_down();
  // The pool's only place is taken again and again: steps go on all the same.
  while (generator.active() + generator.waiting() > 0)
    static_cast<void>(pool.submit([] { std::this_thread::yield(); }).ok());
  for (const auto& sink : sinks) CHECK(sink->wait_for_end().ok());
  const GenerationTotals totals = generator.totals();
  CHECK(totals.texts_of_steps == 8 * totals.steps);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { generator.stop(); });
  for (std::thread& thread : threads) thread.join();
}

/// Looks at the counts in the moment in which its text is over.
class CountingSink final : public TokenSink {
 public:
  CountingSink(Generator& generator, std::size_t most) : generator_(generator), inner_(most) {}
  std::optional<std::uint32_t> next(std::span<const float> logits) override {
    return inner_.next(logits);
  }
  bool is_wanted() const override { return true; }
  void charge(std::int64_t cpu_ns) override { inner_.charge(cpu_ns); }
  void ended(const Status& how) override {
    totals = generator_.totals();
    active = generator_.active();
    inner_.ended(how);
    done.count_down();
  }
  GenerationTotals totals;
  std::size_t active = 1;
  std::latch done{1};

 private:
  Generator& generator_;
  GreedySink inner_;
};

TEST_CASE("generator: all steps of a text are counted when it is over") {
  os::Pool pool({.name = "steps", .threads = 1});
  FakeStepModel model(100);
  Generator generator(model, pool);
  const auto sink = std::make_shared<CountingSink>(generator, 10);
  REQUIRE(generator.add({.prompt = {1, 2, 3}, .sink = sink}).ok());
  sink->done.wait();
  CHECK(sink->totals.steps == 10);
  CHECK(sink->totals.texts_of_steps == 10);
  CHECK(sink->totals.prompt_tokens == 3);
  CHECK(sink->totals.new_tokens == 9);
  CHECK(sink->totals.taken_pages == sink->totals.cached_pages);
  CHECK(sink->active == 0);
}

TEST_CASE("generator: who leaves is let go, and a stop ends all the others") {
  os::Pool pool({.name = "steps", .threads = 1});
  FakeStepModel model(1'000'000, 100'000'000);
  Generator generator(model, pool);
  const auto stays = add(generator, 1, SIZE_MAX);
  const auto leaves = add(generator, 2, SIZE_MAX);
  leaves->wait_for_tokens(3);
  leaves->leave();
  CHECK(leaves->wait_for_end().error().kind == ErrorKind::cancelled);
  stays->wait_for_more();
  generator.stop();
  CHECK(stays->wait_for_end().error().kind == ErrorKind::unavailable);
  CHECK(generator.add({.prompt = {1}, .sink = std::make_shared<WaitedSink>(1)}).error().kind ==
        ErrorKind::unavailable);
  CHECK(generator.active() + generator.waiting() == 0);
}

TEST_CASE("generator: where the pool takes no task, texts are told") {
  os::Pool pool({.name = "steps", .threads = 1, .queue = 1});
  std::latch begun(1), go_on(1);
  REQUIRE(pool.submit([&] {
    begun.count_down();
    go_on.wait();
  }).ok());
  begun.wait();
  REQUIRE(pool.submit([] {}).ok());
  FakeStepModel model(100);
  Generator generator(model, pool);
  const auto sink = std::make_shared<WaitedSink>(1);
  CHECK(generator.add({.prompt = {1}, .sink = sink}).error().kind == ErrorKind::unavailable);
  CHECK(sink->wait_for_end().error().kind == ErrorKind::unavailable);
  go_on.count_down();
  while (pool.waiting() > 0) std::this_thread::yield();
  const auto later = add(generator, 1, 5);
  CHECK(later->wait_for_end().ok());
}

}  // namespace
}  // namespace cairn::inference::generator_test
