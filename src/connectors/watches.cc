// SPDX-License-Identifier: Apache-2.0
#include "connectors/watches.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/ids.h"
#include "format/time.h"
#include "os/log.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t find_every_ms = 2'000;
constexpr std::int64_t quiet_ms = 400;           // after the last change
constexpr std::int64_t changing_ms_max = 2'000;  // after the first one
constexpr std::int64_t open_again_ms = 30'000;
constexpr std::int64_t pause_ms_max = 30'000;
constexpr std::size_t jobs_kept = 10;
constexpr std::size_t connectors_max = 1'000'000;

bool is_over(const std::string& status) {
  return status == "completed" || status == "error" || status == "canceled";
}

/// Without the time that it waited for another one to end.
std::int64_t run_time_ms(const Json& job) {
  const auto begun = parse_iso8601(job.string_or("started_at"));
  const auto ended = parse_iso8601(job.string_or("completed_at"));
  return begun && ended ? *ended - *begun : 0;
}

}  // namespace

Watches::Watches(Records& records, SyncJobs& jobs, ToldChanges& told, const SourceTypes& types,
                 CreateJob create_job, const os::Clock& clock, os::Random& random)
    : records_(records),
      jobs_(jobs),
      told_(told),
      types_(types),
      create_job_(std::move(create_job)),
      clock_(clock),
      random_(random) {}

void Watches::tell(const std::string& id, Watched& watched, const std::string& event,
                   const std::string& reason) {
  const std::string text = reason.empty() ? reason : event + ": " + reason;
  if (watched.told == text) return;
  watched.told = text;
  if (!reason.empty())
    os::log(os::LogLevel::warn, "connectors", event, {{"connector", id}, {"reason", reason}});
}

/// The end of each sync empties what stands there, so it is put there again.
void Watches::show(const std::string& id, const Json& record, Watched& watched,
                   const os::Deadline& deadline) {
  const std::string there = record.string_or("error");
  const bool of_a_sync = !there.empty() && there != watched.shown;
  if (there == watched.told || of_a_sync) return;
  const Json error = watched.told.empty() ? Json() : Json(watched.told);
  if (records_.set_members(id, Json::object({{"error", error}}), deadline).ok())
    watched.shown = watched.told;
}

void Watches::open(const std::string& id, const Json& record, Watched& watched,
                   const os::Deadline& deadline) {
  const auto type = types_.find(record.string_or("service_type"));
  auto made = type->second->watch(*record.find("configuration"));
  if (!made.ok()) {
    watched.open_after_ms = now_ms() + open_again_ms;
    return tell(id, watched, "a source cannot be watched", made.error().message);
  }
  watched.watch = *std::move(made);
  if (!watched.watch) return;
  watched.first_ms = watched.last_ms = now_ms();
  find_old_jobs(id, watched, deadline);
}

void Watches::find_old_jobs(const std::string& id, Watched& watched, const os::Deadline& deadline) {
  if (!watched.past.empty()) return;
  const auto jobs = jobs_.list({.size = connectors_max, .connector_id = id}, deadline);
  if (!jobs.ok()) return;
  for (auto at = jobs->results.rbegin(); at != jobs->results.rend(); ++at)
    if (at->string_or("id").starts_with(job_prefix) && is_over(at->string_or("status")))
      watched.past.push_back(at->string_or("id"));
  forget_old_jobs(watched, deadline);
}

void Watches::find_connectors(const os::Deadline& deadline) {
  const auto records = records_.known(deadline);
  if (!records.ok()) return;
  std::set<std::string> there, known;
  paused_.clear();
  for (const Json& record : *records) {
    known.insert(record.string_or("id"));
    if (record.bool_or("paused")) paused_.insert(record.string_or("id"));
    const Json* configuration = record.find("configuration");
    const auto type = types_.find(record.string_or("service_type"));
    if (type == types_.end() || configuration == nullptr || record.find("index_name") == nullptr ||
        !record.find("index_name")->is_string() || !type->second->is_watched(*configuration))
      continue;
    const std::string id = record.string_or("id");
    there.insert(id);
    Watched& watched = watched_[id];
    std::string text = configuration->dump();
    const bool may_not = watched.watch && !type->second->validate(*configuration).ok();
    if (watched.configuration != text || may_not) {
      watched.configuration = std::move(text);
      watched.watch.reset();
      watched.open_after_ms = 0;
    }
    if (!watched.watch && now_ms() >= watched.open_after_ms) open(id, record, watched, deadline);
    show(id, record, watched, deadline);
  }
  for (const Json& record : *records) {
    const auto no_more = watched_.find(record.string_or("id"));
    if (no_more == watched_.end() || there.count(no_more->first) > 0) continue;
    no_more->second.watch.reset();
    no_more->second.told.clear();
    show(no_more->first, record, no_more->second, deadline);
  }
  std::erase_if(watched_, [&](const auto& entry) {
    const auto& [id, watched] = entry;
    return there.count(id) == 0 && !(watched.was_told && known.count(id) > 0);
  });
  const auto told = told_.all(deadline);
  if (!told.ok()) return;
  for (const std::string& id : *told) {
    if (known.count(id) > 0) continue;
    // Of a connector that is gone.
    if (told_.begin(id)) (void)told_.end(id, true, deadline);
  }
}

void Watches::take_told(const os::Deadline& deadline) {
  const auto told = told_.all(deadline);
  if (!told.ok()) return;
  for (const std::string& id : *told) {
    Watched& watched = watched_[id];
    if (!std::exchange(watched.was_told, true)) find_old_jobs(id, watched, deadline);
    if (watched.first_ms == 0) watched.first_ms = watched.last_ms = now_ms();
  }
}

/// The end of a job is seen here; then as long a pause as it took.
bool Watches::job_has_ended(Watched& watched, const os::Deadline& deadline) {
  if (watched.job.empty()) return true;
  const auto job = jobs_.get(watched.job, deadline);
  if (job.ok() && !is_over(job->string_or("status"))) return false;
  if (!job.ok() && job.error().kind != ErrorKind::not_found) return false;
  const std::int64_t took_ms = job.ok() ? run_time_ms(*job) : 0;
  watched.not_before_ms = now_ms() + std::clamp<std::int64_t>(took_ms, 0, pause_ms_max);
  watched.past.push_back(std::exchange(watched.job, {}));
  forget_old_jobs(watched, deadline);
  return true;
}

void Watches::forget_old_jobs(Watched& watched, const os::Deadline& deadline) {
  for (; watched.past.size() > jobs_kept; watched.past.pop_front())
    (void)jobs_.remove(watched.past.front(), deadline);
}

void Watches::ask(const std::string& id, Watched& watched, const os::Deadline& deadline) {
  const auto changed = watched.watch->changed(deadline);
  if (!changed.ok()) {
    watched.watch.reset();
    watched.open_after_ms = now_ms() + open_again_ms;
    return tell(id, watched, "a source cannot be watched", changed.error().message);
  }
  tell(id, watched, "changes of a source are found by looking, not at once",
       watched.watch->limit());
  if (*changed) {
    watched.last_ms = now_ms();
    if (watched.first_ms == 0) watched.first_ms = watched.last_ms;
  }
}

void Watches::make_job_when_due(const std::string& id, Watched& watched,
                                const os::Deadline& deadline) {
  if (paused_.count(id) > 0) return;  // what changed meanwhile is not forgotten
  const bool ended = job_has_ended(watched, deadline);
  const bool due = watched.first_ms != 0 && (now_ms() - watched.last_ms >= quiet_ms ||
                                             now_ms() - watched.first_ms >= changing_ms_max);
  if (!due || !ended || now_ms() < watched.not_before_ms) return;
  const auto told = told_.begin(id);
  CreateSyncJob job{.connector_id = id,
                    .job_type = "incremental",
                    .trigger_method = "scheduled",
                    .id = std::string(job_prefix) + url_safe_id(random_.bytes(15))};
  // What a watch saw, nobody named.
  if (told && !told->everything && !watched.watch) job.paths = told->paths;
  const auto made = create_job_(job);
  if (told) (void)told_.end(id, made.ok(), deadline);
  if (!made.ok()) {
    watched.not_before_ms = now_ms() + open_again_ms;
    return tell(id, watched, "a sync of a watched source could not be made", made.error().message);
  }
  watched.job = *made;
  watched.first_ms = watched.last_ms = 0;
}

void Watches::look(const os::Deadline& deadline) {
  if (found_ms_ == 0 || now_ms() - found_ms_ >= find_every_ms) {
    find_connectors(deadline);
    found_ms_ = now_ms();
  }
  take_told(deadline);
  for (auto& [id, watched] : watched_) {
    if (deadline.passed()) return;
    if (watched.watch) ask(id, watched, deadline);
    make_job_when_due(id, watched, deadline);
  }
}

}  // namespace cairn::connectors
