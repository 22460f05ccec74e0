// SPDX-License-Identifier: Apache-2.0
#include "connectors/service.h"

#include <algorithm>

#include "connectors/errors.h"
#include "connectors/sync_jobs.h"
#include "format/time.h"
#include "os/host.h"
#include "os/log.h"
#include "os/metrics.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t record_wait_ms = 30'000;  // for reading and writing records
constexpr std::size_t all_jobs = 1'000'000;

std::string text_at(const Json& value, std::string_view path) {
  const Json* found = value.find_path(path);
  return found != nullptr && found->is_string() ? found->as_string() : std::string();
}

std::string_view outcome_status(SyncOutcome outcome) {
  switch (outcome) {
    case SyncOutcome::completed:
      return "completed";
    case SyncOutcome::canceled:
      return "canceled";
    case SyncOutcome::suspended:
      return "suspended";
  }
  return "error";
}

os::Counter& runs_counter(std::string_view status) {
  return os::metrics().counter("cairn_connectors_sync_jobs_total", "Sync runs by how they ended.",
                               {{"status", std::string(status)}});
}

}  // namespace

Service::Service(store::Store& store, Target& target, SourceTypes types, Options options,
                 const os::Clock& clock, os::Random& random)
    : store_(store),
      target_(target),
      types_(std::move(types)),
      options_(std::move(options)),
      clock_(clock),
      records_(store, types_, clock, random),
      jobs_(store, records_, clock, random),
      worker_name_(os::host_name()),
      started_ms_(clock.unix_ms()) {}

Service::~Service() { stop(); }

Status Service::start() {
  CAIRN_CHECK(recover(os::Deadline::in_ms(record_wait_ms)));
  for (std::size_t i = 0; i < options_.workers; ++i) {
    CAIRN_TRY(auto worker,
              os::Thread::start_stoppable(
                  {.name = "cairn-sync", .nice = 5},
                  [this](std::stop_token stop) { work(std::move(stop)); }));
    workers_.push_back(std::move(worker));
  }
  return ok_status();
}

void Service::stop() {
  for (auto& worker : workers_) worker.request_stop();
  workers_.clear();
}

// A job that a former process of this machine was running has no worker any more.
Status Service::recover(const os::Deadline& deadline) {
  CAIRN_TRY(const auto page, jobs_.list({.size = all_jobs}, deadline));
  for (const Json& job : page.results) {
    if (job.string_or("worker_hostname") != worker_name_) continue;
    const std::string status = job.string_or("status");
    if (status == "in_progress")
      CAIRN_CHECK(jobs_.finish(job.string_or("id"), "suspended", "", deadline));
    if (status == "canceling")
      CAIRN_CHECK(jobs_.finish(job.string_or("id"), "canceled", "", deadline));
  }
  return ok_status();
}

// No source here tells who may read what, and nobody else runs jobs of its type: such a job would
// wait for ever.
Status Service::check_runnable(const CreateSyncJob& params, const os::Deadline& deadline) const {
  if (params.job_type != "access_control") return ok_status();
  CAIRN_TRY(const Json connector, records_.get(params.connector_id, false, deadline));
  const std::string type = connector.string_or("service_type");
  if (types_.count(type) == 0) return ok_status();
  return refused("Cannot start an [access_control] sync for connector [" + params.connector_id +
                 "]: service type [" + type +
                 "] has no access control to sync. Start one with [job_type] [full] or "
                 "[incremental].");
}

Result<std::string> Service::create_job(const CreateSyncJob& params, const os::Deadline& deadline) {
  CAIRN_CHECK(check_runnable(params, deadline));
  CAIRN_TRY(const std::string id, jobs_.create(params, deadline));
  {
    const std::lock_guard lock(mutex_);
    work_came_ = true;
  }
  wake_.notify_one();
  return id;
}

Status Service::remove_connector(const std::string& id, bool hard, bool delete_sync_jobs,
                                 const os::Deadline& deadline) {
  CAIRN_CHECK(records_.remove(id, hard, deadline));
  if (delete_sync_jobs) CAIRN_CHECK(jobs_.remove_of_connector(id, deadline));
  if (hard) CAIRN_CHECK(SyncState::forget(store_, id, deadline));
  return ok_status();
}

void Service::work(std::stop_token stop) {
  while (!stop.stop_requested()) {
    if (run_next(stop)) continue;
    const auto due = create_due_jobs(os::Deadline::in_ms(record_wait_ms, stop));
    if (!due.ok() && !stop.stop_requested())
      os::log(os::LogLevel::warn, "connectors", "schedules could not be read",
              {{"error", due.error().message}});
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, std::chrono::milliseconds(options_.poll_ms),
                   [this] { return work_came_; });
    work_came_ = false;
  }
}

bool Service::runnable(const Json& job) const {
  const std::string status = job.string_or("status");
  return (status == "pending" || status == "suspended" || status == "in_progress") &&
         job.string_or("job_type") != "access_control" &&
         types_.count(text_at(job, "connector.service_type")) > 0;
}

/// Runs the oldest job that nobody has. False where there is none.
bool Service::run_next(const std::stop_token& stop) {
  const auto deadline = os::Deadline::in_ms(record_wait_ms, stop);
  const auto page = jobs_.list({.size = all_jobs}, deadline);
  if (!page.ok()) return false;
  for (auto at = page->results.rbegin(); at != page->results.rend(); ++at) {
    if (stop.stop_requested()) return false;
    if (!runnable(*at)) continue;
    const std::string connector = connector_of(*at);
    {
      const std::lock_guard lock(mutex_);
      if (!connectors_.insert(connector).second) continue;
    }
    const auto taken =
        jobs_.take(at->string_or("id"), worker_name_, options_.lost_worker_ms, deadline);
    if (taken.ok() && *taken) run(*at, stop);
    {
      const std::lock_guard lock(mutex_);
      connectors_.erase(connector);
    }
    if (taken.ok() && *taken) return true;
  }
  return false;
}

void Service::run(const Json& job, const std::stop_token& stop) {
  const std::string id = job.string_or("id");
  os::log(os::LogLevel::info, "connectors", "sync started",
          {{"job", id}, {"connector", connector_of(job)}});
  conclude(job, run_job(job, os::Deadline::never(stop)));
}

Result<SyncOutcome> Service::run_job(const Json& job, const os::Deadline& deadline) {
  const std::string id = job.string_or("id");
  const std::string connector = connector_of(job);
  const auto type = types_.find(text_at(job, "connector.service_type"));
  const Json* configuration = job.find_path("connector.configuration");
  if (type == types_.end() || configuration == nullptr)
    return refused("the job names no configuration");
  CAIRN_TRY(const auto source, type->second->open(*configuration));
  SyncState state(store_, connector, id);
  return run_sync({.job_id = id,
                   .connector_id = connector,
                   .index = text_at(job, "connector.index_name"),
                   .language = text_at(job, "connector.language"),
                   .incremental = job.string_or("job_type") == "incremental",
                   .source = *source,
                   .target = target_,
                   .jobs = jobs_,
                   .state = state,
                   .options = options_},
                  deadline);
}

void Service::conclude(const Json& job, const Result<SyncOutcome>& outcome) {
  const std::string id = job.string_or("id");
  const auto deadline = os::Deadline::in_ms(record_wait_ms);  // also while the process stops
  const std::string error = outcome.ok() ? "" : outcome.error().message;
  const std::string status(outcome.ok() ? outcome_status(*outcome) : "error");
  const auto finished = jobs_.finish(id, status, error, deadline);
  runs_counter(status).add();
  os::log(outcome.ok() ? os::LogLevel::info : os::LogLevel::warn, "connectors", "sync ended",
          {{"job", id}, {"status", status}, {"error", error}});
  if (!finished.ok())
    os::log(os::LogLevel::warn, "connectors", "the end of a sync could not be recorded",
            {{"job", id}, {"error", finished.error().message}});
  if (status == "suspended") return;
  const auto last = jobs_.get(id, deadline);
  if (!last.ok()) return;
  const std::string now = format_iso8601(clock_.unix_ms());
  Json members =
      Json::object({{"last_sync_status", status},
                    {"last_synced", now},
                    {"last_seen", now},
                    {"last_sync_error", error.empty() ? Json() : Json(error)},
                    {"last_indexed_document_count", last->int_or("indexed_document_count")},
                    {"last_deleted_document_count", last->int_or("deleted_document_count")},
                    {"error", error.empty() ? Json() : Json(error)}});
  if (status == "completed") members.set("status", "connected");
  if (status == "error") members.set("status", "error");
  if (const auto set = records_.set_members(connector_of(job), members, deadline); !set.ok())
    os::log(os::LogLevel::warn, "connectors", "a connector's last sync could not be recorded",
            {{"job", id}, {"error", set.error().message}});
}

/// The tick is taken and its job's id chosen in one record, so whoever finds the id makes that job:
/// once, though this process ends between any two steps.
Status Service::make_due_job(const std::string& connector, const std::string& job_type,
                             const os::Deadline& deadline) {
  CAIRN_TRY(const auto job, records_.claim_tick(connector, job_type, started_ms_, deadline));
  if (!job) return ok_status();
  const auto made = create_job({.connector_id = connector,
                                .job_type = job_type,
                                .trigger_method = "scheduled",
                                .id = *job},
                               deadline);
  const bool was_there = !made.ok() && made.error().kind == ErrorKind::precondition_failed;
  const bool cannot_be = !made.ok() && (made.error().kind == ErrorKind::invalid_argument ||
                                        made.error().kind == ErrorKind::not_found);
  if (!made.ok() && !was_there && !cannot_be) return made.error();
  if (cannot_be)
    os::log(os::LogLevel::warn, "connectors", "a scheduled sync was left out",
            {{"connector", connector}, {"error", made.error().message}});
  return records_.tick_done(connector, job_type, *job, deadline);
}

Status Service::create_due_jobs(const os::Deadline& deadline) {
  CAIRN_TRY(const auto page, records_.list({.size = all_jobs}, deadline));
  for (const Json& connector : page.results) {
    if (types_.count(connector.string_or("service_type")) == 0) continue;
    for (const std::string job_type : {"full", "incremental"}) {
      const Json* schedule = connector.find_path("scheduling." + job_type);
      if (schedule == nullptr || !schedule->bool_or("enabled")) continue;
      const std::string id = connector.string_or("id");
      CAIRN_CHECK(make_due_job(id, job_type, deadline));
    }
  }
  return ok_status();
}

}  // namespace cairn::connectors
