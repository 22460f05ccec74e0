// SPDX-License-Identifier: Apache-2.0
// What tasks in the background came to: kept for a while after they ended.
#include <utility>

#include "os/log.h"
#include "tasks/tasks.h"

namespace cairn::tasks {
namespace {

/// As GET /_tasks/{id} shows it.
Json answer_of(Json info, const Ending& ending, const Ground& ground) {
  Json out = Json::object({{"completed", true}, {"task", std::move(info)}});
  if (ending.error)
    out.set("error", ground.error_object(*ending.error));
  else
    out.set("response", ending.response);
  return out;
}

}  // namespace

void Tasks::keep_result(Task& task, const Ending& ending) {
  Json answer = answer_of(task.infos(ground_.node_id, true).front().info, ending, ground_);
  Json record = task.record();
  if (Json* request = record.find("request"))
    if (Json* remote = request->find("remote")) remote->erase("sealed_headers");
  const std::int64_t now_ms = ground_.clock.unix_ms();
  record.set("ended", Json::object({{"ms", now_ms}, {"answer", std::move(answer)}}));
  const std::lock_guard saving(task.saving());
  task.closed = true;
  const Status kept =
      records_.put(task.number(), record, os::Deadline::in_ms(options_.write_wait_ms));
  if (!kept.ok())
    os::log(os::LogLevel::error, "tasks", "the result of a task is not kept",
            {{"task", task.number()}, {"reason", kept.error().message}});
  const std::lock_guard lock(mutex_);
  if (kept.ok()) results_[task.number()] = {.key = task.facts().owner.key, .ended_ms = now_ms};
}

Result<std::optional<Tasks::Kept>> Tasks::result(std::uint64_t number,
                                                 const os::Deadline& deadline) const {
  {
    const std::lock_guard lock(mutex_);
    if (results_.count(number) == 0) return std::optional<Kept>();
  }
  CAIRN_TRY(const auto record, records_.get(number, deadline));
  const Json* answer = record ? record->find_path("ended.answer") : nullptr;
  if (answer == nullptr) return std::optional<Kept>();
  return std::optional(Kept{.answer = *answer, .key = record->string_or("key")});
}

/// It has no record before: what ends with the process has nothing to go on with.
void Tasks::keep_answer(const Merge& merge, const Ending& ending) {
  Json answer = answer_of(merge.infos(ground_.node_id, true).front().info, ending, ground_);
  const std::int64_t now_ms = ground_.clock.unix_ms();
  const Json record =
      Json::object({{"number", merge.number()},
                    {"key", merge.owner().key},
                    {"started_ms", merge.started_ms()},
                    {"ended", Json::object({{"ms", now_ms}, {"answer", std::move(answer)}})}});
  const Status kept =
      records_.put(merge.number(), record, os::Deadline::in_ms(options_.write_wait_ms));
  if (!kept.ok())
    return os::log(os::LogLevel::error, "tasks", "the result of a task is not kept",
                   {{"task", merge.number()}, {"reason", kept.error().message}});
  {
    const std::lock_guard lock(mutex_);
    results_[merge.number()] = {.key = merge.owner().key, .ended_ms = now_ms};
  }
  forget_results();
}

void Tasks::forget_results() {
  std::vector<std::uint64_t> gone;
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t oldest_ms = ground_.clock.unix_ms() - options_.results_kept_ms;
    std::map<std::string, std::size_t> of_one;
    std::size_t all = 0;
    for (auto at = results_.rbegin(); at != results_.rend(); ++at)
      if (at->second.ended_ms < oldest_ms || ++all > options_.results_max ||
          ++of_one[at->second.key] > options_.results_of_one_max)
        gone.push_back(at->first);
    for (const std::uint64_t number : gone) results_.erase(number);
  }
  for (const std::uint64_t number : gone)
    if (const Status removed = records_.remove(number, os::Deadline::in_ms(options_.write_wait_ms));
        !removed.ok())
      os::log(os::LogLevel::warn, "tasks", "the result of a task is not removed",
              {{"task", number}, {"reason", removed.error().message}});
}

}  // namespace cairn::tasks
