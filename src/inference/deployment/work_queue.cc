// SPDX-License-Identifier: Apache-2.0
// The two lines of waiting work.
#include "inference/deployment/work_queue.h"

#include <algorithm>
#include <utility>

namespace cairn::inference {
namespace {

constexpr std::uint64_t by_age_every = 4;  // batches
constexpr std::size_t look_ahead = 64;     // jobs that are looked at to fill a batch

bool may_share(const Job& a, const Job& b) {
  return a.work.task == b.work.task && a.work.input_type == b.work.input_type &&
         a.work.task != TaskType::rerank && !gives_texts(a.work.task);
}

}  // namespace

Job::Job(ModelRequest w) : work(std::move(w)) {
  const std::size_t count = work.inputs.size();
  if (work.task == TaskType::text_embedding) result.dense.resize(count);
  if (work.task == TaskType::sparse_embedding) result.sparse.resize(count);
  if (work.task == TaskType::rerank) result.scores.resize(count);
  if (gives_texts(work.task)) result.texts.resize(count);
}

std::size_t Batch::inputs() const {
  std::size_t count = 0;
  for (const Slice& slice : slices) count += slice.size();
  return count;
}

bool Batch::wanted() const {
  return std::any_of(slices.begin(), slices.end(),
                     [](const Slice& slice) { return !slice.job->given_up; });
}

std::size_t Piece::inputs() const {
  std::size_t count = 0;
  for (const Slice& slice : slices) count += slice.size();
  return count;
}

std::int64_t Piece::share_of(const Job& job, std::int64_t cpu_ns, std::size_t most_bytes) const {
  std::uint64_t own = 0, all = 0;
  for (const Slice& slice : slices) {
    for (std::size_t i = slice.begin; i < slice.end; ++i) {
      // A little for the empty text, too.
      const std::uint64_t weight = 16 + std::min(slice.job->work.inputs[i].size(), most_bytes);
      all += weight;
      if (slice.job.get() == &job) own += weight;
    }
  }
  if (own == all) return cpu_ns;
  return static_cast<std::int64_t>(static_cast<double>(cpu_ns) * static_cast<double>(own) /
                                   static_cast<double>(all));
}

std::vector<Piece> cut(const std::vector<Slice>& slices, std::size_t count) {
  std::size_t left = 0;
  for (const Slice& slice : slices) left += slice.size();
  std::vector<Piece> pieces;
  auto from = slices.begin();
  std::size_t begin = from == slices.end() ? 0 : from->begin;
  for (std::size_t remaining = std::min(count, left); remaining > 0; --remaining) {
    std::size_t room = (left + remaining - 1) / remaining;
    left -= room;
    std::vector<Slice>& piece = pieces.emplace_back().slices;
    while (room > 0) {
      const std::size_t size = std::min(room, from->end - begin);
      piece.push_back({from->job, begin, begin + size});
      room -= size;
      begin += size;
      if (begin == from->end && ++from != slices.end()) begin = from->begin;
    }
  }
  return pieces;
}

void WorkQueue::push(std::shared_ptr<Job> job) {
  job->order = arrived_++;
  inputs_ += job->work.inputs.size();
  Line& line = job->work.input_type == InputType::ingest ? second_ : first_;
  line.push_back(std::move(job));
}

void WorkQueue::remove(const Job& job) {
  for (Line* line : {&first_, &second_}) {
    const auto at = std::find_if(line->begin(), line->end(),
                                 [&](const auto& other) { return other.get() == &job; });
    if (at == line->end()) continue;
    inputs_ -= job.work.inputs.size() - job.taken;
    line->erase(at);
    return;
  }
}

WorkQueue::Line& WorkQueue::next_line() {
  if (first_.empty()) return second_;
  if (second_.empty()) return first_;
  const bool by_age = ++batches_ % by_age_every == 0;
  return by_age && second_.front()->order < first_.front()->order ? second_ : first_;
}

void WorkQueue::take_from(Line& line, std::size_t at, std::size_t most, std::vector<Slice>& out) {
  const std::shared_ptr<Job> job = line[at];
  const std::size_t size = std::min(most, job->work.inputs.size() - job->taken);
  out.push_back({job, job->taken, job->taken + size});
  job->taken += size;
  inputs_ -= size;
  if (job->taken == job->work.inputs.size()) {
    line.erase(line.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

std::vector<Slice> WorkQueue::take(std::size_t most_inputs) {
  std::vector<Slice> out;
  Line& line = next_line();
  if (line.empty()) return out;
  const std::shared_ptr<Job> head = line.front();
  std::size_t room = most_inputs;
  for (std::size_t at = 0, seen = 0; room > 0 && at < line.size() && seen < look_ahead; ++seen) {
    if (line[at] != head && !may_share(*line[at], *head)) {
      ++at;
      continue;
    }
    const std::size_t before = line.size();
    take_from(line, at, room, out);
    room -= out.back().size();
    if (line.size() == before) ++at;
  }
  return out;
}

std::vector<std::shared_ptr<Job>> WorkQueue::take_all() {
  std::vector<std::shared_ptr<Job>> out(first_.begin(), first_.end());
  out.insert(out.end(), second_.begin(), second_.end());
  first_.clear();
  second_.clear();
  inputs_ = 0;
  return out;
}

}  // namespace cairn::inference
