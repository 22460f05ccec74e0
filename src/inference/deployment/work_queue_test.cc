// SPDX-License-Identifier: Apache-2.0
// Lines and batches: order, sharing, cutting, and that every input comes out exactly once.
#include "inference/deployment/work_queue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "os/random.h"

namespace cairn::inference::work_queue_test {
namespace {

std::shared_ptr<Job> job(std::size_t inputs, InputType type = InputType::unspecified,
                         TaskType task = TaskType::text_embedding) {
  return std::make_shared<Job>(ModelRequest{
      .task = task, .input_type = type, .inputs = std::vector<std::string>(inputs, "x")});
}

std::size_t inputs_of(const std::vector<Slice>& slices) {
  std::size_t count = 0;
  for (const Slice& slice : slices) count += slice.size();
  return count;
}

TEST_CASE("work queue: a batch holds inputs of several callers, up to its size") {
  WorkQueue queue;
  const auto a = job(4), b = job(4), c = job(4);
  for (const auto& one : {a, b, c}) queue.push(one);
  CHECK(queue.inputs() == 12);
  const auto first = queue.take(10);
  REQUIRE(first.size() == 3);
  CHECK(first[2].job == c);
  CHECK(first[2].end == 2);
  const auto second = queue.take(10);
  REQUIRE(second.size() == 1);
  CHECK(second[0].begin == 2);
  CHECK(second[0].end == 4);
  CHECK(queue.inputs() == 0);
  CHECK(queue.take(10).empty());
}

TEST_CASE("work queue: tasks and input types do not mix, nor do two rerank calls") {
  WorkQueue queue;
  const auto dense = job(1);
  const auto sparse = job(1, InputType::unspecified, TaskType::sparse_embedding);
  const auto search = job(1, InputType::search);
  const auto more = job(1);
  const auto rank = job(1, InputType::unspecified, TaskType::rerank);
  const auto rank_too = job(1, InputType::unspecified, TaskType::rerank);
  for (const auto& one : {dense, sparse, search, more, rank, rank_too}) queue.push(one);
  const auto first = queue.take(10);
  REQUIRE(first.size() == 2);
  CHECK(first[0].job == dense);
  CHECK(first[1].job == more);
  for (int i = 0; i < 4; ++i) CHECK(queue.take(10).size() == 1);
  CHECK(queue.inputs() == 0);
}

TEST_CASE("work queue: searches go first, every fourth batch goes by age") {
  WorkQueue queue;
  for (int i = 0; i < 4; ++i) queue.push(job(1, InputType::ingest));
  for (int i = 0; i < 20; ++i) queue.push(job(1, InputType::search));
  std::string order;
  for (int i = 0; i < 24; ++i) {
    order += queue.take(1).front().job->work.input_type == InputType::ingest ? 'i' : 's';
  }
  CHECK(order == "sssisssisssisssissssssss");
}

TEST_CASE("work queue: what is removed is not taken") {
  WorkQueue queue;
  const auto a = job(25), b = job(3);
  queue.push(a);
  queue.push(b);
  CHECK(inputs_of(queue.take(10)) == 10);
  queue.remove(*a);
  CHECK(queue.inputs() == 3);
  queue.remove(*a);
  CHECK(queue.inputs() == 3);
  CHECK(queue.take_all().size() == 1);
  CHECK(queue.inputs() == 0);
}

TEST_CASE("cut: pieces of nearly equal size, in order, that together are the batch") {
  const auto a = job(3), b = job(5), c = job(2);
  const std::vector<Slice> batch{{a, 0, 3}, {b, 0, 5}, {c, 0, 2}};
  for (std::size_t count : {1U, 2U, 3U, 4U, 7U, 10U, 32U}) {
    CAPTURE(count);
    const auto pieces = cut(batch, count);
    CHECK(pieces.size() == std::min<std::size_t>(count, 10));
    std::size_t least = 100, most = 0, all = 0;
    std::map<const Job*, std::size_t> next;
    for (const auto& piece : pieces) {
      least = std::min(least, piece.inputs());
      most = std::max(most, piece.inputs());
      all += piece.inputs();
      for (const Slice& slice : piece.slices) {
        CHECK(slice.begin == next[slice.job.get()]);
        next[slice.job.get()] = slice.end;
      }
    }
    CHECK(all == 10);
    CHECK(most - least <= 1);
  }
  CHECK(cut({}, 4).empty());
}

TEST_CASE("work queue: CPU time is shared in proportion to what a model looks at") {
  const auto a = std::make_shared<Job>(ModelRequest{.inputs = {std::string(84, 'a'), "skipped"}});
  const auto b = std::make_shared<Job>(ModelRequest{.inputs = {std::string(4'000, 'b'), ""}});
  const Piece both{.slices = {{a, 0, 1}, {b, 0, 2}}};
  CHECK(both.share_of(*a, 1'000, 84) == 462);  // 100 of 216
  CHECK(both.share_of(*b, 1'000, 84) == 537);
  CHECK(both.share_of(*a, 1'000, 1'000'000) == 24);
  const Piece alone{.slices = {{a, 0, 1}}};
  CHECK(alone.share_of(*a, 1'000, 84) == 1'000);
  CHECK(alone.share_of(*b, 1'000, 84) == 0);
}

TEST_CASE("work queue: every input is taken exactly once, whatever comes and goes") {
  const auto random = os::seeded_random(7);
  for (int round = 0; round < 200; ++round) {
    WorkQueue queue;
    std::map<const Job*, std::vector<int>> taken;
    std::vector<std::shared_ptr<Job>> jobs;
    const auto take = [&] {
      const std::size_t most = 1 + random->below(12);
      const auto slices = queue.take(most);
      CHECK(inputs_of(slices) <= most);
      for (const Slice& slice : slices) {
        for (std::size_t i = slice.begin; i < slice.end; ++i) ++taken[slice.job.get()].at(i);
      }
    };
    for (int step = 0; step < 40; ++step) {
      if (random->below(2) == 0) {
        jobs.push_back(job(1 + random->below(30), static_cast<InputType>(random->below(3)),
                           static_cast<TaskType>(random->below(3))));
        taken[jobs.back().get()].resize(jobs.back()->work.inputs.size());
        queue.push(jobs.back());
      } else {
        take();
      }
    }
    while (queue.inputs() > 0) take();
    for (const auto& [one, counts] : taken) {
      CHECK(std::all_of(counts.begin(), counts.end(), [](int n) { return n == 1; }));
    }
  }
}

}  // namespace
}  // namespace cairn::inference::work_queue_test
