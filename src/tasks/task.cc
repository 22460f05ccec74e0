// SPDX-License-Identifier: Apache-2.0
#include "tasks/task.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cairn::tasks {
namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;
// Sleeps are cut into pieces, so that a clock that jumps does no harm.
constexpr std::int64_t longest_sleep_ns = 60'000 * ns_per_ms;

std::string id_of(const std::string& node, std::uint64_t number) {
  return node + ":" + std::to_string(number);
}

}  // namespace

Task::Task(TaskFacts facts, ByQuery request, const os::Clock& clock)
    : facts_(std::move(facts)),
      request_(std::move(request)),
      clock_(clock),
      began_ns_(clock.steady_ns()),
      slices_(std::max<std::size_t>(request_.slices, 1)) {
  for (SliceState& slice : slices_)
    slice.requests_per_second = request_.requests_per_second / static_cast<double>(slices_.size());
}

Counts Task::counts() const {
  Counts out;
  for (const SliceState& slice : slices_) out += slice.counts;
  if (request_.max_docs) out.total = std::min(out.total, *request_.max_docs);
  return out;
}

double Task::rate() const {
  double out = 0;
  for (const SliceState& slice : slices_) {
    if (slice.requests_per_second <= 0) return 0;
    out += slice.requests_per_second;
  }
  return out;
}

Json Task::slice_status(std::size_t which) const {
  const SliceState& slice = slices_[which];
  const std::int64_t left = slice.throttled_until_ns - clock_.steady_ns();
  const bool sleeps = slice.throttled_until_ns != 0 && !slice.ended && !ending_;
  return status_of(request_.kind, slice.counts, slice.requests_per_second,
                   sleeps ? std::max<std::int64_t>(left / ns_per_ms, 0) : 0,
                   slices_.size() > 1 ? std::optional(which) : std::nullopt, cancelled_);
}

Json Task::whole_status(bool with_parts) const {
  if (slices_.size() == 1) return slice_status(0);
  Json out = status_of(request_.kind, counts(), rate(), 0, std::nullopt, cancelled_);
  if (!with_parts) return out;
  Json::Array parts;
  for (std::size_t i = 0; i < slices_.size(); ++i)
    parts.push_back(slices_[i].began ? slice_status(i) : Json());
  out.set("slices", Json(std::move(parts)));
  return out;
}

Json Task::status() const {
  const std::lock_guard lock(mutex_);
  return whole_status(true);
}

Json Task::info_of(const std::string& node, std::uint64_t number, bool detailed, Json status,
                   const std::string& description) const {
  Json out = Json::object({{"node", node},
                           {"id", number},
                           {"type", "transport"},
                           {"action", action_of(request_.kind)}});
  if (detailed) {
    out.set("status", std::move(status));
    out.set("description", description);
  }
  out.set("start_time_in_millis", facts_.started_ms);
  const std::int64_t until = ended_ns_ != 0 ? ended_ns_ : clock_.steady_ns();
  out.set("running_time_in_nanos", until - began_ns_);
  out.set("cancellable", true);
  out.set("cancelled", cancelled_.has_value());
  if (number != facts_.number) out.set("parent_task_id", id_of(node, facts_.number));
  Json headers = Json::object();
  if (!facts_.owner.opaque_id.empty()) headers.set("X-Opaque-Id", facts_.owner.opaque_id);
  out.set("headers", std::move(headers));
  return out;
}

std::vector<TaskInfo> Task::infos(const std::string& node, bool detailed) const {
  const std::string action(action_of(request_.kind));
  std::vector<TaskInfo> out;
  const std::lock_guard lock(mutex_);
  out.push_back(
      {.number = facts_.number,
       .parent = {},
       .action = action,
       .info = info_of(node, facts_.number, detailed, whole_status(true), request_.description())});
  if (slices_.size() == 1) return out;
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    if (!slices_[i].began || slices_[i].ended) continue;
    const std::uint64_t number = facts_.number + 1 + i;
    out.push_back(
        {.number = number,
         .parent = facts_.number,
         .action = action,
         .info = info_of(node, number, detailed, slice_status(i), request_.description())});
  }
  return out;
}

Json Task::record() const {
  const std::lock_guard lock(mutex_);
  Json::Array sources;
  for (const SourceIndex& source : facts_.sources) {
    sources.push_back(
        Json::object({{"name", source.name}, {"uuid", source.uuid}, {"until", source.until}}));
    if (source.filter != nullptr) sources.back().set("filter", *source.filter);
  }
  Json::Array slices;
  for (const SliceState& slice : slices_) slices.push_back(record_of(slice));
  Json out = Json::object({{"number", facts_.number},
                           {"key", facts_.owner.key},
                           {"opaque_id", facts_.owner.opaque_id},
                           {"started_ms", facts_.started_ms},
                           {"request", record_of(request_)},
                           {"sources", Json(std::move(sources))},
                           {"slices", Json(std::move(slices))}});
  if (request_.remote)
    out.set("destination", Json::object({{"name", facts_.destination.name},
                                         {"uuid", facts_.destination.uuid},
                                         {"until", facts_.destination.until}}));
  if (cancelled_) out.set("cancelled", *cancelled_);
  return out;
}

void Task::restore(const Json& record) {
  const std::lock_guard lock(mutex_);
  const Json* slices = record.find("slices");
  if (slices != nullptr && slices->is_array())
    for (std::size_t i = 0; i < std::min(slices_.size(), slices->as_array().size()); ++i)
      slices_[i] = read_slice_state(slices->as_array()[i]);
  if (record.find("cancelled") != nullptr) {
    cancelled_ = record.string_or("cancelled");
    stop_.request_stop();
  } else if (request_.remote && !request_.max_docs) {
    for (SliceState& slice : slices_)
      slice = {.counts = {.write_retries = slice.counts.write_retries,
                          .read_retries = slice.counts.read_retries,
                          .throttled_ms = slice.counts.throttled_ms},
               .requests_per_second = slice.requests_per_second};
  }
  taken_ = counts().done();
}

void Task::cancel(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || cancelled_) return;
    cancelled_ = reason;
  }
  stop_.request_stop();
}

std::optional<std::string> Task::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

void Task::suspend() {
  suspend_.request_stop();
  stop_.request_stop();
}

void Task::rethrottle(double requests_per_second) {
  const std::lock_guard lock(mutex_);
  std::size_t left = 0;
  for (const SliceState& slice : slices_) left += slice.ended ? 0 : 1;
  for (SliceState& slice : slices_)
    if (!slice.ended) slice.requests_per_second = requests_per_second / static_cast<double>(left);
  changed_.notify_all();
}

bool Task::wait(const os::Deadline& deadline) const {
  std::unique_lock lock(mutex_);
  return os::wait(changed_, lock, deadline, [this] { return ending_.has_value(); });
}

std::optional<Ending> Task::ending() const {
  const std::lock_guard lock(mutex_);
  return ending_;
}

SliceState Task::slice(std::size_t which) const {
  const std::lock_guard lock(mutex_);
  return slices_[which];
}

void Task::change_slice(std::size_t which, const std::function<void(SliceState&)>& change) {
  const std::lock_guard lock(mutex_);
  change(slices_[which]);
}

std::size_t Task::take(std::size_t wanted) {
  if (!request_.max_docs) return wanted;
  const std::lock_guard lock(mutex_);
  const std::uint64_t left = *request_.max_docs > taken_ ? *request_.max_docs - taken_ : 0;
  const auto out = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, left));
  taken_ += out;
  return out;
}

void Task::give_back(std::size_t count) {
  if (!request_.max_docs) return;
  const std::lock_guard lock(mutex_);
  taken_ -= std::min<std::uint64_t>(count, taken_);
}

bool Task::has_room() const {
  if (!request_.max_docs) return true;
  const std::lock_guard lock(mutex_);
  return taken_ < *request_.max_docs;
}

bool Task::throttle(std::size_t which, std::int64_t began_ns, std::size_t documents) {
  const std::stop_token stop = stop_.get_token();
  std::unique_lock lock(mutex_);
  SliceState& slice = slices_[which];
  const std::int64_t slept_from = clock_.steady_ns();
  while (!stop.stop_requested() && slice.requests_per_second > 0) {
    const double rate = slice.requests_per_second;
    const double wanted = static_cast<double>(documents) / rate * 1e9;
    const auto until = began_ns + static_cast<std::int64_t>(std::min(wanted, 1e18));
    const std::int64_t left = until - clock_.steady_ns();
    if (left <= 0) break;
    slice.throttled_until_ns = until;
    const auto piece = std::chrono::nanoseconds(std::min(left, longest_sleep_ns));
    static_cast<void>(
        changed_.wait_for(lock, stop, piece, [&] { return slice.requests_per_second != rate; }));
  }
  slice.throttled_until_ns = 0;
  slice.counts.throttled_ms += (clock_.steady_ns() - slept_from) / ns_per_ms;
  return !stop.stop_requested();
}

void Task::fail(Json failure, int status, std::size_t most) {
  failed_.store(true);
  const std::lock_guard lock(mutex_);
  status_ = std::max(status_, status);
  if (failures_.size() < most) failures_.push_back(std::move(failure));
}

os::Deadline Task::search_deadline() const {
  if (request_.search_timeout_ms < 0) return os::Deadline::never(stop_.get_token());
  return os::Deadline::in_ms(request_.search_timeout_ms, stop_.get_token());
}

void Task::time_out() {
  timed_out_.store(true);
  failed_.store(true);
}

Ending Task::answer() const {
  const bool timed_out = timed_out_.load();
  const std::lock_guard lock(mutex_);
  Json out = Json::object(
      {{"took", (clock_.steady_ns() - began_ns_) / ns_per_ms}, {"timed_out", timed_out}});
  Json status = whole_status(true);
  for (auto& [name, value] : status.as_object()) out.set(name, std::move(value));
  out.set("failures", Json(failures_));
  return {.response = std::move(out), .status = timed_out ? std::max(status_, 408) : status_};
}

void Task::end(Ending ending) {
  const std::lock_guard lock(mutex_);
  ended_ns_ = clock_.steady_ns();
  ending_ = std::move(ending);
  changed_.notify_all();
}

}  // namespace cairn::tasks
