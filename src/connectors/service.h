// SPDX-License-Identifier: Apache-2.0
// The connector service: records, jobs, and the threads that run them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "connectors/isolation/extractor.h"
#include "connectors/options.h"
#include "connectors/records/connector_secrets.h"
#include "connectors/records/records.h"
#include "connectors/records/sync_jobs.h"
#include "connectors/runs/problems.h"
#include "connectors/runs/sync_run.h"
#include "connectors/source.h"
#include "connectors/target.h"
#include "connectors/told_changes.h"
#include "os/clock.h"
#include "os/random.h"
#include "os/threads/thread.h"
#include "store/store.h"

namespace cairn::connectors {

/// Runs jobs whose service type it knows; jobs of other types wait for the connector service that
/// the operator runs. Construct, then start(); the destructor suspends what runs and joins.
class Service {
 public:
  /// The references outlive it.
  Service(store::Store& store, Target& target, Extractor& extractor, SourceTypes types,
          Options options, const os::Clock& clock, os::Random& random, Seal seal = {});
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Takes up again what a former process of this machine left running.
  Status start();
  /// Suspends what runs and waits for it. Further jobs stay pending.
  void stop();

  Records& records() { return records_; }
  SyncJobs& jobs() { return jobs_; }
  ConnectorSecrets& secrets() { return secrets_; }
  /// As SyncJobs::create, and wakes a worker. Errors: status_exception for an access_control job
  /// of a source that runs here and tells of none.
  Result<std::string> create_job(const CreateSyncJob& params, const os::Deadline& deadline);
  /// A connector service elsewhere has done a job. Errors: status_exception for one that is not in
  /// progress.
  Status complete_job(const std::string& id, const os::Deadline& deadline);
  /// Somebody says what changed in the source of a connector: a sync follows soon. False where that
  /// is nothing that the connector reads. Durable when it returns. Errors:
  /// resource_not_found_exception; status_exception for a kind of source that is told nothing;
  /// illegal_argument_exception for what is no word of its changes.
  Result<bool> take_event(const std::string& connector, const Json& event,
                          const os::Deadline& deadline);
  /// As Records::remove; deletes the connector's jobs too when asked.
  Status remove_connector(const std::string& id, bool hard, bool delete_sync_jobs,
                          const os::Deadline& deadline);

  /// No job of the connector runs from now on: one that does is suspended at a place it goes on
  /// from, schedules and watches rest, and jobs that are made wait. Durable when it returns; the
  /// run may need some seconds more. False where it was so. Errors: resource_not_found_exception;
  /// status_exception, where a connector service elsewhere runs its jobs.
  Result<bool> pause(const std::string& connector, const os::Deadline& deadline);
  /// Ends that. What was suspended goes on; what schedules missed is not made up for.
  Result<bool> resume(const std::string& connector, const os::Deadline& deadline);

  // A look at the source of a connector before a sync; nothing is written. Errors of all three:
  // resource_not_found_exception; status_exception where its service type does not run here or its
  // configuration cannot work. Errors of the last two: status_exception, where the source as a
  // whole cannot be read.
  /// Whether it can be reached and read: {"ok", and "source" (what it says of itself) or "error"}.
  Result<Json> test_source(const std::string& connector, const os::Deadline& deadline) const;
  /// As preview_documents().
  Result<Json> preview(const std::string& connector, std::size_t documents,
                       const os::Deadline& deadline) const;
  /// What the last run could not read. Errors: resource_not_found_exception.
  Result<ProblemPage> problems(const std::string& connector, std::size_t from, std::size_t size,
                               const os::Deadline& deadline) const;
  /// As dry_run().
  Result<Json> count_source(const std::string& connector, const os::Deadline& deadline) const;

  /// Creates the jobs whose schedule has come. Called by a worker at each poll.
  Status create_due_jobs(const os::Deadline& deadline);
  Status make_due_job(const std::string& connector, const std::string& job_type,
                      const os::Deadline& deadline);

 private:
  Result<std::unique_ptr<Source>> open_source(const std::string& connector, const Json& record,
                                              const os::Deadline& deadline) const;
  Status recover(const os::Deadline& deadline);
  Status forget_paths_of_ended_jobs(const os::Deadline& deadline);
  Result<std::vector<std::string>> paths_of_job(const std::string& job,
                                                const os::Deadline& deadline) const;
  void work(std::stop_token stop);
  void watch(const std::stop_token& stop);
  bool run_next(const std::stop_token& stop);
  void run(const Json& job, const std::stop_token& stop);
  Result<SyncOutcome> run_job(const Json& job, const os::Deadline& deadline);
  Result<SyncOutcome> run_access_control(const Json& job, Source& source,
                                         const os::Deadline& deadline);
  Status record_last_access_control(const Json& job, const std::string& status,
                                    const std::string& error, const os::Deadline& deadline);
  void conclude(const Json& job, const Result<SyncOutcome>& outcome);
  Status record_last_sync(const Json& job, const std::string& status, const std::string& error,
                          const os::Deadline& deadline);
  bool runnable(const Json& job) const;
  bool is_paused(const std::string& connector, const os::Deadline& deadline) const;
  Result<bool> set_paused(const std::string& connector, bool paused, const os::Deadline& deadline);
  Status check_runnable(const CreateSyncJob& params, const os::Deadline& deadline) const;

  store::Store& store_;
  Target& target_;
  Extractor& extractor_;
  SourceTypes types_;
  Options options_;
  const os::Clock& clock_;
  os::Random& random_;
  Records records_;
  SyncJobs jobs_;
  ConnectorSecrets secrets_;
  ToldChanges told_;
  std::string worker_name_;
  std::atomic<std::int64_t> ticks_after_ms_;  // this process began, or its clock was set back

  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool work_came_ = false;            // guarded by mutex_
  std::map<std::string, std::stop_source>
      runs_;  // in this process, by connector; guarded by mutex_
  std::vector<os::Thread> workers_;
  os::Thread watcher_;
};

}  // namespace cairn::connectors
