// SPDX-License-Identifier: Apache-2.0
// The connector service: records, jobs, and the threads that run them.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "connectors/options.h"
#include "connectors/records.h"
#include "connectors/source.h"
#include "connectors/sync_jobs.h"
#include "connectors/sync_run.h"
#include "connectors/target.h"
#include "os/clock.h"
#include "os/random.h"
#include "os/threads/thread.h"
#include "store/store.h"

namespace cairn::connectors {

/// Runs jobs whose service type it knows; jobs of other types wait for the connector service that
/// the operator runs. Construct, then start(); the destructor suspends what runs and joins.
class Service {
 public:
  Service(store::Store& store, Target& target, SourceTypes types, Options options,
          const os::Clock& clock, os::Random& random);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Takes up again what a former process of this machine left running.
  Status start();
  /// Suspends what runs and waits for it. Further jobs stay pending.
  void stop();

  Records& records() { return records_; }
  SyncJobs& jobs() { return jobs_; }
  /// As SyncJobs::create, and wakes a worker. Errors: status_exception for an access_control job
  /// of a service type that runs here.
  Result<std::string> create_job(const CreateSyncJob& params, const os::Deadline& deadline);
  /// As Records::remove; deletes the connector's jobs too when asked.
  Status remove_connector(const std::string& id, bool hard, bool delete_sync_jobs,
                          const os::Deadline& deadline);

  /// Creates the jobs whose schedule has come. Called by a worker at each poll.
  Status create_due_jobs(const os::Deadline& deadline);
  Status make_due_job(const std::string& connector, const std::string& job_type,
                      const os::Deadline& deadline);

 private:
  Status recover(const os::Deadline& deadline);
  void work(std::stop_token stop);
  bool run_next(const std::stop_token& stop);
  void run(const Json& job, const std::stop_token& stop);
  Result<SyncOutcome> run_job(const Json& job, const os::Deadline& deadline);
  void conclude(const Json& job, const Result<SyncOutcome>& outcome);
  bool runnable(const Json& job) const;
  Status check_runnable(const CreateSyncJob& params, const os::Deadline& deadline) const;

  store::Store& store_;
  Target& target_;
  SourceTypes types_;
  Options options_;
  const os::Clock& clock_;
  Records records_;
  SyncJobs jobs_;
  std::string worker_name_;
  std::int64_t started_ms_;

  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool work_came_ = false;            // guarded by mutex_
  std::set<std::string> connectors_;  // with a run in this process; guarded by mutex_
  std::vector<os::Thread> workers_;
};

}  // namespace cairn::connectors
