// SPDX-License-Identifier: Apache-2.0
#include "tasks/merges.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "os/threads/pool.h"

namespace cairn::tasks {
namespace {

constexpr std::string_view merge_action = "indices:admin/forcemerge";

Error merges_rejected(std::string message) {
  return {.kind = ErrorKind::rate_limited,
          .code = "es_rejected_execution_exception",
          .message = std::move(message)};
}

Error merge_cancelled(const std::string& reason) {
  return {.kind = ErrorKind::cancelled,
          .code = "task_cancelled_exception",
          .message = "task cancelled [" + reason + "]; what was merged before stays so"};
}

}  // namespace

std::string MergeRequest::description() const {
  std::vector<std::string> names;
  for (const auto& index : indices) names.push_back(index->name());
  return "Force-merge indices [" + join(names, ", ") + "], maxSegments[" +
         std::to_string(most_segments) + "], onlyExpungeDeletes[" +
         (only_deletes ? "true" : "false") + "], flush[true]";
}

Status merge_all(const MergeRequest& request, const os::Deadline& deadline) {
  for (const auto& index : request.indices) {
    CAIRN_CHECK(deadline.check("merging"));
    CAIRN_CHECK(request.only_deletes ? index->expunge_deletes(deadline)
                                     : index->force_merge(request.most_segments, deadline));
  }
  return ok_status();
}

Json merge_answer(const MergeRequest& request) {
  const auto count = static_cast<std::int64_t>(request.indices.size());
  return Json::object(
      {{"_shards", Json::object({{"total", count}, {"successful", count}, {"failed", 0}})}});
}

Merge::Merge(std::uint64_t number, MergeRequest request, Owner owner, const os::Clock& clock)
    : number_(number),
      request_(std::move(request)),
      owner_(std::move(owner)),
      clock_(clock),
      started_ms_(clock.unix_ms()),
      began_ns_(clock.steady_ns()) {}

std::vector<TaskInfo> Merge::infos(const std::string& node, bool detailed) const {
  Json info = Json::object(
      {{"node", node}, {"id", number_}, {"type", "transport"}, {"action", merge_action}});
  if (detailed) info.set("description", request_.description());
  info.set("start_time_in_millis", started_ms_);
  info.set("running_time_in_nanos", clock_.steady_ns() - began_ns_);
  info.set("cancellable", true);
  info.set("cancelled", cancelled().has_value());
  Json headers = Json::object();
  if (!owner_.opaque_id.empty()) headers.set("X-Opaque-Id", owner_.opaque_id);
  info.set("headers", std::move(headers));
  return {{.number = number_,
           .parent = {},
           .action = std::string(merge_action),
           .info = std::move(info)}};
}

void Merge::cancel(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || cancelled_) return;
    cancelled_ = reason;
  }
  stop_.request_stop();
}

std::optional<std::string> Merge::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

bool Merge::wait(const os::Deadline& deadline) const {
  std::unique_lock lock(mutex_);
  return os::wait(changed_, lock, deadline, [this] { return ending_.has_value(); });
}

std::optional<Ending> Merge::ending() const {
  const std::lock_guard lock(mutex_);
  return ending_;
}

void Merge::end(Ending ending) {
  const std::lock_guard lock(mutex_);
  ending_ = std::move(ending);
  changed_.notify_all();
}

Status Merges::check_room(const Owner& owner) const {
  if (stopping_)
    return Error{.kind = ErrorKind::unavailable,
                 .code = "node_closed_exception",
                 .message = "the server is stopping"};
  const auto own = static_cast<std::size_t>(
      std::count_if(running_.begin(), running_.end(), [&](const auto& entry) {
        return entry.second.merge->owner().key == owner.key;
      }));
  if (running_.size() >= options_.running_max || own >= options_.running_of_one_max)
    return merges_rejected("there are [" + std::to_string(running_.size()) +
                           "] merges at work, which is the most; try again when one has ended");
  return ok_status();
}

Result<std::shared_ptr<Merge>> Merges::start(MergeRequest request, Owner owner) {
  const std::uint64_t number = take_number_();
  auto merge = std::make_shared<Merge>(number, std::move(request), std::move(owner), ground_.clock);
  std::list<os::Thread> ended;  // joined without the lock
  const std::lock_guard lock(mutex_);
  ended.splice(ended.end(), ended_threads_);
  CAIRN_CHECK(check_room(merge->owner()));
  Running& place = running_[number];
  place.merge = merge;
  auto thread =
      os::Thread::start({.name = "cairn-task", .nice = 5}, [this, merge] { run(*merge); });
  if (!thread.ok()) {
    running_.erase(number);
    return std::move(thread).error();
  }
  place.thread = *std::move(thread);
  return merge;
}

void Merges::run(Merge& merge) {
  const std::int64_t before = os::thread_cpu_ns();
  const Status merged = merge_all(merge.request(), os::Deadline::never(merge.stopped()));
  Ending ending;
  if (merged.ok())
    ending.response = merge_answer(merge.request());
  else if (const auto reason = merge.cancelled())
    ending.error = merge_cancelled(*reason);
  else
    ending.error = merged.error();
  const std::int64_t cpu_ns = os::thread_cpu_ns() - before;
  keep_(merge, ending);
  pay(merge, cpu_ns);
  {
    const std::lock_guard lock(mutex_);
    const auto at = running_.find(merge.number());
    if (at->second.thread.joinable()) ended_threads_.push_back(std::move(at->second.thread));
    running_.erase(at);
  }
  merge.end(std::move(ending));
}

/// It holds its place until its CPU time is paid for.
void Merges::pay(const Merge& merge, std::int64_t cpu_ns) const {
  if (!ground_.charge) return;
  while (const std::int64_t ms = ground_.charge(merge.owner().key, cpu_ns))
    if (!os::sleep_ms(ms, os::Deadline::never(merge.stopped()))) return;
}

std::vector<std::shared_ptr<Merge>> Merges::running() const {
  std::vector<std::shared_ptr<Merge>> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [number, running] : running_) out.push_back(running.merge);
  return out;
}

void Merges::stop() {
  std::list<os::Thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [number, running] : running_) {
      running.merge->cancel("the server stops");
      if (running.thread.joinable()) threads.push_back(std::move(running.thread));
    }
    threads.splice(threads.end(), ended_threads_);
  }
  for (os::Thread& thread : threads) thread.join();
}

}  // namespace cairn::tasks
