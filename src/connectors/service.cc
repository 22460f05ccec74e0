// SPDX-License-Identifier: Apache-2.0
#include "connectors/service.h"

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"

#include "connectors/access_control.h"
#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/records/sync_jobs.h"
#include "connectors/runs/probe.h"
#include "connectors/watches.h"
#include "format/time.h"
#include "os/host.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/spans.h"

namespace cairn::connectors {
namespace {

constexpr std::string_view access_control_job = "access_control";
constexpr std::int64_t record_wait_ms = 30'000;  // for reading and writing records
constexpr std::size_t all_jobs = 1'000'000;
constexpr std::int64_t watch_look_ms = 300'000;  // at all watched sources once

std::string text_at(const Json& value, std::string_view path) {
  const Json* found = value.find_path(path);
  return found != nullptr && found->is_string() ? found->as_string() : std::string();
}

constexpr std::string_view job_paths_prefix = "told_job/";

std::string job_paths_key(const std::string& job) { return std::string(job_paths_prefix) + job; }

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

/// The same for the same values, whatever their labels.
std::string mark_of(const Json& configuration) {
  std::string values;
  for (const auto& [name, entry] : configuration.as_object())
    values += name + "=" + configured(configuration, name).dump() + "\n";
  return to_hex(sha256(values)).substr(0, 16);
}

Error cannot_be_read(const std::string& connector, const Error& error) {
  return refused("The source of connector [" + connector + "] cannot be read: " + error.message);
}

os::Counter& runs_counter(std::string_view status) {
  return os::metrics().counter("cairn_connectors_sync_jobs_total", "Sync runs by how they ended.",
                               {{"status", std::string(status)}});
}

os::Gauge& running_gauge() {
  return os::metrics().gauge("cairn_connectors_syncs_running", "Sync runs that are under way");
}

void count_documents(const char* kind, std::int64_t count) {
  if (count > 0)
    os::metrics()
        .counter("cairn_connectors_documents_total", "Documents that ended sync runs wrote",
                 {{"kind", kind}})
        .add(static_cast<std::uint64_t>(count));
}

/// A run that is seen while it lasts.
class RunningSync {
 public:
  RunningSync() { running_gauge().add(1); }
  ~RunningSync() { running_gauge().add(-1); }
  RunningSync(const RunningSync&) = delete;
  RunningSync& operator=(const RunningSync&) = delete;
};

}  // namespace

Service::Service(store::Store& store, Target& target, Extractor& extractor, SourceTypes types,
                 Options options, const os::Clock& clock, os::Random& random, Seal seal)
    : store_(store),
      target_(target),
      extractor_(extractor),
      types_(std::move(types)),
      options_(std::move(options)),
      clock_(clock),
      random_(random),
      records_(store, types_, clock, random, seal),
      jobs_(store, records_, clock, random),
      secrets_(store, std::move(seal), random),
      told_(store),
      worker_name_(os::host_name()),
      ticks_after_ms_(clock.unix_ms()) {}

Service::~Service() { stop(); }

Status Service::start() {
  CAIRN_CHECK(recover(os::Deadline::in_ms(record_wait_ms)));
  for (std::size_t i = 0; i < options_.workers; ++i) {
    CAIRN_TRY(auto worker,
              os::Thread::start_stoppable({.name = "cairn-sync", .nice = 5},
                                          [this](std::stop_token stop) { work(std::move(stop)); }));
    workers_.push_back(std::move(worker));
  }
  CAIRN_TRY(watcher_, os::Thread::start_stoppable({.name = "cairn-watch", .nice = 5},
                                                  [this](std::stop_token stop) { watch(stop); }));
  return ok_status();
}

void Service::stop() {
  watcher_.request_stop();
  for (auto& worker : workers_) worker.request_stop();
  workers_.clear();
  watcher_ = {};
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
  return forget_paths_of_ended_jobs(deadline);
}

Status Service::forget_paths_of_ended_jobs(const os::Deadline& deadline) {
  std::vector<std::string> keys;
  CAIRN_CHECK(store::for_each_object(
      store_, job_paths_prefix, deadline, [&](const store::ObjectInfo& info) -> Status {
        const auto job = jobs_.get(info.key.substr(job_paths_prefix.size()), deadline);
        const bool is_gone = !job.ok() && job.error().kind == ErrorKind::not_found;
        if (is_gone || (job.ok() && !is_unended(*job))) keys.push_back(info.key);
        return ok_status();
      }));
  for (const std::string& key : keys) CAIRN_CHECK(store_.remove(key, deadline));
  return ok_status();
}

/// Those that a job has to look at; none: all.
Result<std::vector<std::string>> Service::paths_of_job(const std::string& job,
                                                       const os::Deadline& deadline) const {
  const auto kept = store_.get(job_paths_key(job), deadline);
  if (kept.ok()) return decode_paths(kept->bytes);
  if (kept.error().kind == ErrorKind::not_found) return std::vector<std::string>();
  return kept.error();
}

// Where the source does not tell who may read what, nobody else runs such a job: it would wait for
// ever.
Status Service::check_runnable(const CreateSyncJob& params, const os::Deadline& deadline) const {
  if (params.job_type != access_control_job) return ok_status();
  CAIRN_TRY(const Json connector, records_.get(params.connector_id, false, deadline));
  const auto type = types_.find(connector.string_or("service_type"));
  if (type == types_.end()) return ok_status();
  const Json* configuration = connector.find("configuration");
  if (configuration != nullptr && type->second->has_access_control(*configuration))
    return ok_status();
  return refused("Cannot start an [access_control] sync for connector [" + params.connector_id +
                 "]: its source, service type [" + type->first +
                 "], tells of no access control. Set [use_document_level_security] where the type "
                 "has it, or start a job with [job_type] [full] or [incremental].");
}

Result<std::string> Service::create_job(const CreateSyncJob& params, const os::Deadline& deadline) {
  CAIRN_CHECK(check_runnable(params, deadline));
  // The job finds them, whenever it runs.
  if (!params.paths.empty())
    CAIRN_CHECK(store_.put(job_paths_key(params.id), encode_paths(params.paths), deadline));
  CAIRN_TRY(const std::string id, jobs_.create(params, deadline));
  {
    const std::lock_guard lock(mutex_);
    work_came_ = true;
  }
  wake_.notify_one();
  return id;
}

Status Service::complete_job(const std::string& id, const os::Deadline& deadline) {
  CAIRN_CHECK(jobs_.finish(id, "completed", "", deadline));
  CAIRN_TRY(const Json job, jobs_.get(id, deadline));
  return record_last_sync(job, "completed", "", deadline);
}

Status Service::remove_connector(const std::string& id, bool hard, bool delete_sync_jobs,
                                 const os::Deadline& deadline) {
  CAIRN_CHECK(records_.remove(id, hard, deadline));
  if (delete_sync_jobs) CAIRN_CHECK(jobs_.remove_of_connector(id, deadline));
  if (hard) CAIRN_CHECK(SyncState::forget(store_, id, deadline));
  return ok_status();
}

Result<bool> Service::take_event(const std::string& connector, const Json& event,
                                 const os::Deadline& deadline) {
  CAIRN_TRY(const Json record, records_.get(connector, false, deadline));
  const auto type = types_.find(record.string_or("service_type"));
  const Json* configuration = record.find("configuration");
  if (type == types_.end() || configuration == nullptr)
    return refused("Connector [" + connector + "] has the service type [" +
                   record.string_or("service_type") + "], which is told of no changes here.");
  CAIRN_TRY(const ToldChange told, type->second->concerns(*configuration, event));
  if (told.concerns) CAIRN_CHECK(told_.add(connector, told.paths, deadline));
  return told.concerns;
}

Result<bool> Service::set_paused(const std::string& connector, bool paused,
                                 const os::Deadline& deadline) {
  CAIRN_TRY(const Json record, records_.get(connector, false, deadline));
  if (types_.find(record.string_or("service_type")) == types_.end())
    return refused("Connector [" + connector + "] has the service type [" +
                   record.string_or("service_type") +
                   "], whose syncs a connector service elsewhere runs: pause it there.");
  return records_.set_paused(connector, paused, deadline);
}

Result<bool> Service::pause(const std::string& connector, const os::Deadline& deadline) {
  CAIRN_TRY(const bool changed, set_paused(connector, true, deadline));
  // A run that looked before the record said so stands here by now.
  const std::lock_guard lock(mutex_);
  if (const auto run = runs_.find(connector); run != runs_.end()) run->second.request_stop();
  return changed;
}

Result<bool> Service::resume(const std::string& connector, const os::Deadline& deadline) {
  CAIRN_TRY(const bool changed, set_paused(connector, false, deadline));
  {
    const std::lock_guard lock(mutex_);
    work_came_ = true;
  }
  wake_.notify_one();
  return changed;
}

/// A record that cannot be read stops nothing: the job fails by itself.
bool Service::is_paused(const std::string& connector, const os::Deadline& deadline) const {
  const auto record = records_.get(connector, false, deadline);
  return record.ok() && record->bool_or("paused");
}

Result<std::unique_ptr<Source>> Service::open_source(const std::string& connector,
                                                     const Json& record,
                                                     const os::Deadline& deadline) const {
  const auto type = types_.find(record.string_or("service_type"));
  const Json* configuration = record.find("configuration");
  if (type == types_.end() || configuration == nullptr)
    return refused("Connector [" + connector + "] has the service type [" +
                   record.string_or("service_type") +
                   "], whose source is read by a connector service elsewhere.");
  CAIRN_TRY(const Json clear, records_.with_secrets(connector, *configuration, deadline));
  return type->second->open(clear);
}

Result<Json> Service::test_source(const std::string& connector,
                                  const os::Deadline& deadline) const {
  CAIRN_TRY(const Json record, records_.get(connector, false, deadline));
  CAIRN_TRY(const auto source, open_source(connector, record, deadline));
  auto facts = source->check(deadline);
  CAIRN_CHECK(deadline.check("testing the source"));
  if (facts.ok()) return Json::object({{"ok", true}, {"source", *std::move(facts)}});
  const Error& error = facts.error();
  return Json::object(
      {{"ok", false},
       {"error", Json::object({{"type", error.code.empty() ? name_of(error.kind) : error.code},
                               {"reason", error.message}})}});
}

Result<Json> Service::preview(const std::string& connector, std::size_t documents,
                              const os::Deadline& deadline) const {
  CAIRN_TRY(const Json record, records_.get(connector, false, deadline));
  CAIRN_TRY(const auto source, open_source(connector, record, deadline));
  CAIRN_TRY(const bool rows, rows_are_documents(*record.find("configuration")));
  auto found = preview_documents(
      *source, {.count = documents, .extractor = extractor_, .rows = rows}, deadline);
  CAIRN_CHECK(deadline.check("looking at the source"));
  if (!found.ok()) return cannot_be_read(connector, found.error());
  return found;
}

Result<ProblemPage> Service::problems(const std::string& connector, std::size_t from,
                                      std::size_t size, const os::Deadline& deadline) const {
  CAIRN_CHECK(records_.get(connector, false, deadline));
  return ProblemLog::page(store_, connector, from, size, deadline);
}

Result<Json> Service::count_source(const std::string& connector,
                                   const os::Deadline& deadline) const {
  CAIRN_TRY(const Json record, records_.get(connector, false, deadline));
  CAIRN_TRY(const auto source, open_source(connector, record, deadline));
  CAIRN_TRY(const auto identity,
            target_.identity_if_there(record.string_or("index_name"), deadline));
  const SyncState state(store_, connector, "");
  auto counts = dry_run(*source, state, identity, deadline);
  CAIRN_CHECK(deadline.check("counting the source"));
  if (!counts.ok()) return cannot_be_read(connector, counts.error());
  return counts;
}

void Service::watch(const std::stop_token& stop) {
  Watches watches(
      records_, jobs_, told_, types_,
      [&](const CreateSyncJob& job) {
        return create_job(job, os::Deadline::in_ms(record_wait_ms, stop));
      },
      clock_, random_);
  const auto stopped = os::Deadline::never(stop);
  while (!stop.stop_requested()) {
    watches.look(os::Deadline::in_ms(watch_look_ms, stop));
    os::sleep_ms(Watches::look_every_ms, stopped);
  }
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
  return types_.count(text_at(job, "connector.service_type")) > 0;
}

/// Runs the oldest job that nobody has. False where there is none.
bool Service::run_next(const std::stop_token& stop) {
  const auto deadline = os::Deadline::in_ms(record_wait_ms, stop);
  const auto jobs = jobs_.unended(deadline);
  if (!jobs.ok()) return false;
  for (const Json& job : *jobs) {
    if (stop.stop_requested()) return false;
    if (!runnable(job)) continue;
    const std::string connector = connector_of(job);
    std::stop_source ends;
    {
      const std::lock_guard lock(mutex_);
      if (!runs_.emplace(connector, ends).second) continue;
    }
    // Whoever pauses it later finds it among the runs.
    const bool paused = is_paused(connector, deadline);
    const auto taken =
        paused ? Result<bool>(false)
               : jobs_.take(job.string_or("id"), worker_name_, options_.lost_worker_ms, deadline);
    if (taken.ok() && *taken) {
      const std::stop_callback with_all(stop, [&ends] { ends.request_stop(); });
      run(job, ends.get_token());
    }
    {
      const std::lock_guard lock(mutex_);
      runs_.erase(connector);
    }
    if (taken.ok() && *taken) return true;
  }
  return false;
}

void Service::run(const Json& job, const std::stop_token& stop) {
  const std::string id = job.string_or("id");
  os::log(os::LogLevel::info, "connectors", "sync started",
          {{"job", id}, {"connector", connector_of(job)}});
  const RunningSync running;
  os::TracedJob traced("sync");
  const auto outcome = run_job(job, os::Deadline::never(stop));
  if (!outcome.ok()) traced.fail(name_of(outcome.error().kind));
  conclude(job, outcome);
}

Result<SyncOutcome> Service::run_job(const Json& job, const os::Deadline& deadline) {
  const std::string id = job.string_or("id");
  const std::string connector = connector_of(job);
  const auto type = types_.find(text_at(job, "connector.service_type"));
  const Json* configuration = job.find_path("connector.configuration");
  if (type == types_.end() || configuration == nullptr)
    return refused("the job names no configuration");
  CAIRN_TRY(const Json clear, records_.with_secrets(connector, *configuration, deadline));
  CAIRN_TRY(const auto source, type->second->open(clear));
  CAIRN_TRY(const std::int64_t error_budget, error_budget_of(*configuration));
  CAIRN_TRY(const bool rows, rows_are_documents(*configuration));
  const Json* filtering = job.find_path("connector.filtering");
  CAIRN_TRY(const SyncRules rules, SyncRules::of(filtering == nullptr ? Json() : *filtering));
  const bool of_identities = job.string_or("job_type") == access_control_job;
  if (of_identities) return run_access_control(job, *source, deadline);
  SyncState state(store_, connector, id);
  NewIndex wanted = new_index_of(*configuration, text_at(job, "connector.language"));
  wanted.tells_readers = type->second->has_access_control(*configuration);
  CAIRN_TRY(auto told, paths_of_job(id, deadline));
  return run_sync({.job_id = id,
                   .index = text_at(job, "connector.index_name"),
                   .wanted = std::move(wanted),
                   .incremental = job.string_or("job_type") == "incremental",
                   .error_budget = error_budget,
                   .rules = rules,
                   .configuration_mark = mark_of(*configuration),
                   .source = *source,
                   .target = target_,
                   .extractor = extractor_,
                   .rows = rows,
                   .told = std::move(told),
                   .jobs = jobs_,
                   .state = state,
                   .options = options_},
                  deadline);
}

/// Its records are apart from those of the documents, which are in another index.
Result<SyncOutcome> Service::run_access_control(const Json& job, Source& source,
                                                const os::Deadline& deadline) {
  const std::string id = job.string_or("id");
  const auto identities = identities_of(source);
  SyncState state(store_, connector_of(job) + "/" + std::string(access_control_job), id);
  return run_sync({.job_id = id,
                   .index = text_at(job, "connector.index_name"),
                   .wanted = {.of_identities = true},
                   .source = *identities,
                   .target = target_,
                   .extractor = extractor_,
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
  auto finished = jobs_.finish(id, status, error, deadline);
  // One that was to end has ended, whoever stopped it.
  if (!finished.ok() && status == "suspended")
    finished = jobs_.finish(id, "canceled", error, deadline);
  runs_counter(status).add();
  os::log(outcome.ok() ? os::LogLevel::info : os::LogLevel::warn, "connectors", "sync ended",
          {{"job", id}, {"status", status}, {"error", error}});
  if (!finished.ok())
    os::log(os::LogLevel::warn, "connectors", "the end of a sync could not be recorded",
            {{"job", id}, {"error", finished.error().message}});
  if (status == "suspended") return;
  if (id.starts_with(Watches::job_prefix)) (void)store_.remove(job_paths_key(id), deadline);
  const auto last = jobs_.get(id, deadline);
  if (!last.ok()) return;
  count_documents("indexed", last->int_or("indexed_document_count"));
  count_documents("deleted", last->int_or("deleted_document_count"));
  if (status == "completed")
    os::metrics()
        .gauge("cairn_connectors_last_success_timestamp_seconds",
               "When a sync of the connector was last completed, in Unix time",
               {{"connector", os::shown_name("connector", connector_of(job))}})
        .set(clock_.unix_ms() / 1000);
  if (const auto set = record_last_sync(*last, status, error, deadline); !set.ok())
    os::log(os::LogLevel::warn, "connectors", "a connector's last sync could not be recorded",
            {{"job", id}, {"error", set.error().message}});
}

/// The figures of a job that has ended, in the record of its connector.
Status Service::record_last_sync(const Json& job, const std::string& status,
                                 const std::string& error, const os::Deadline& deadline) {
  const std::string now = format_iso8601(clock_.unix_ms());
  if (job.string_or("job_type") == access_control_job)
    return record_last_access_control(job, status, error, deadline);
  Json members =
      Json::object({{"last_sync_status", status},
                    {"last_synced", now},
                    {"last_seen", now},
                    {"last_sync_error", error.empty() ? Json() : Json(error)},
                    {"last_indexed_document_count", job.int_or("indexed_document_count")},
                    {"last_deleted_document_count", job.int_or("deleted_document_count")},
                    {"error", error.empty() ? Json() : Json(error)}});
  if (status == "completed") members.set("status", "connected");
  if (status == "error") members.set("status", "error");
  CAIRN_CHECK(records_.set_members(connector_of(job), members, deadline));
  return ok_status();
}

Status Service::record_last_access_control(const Json& job, const std::string& status,
                                           const std::string& error, const os::Deadline& deadline) {
  const Json members =
      Json::object({{"last_access_control_sync_status", status},
                    {"last_access_control_sync_error", error.empty() ? Json() : Json(error)},
                    {"last_seen", format_iso8601(clock_.unix_ms())}});
  CAIRN_CHECK(records_.set_members(connector_of(job), members, deadline));
  return ok_status();
}

/// The tick is taken and its job's id chosen in one record, so whoever finds the id makes that job:
/// once, though this process ends between any two steps.
Status Service::make_due_job(const std::string& connector, const std::string& job_type,
                             const os::Deadline& deadline) {
  CAIRN_TRY(const auto job, records_.claim_tick(connector, job_type, ticks_after_ms_, deadline));
  if (!job) return ok_status();
  const auto made = create_job(
      {.connector_id = connector, .job_type = job_type, .trigger_method = "scheduled", .id = *job},
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
  // Where the clock was set back, ticks count from that moment: they would wait until it is again
  // what it was at the start.
  std::int64_t after_ms = ticks_after_ms_, now_ms = clock_.unix_ms();
  while (now_ms < after_ms && !ticks_after_ms_.compare_exchange_weak(after_ms, now_ms)) continue;
  CAIRN_TRY(const auto due, records_.due_ticks(ticks_after_ms_, deadline));
  for (const DueTick& tick : due)
    CAIRN_CHECK(make_due_job(tick.connector_id, tick.job_type, deadline));
  return ok_status();
}

}  // namespace cairn::connectors
