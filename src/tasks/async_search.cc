// SPDX-License-Identifier: Apache-2.0
#include "tasks/async_search.h"

#include <utility>

namespace cairn::tasks {

AsyncSearch::AsyncSearch(AsyncFacts facts, std::int64_t expires_ms, std::stop_source stop,
                         const os::Clock& clock)
    : facts_(std::move(facts)),
      clock_(clock),
      began_ns_(clock.steady_ns()),
      stop_(std::move(stop)),
      state_{.expires_ms = expires_ms} {}

AsyncSearch::AsyncSearch(AsyncFacts facts, std::int64_t expires_ms, AsyncEnding ending,
                         const os::Clock& clock)
    : AsyncSearch(std::move(facts), expires_ms, std::stop_source(), clock) {
  in_store = true;
  state_.kept = true;
  state_.ending = ending;
}

std::shared_ptr<AsyncSearch> AsyncSearch::of_head(const std::string& id, const Json& head,
                                                  const os::Clock& clock) {
  AsyncFacts facts{.id = id,
                   .owner = {.key = head.string_or("key")},
                   .started_ms = head.int_or("started_ms"),
                   .shards = static_cast<std::size_t>(head.int_or("shards")),
                   .form = {.typed_keys = head.bool_or("typed_keys"),
                            .total_hits_as_int = head.bool_or("total_hits_as_int")}};
  const AsyncEnding ending{.completed_ms = head.int_or("completed_ms"),
                           .status = static_cast<int>(head.int_or("status", 200)),
                           .failed = head.bool_or("failed")};
  return std::make_shared<AsyncSearch>(std::move(facts), head.int_or("expires_ms"), ending, clock);
}

Json AsyncSearch::head(const AsyncEnding& ending, std::int64_t expires_ms) const {
  return Json::object({{"key", facts_.owner.key},
                       {"started_ms", facts_.started_ms},
                       {"expires_ms", expires_ms},
                       {"completed_ms", ending.completed_ms},
                       {"status", ending.status},
                       {"failed", ending.failed},
                       {"shards", facts_.shards},
                       {"typed_keys", facts_.form.typed_keys},
                       {"total_hits_as_int", facts_.form.total_hits_as_int}});
}

std::vector<TaskInfo> AsyncSearch::infos(const std::string& node, bool detailed) const {
  constexpr const char* action = "indices:data/read/async_search/submit";
  Json info = Json::object(
      {{"node", node}, {"id", facts_.number}, {"type", "transport"}, {"action", action}});
  if (detailed) info.set("description", facts_.description);
  info.set("start_time_in_millis", facts_.started_ms);
  info.set("running_time_in_nanos", clock_.steady_ns() - began_ns_);
  info.set("cancellable", true);
  info.set("cancelled", cancelled().has_value());
  Json headers = Json::object();
  if (!facts_.owner.opaque_id.empty()) headers.set("X-Opaque-Id", facts_.owner.opaque_id);
  info.set("headers", std::move(headers));
  return {{.number = facts_.number, .parent = {}, .action = action, .info = std::move(info)}};
}

void AsyncSearch::cancel(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (state_.ending || cancelled_) return;
    cancelled_ = reason;
  }
  stop_.request_stop();
}

void AsyncSearch::discard(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    state_.discarded = true;
  }
  cancel(reason);
}

std::optional<std::string> AsyncSearch::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

bool AsyncSearch::wait(const os::Deadline& deadline) const {
  std::unique_lock lock(mutex_);
  return os::wait(changed_, lock, deadline, [this] { return state_.ending.has_value(); });
}

bool AsyncSearch::wait_as_client(const os::Deadline& deadline) {
  std::unique_lock lock(mutex_);
  if (os::wait(changed_, lock, deadline, [this] { return state_.ending.has_value(); })) return true;
  client_waits_ = false;
  return false;
}

AsyncSearch::State AsyncSearch::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void AsyncSearch::expire_at(std::int64_t ms) {
  const std::lock_guard lock(mutex_);
  state_.expires_ms = ms;
}

void AsyncSearch::end_locked(AsyncEnding ending, std::shared_ptr<const std::string> answer) {
  state_.ending = ending;
  state_.answer = std::move(answer);
  changed_.notify_all();
}

bool AsyncSearch::hand_over(AsyncEnding ending, std::shared_ptr<const std::string> answer) {
  const std::lock_guard lock(mutex_);
  if (!client_waits_ || facts_.keep_on_completion) return false;
  state_.handed_over = true;
  end_locked(ending, std::move(answer));
  return true;
}

void AsyncSearch::end(AsyncEnding ending, std::shared_ptr<const std::string> answer, bool kept) {
  const std::lock_guard lock(mutex_);
  state_.kept = kept;
  end_locked(ending, std::move(answer));
}

void AsyncSearch::forget_answer() {
  const std::lock_guard lock(mutex_);
  if (state_.kept) state_.answer.reset();
}

bool AsyncSearch::client_pays() const {
  const std::lock_guard lock(mutex_);
  return client_waits_;
}

}  // namespace cairn::tasks
