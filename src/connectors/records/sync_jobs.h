// SPDX-License-Identifier: Apache-2.0
// Sync jobs: their records and states.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "connectors/records/record_store.h"
#include "connectors/records/records.h"

namespace cairn::connectors {

struct CreateSyncJob {
  std::string connector_id = {};
  std::string job_type = "full";             // full, incremental, access_control
  std::string trigger_method = "on_demand";  // or scheduled
  std::string id = {};                       // of the job; empty: a new one
  std::vector<std::string> paths = {};       // items to look at; none: all. Then with an id
};

struct ListSyncJobs {
  std::size_t from = 0;
  std::size_t size = 100;
  std::string status = {};
  std::string connector_id = {};
  std::vector<std::string> job_types = {};
};

struct SyncJobPage {
  std::size_t count = 0;
  std::vector<Json> results;  // newest first, with `id`
};

/// What a run reports while it goes on.
struct SyncProgress {
  std::int64_t indexed_document_count = 0;
  std::int64_t deleted_document_count = 0;
  std::int64_t indexed_bytes = 0;
  std::int64_t total_document_count = 0;
  Json metadata = Json::object();
};

/// Sync job documents. Safe from any thread; changes are durable when a call returns.
/// States: pending, in_progress, canceling, canceled, suspended, completed, error.
class SyncJobs {
 public:
  SyncJobs(store::Store& store, const Records& connectors, const os::Clock& clock,
           os::Random& random);

  /// Errors: resource_not_found_exception; status_exception without an index or service type.
  Result<std::string> create(const CreateSyncJob& params, const os::Deadline& deadline);
  Result<Json> get(const std::string& id, const os::Deadline& deadline) const;
  Result<SyncJobPage> list(const ListSyncJobs& params, const os::Deadline& deadline) const;
  /// Those that run or will, with `id`, oldest first, from memory (RecordStore::known).
  Result<std::vector<Json>> unended(const os::Deadline& deadline);
  Status remove(const std::string& id, const os::Deadline& deadline);
  Status remove_of_connector(const std::string& connector_id, const os::Deadline& deadline);

  /// pending and suspended jobs end at once; a running one is asked to end.
  Status cancel(const std::string& id, const os::Deadline& deadline);
  Status check_in(const std::string& id, const os::Deadline& deadline);
  /// Takes a pending, suspended or canceled job. Errors: status_exception in any other state.
  Status claim(const std::string& id, const std::string& worker, const Json* sync_cursor,
               const os::Deadline& deadline);
  Status fail(const std::string& id, const std::string& error, const os::Deadline& deadline);
  Status set_stats(const std::string& id, const Json& stats, const os::Deadline& deadline);

  // For the service that runs jobs.
  /// Takes a pending or suspended job, or one whose worker is lost, for `worker`. False when
  /// somebody else has it. A worker is lost that has shown no sign of life since this object first
  /// saw its last one, by the steady clock: what it noted is of a clock of another machine.
  Result<bool> take(const std::string& id, const std::string& worker, std::int64_t lost_after_ms,
                    const os::Deadline& deadline);
  /// Writes the figures and a sign of life. The status of the job after that: `canceling` asks the
  /// run to end.
  Result<std::string> report(const std::string& id, const SyncProgress& progress,
                             const os::Deadline& deadline);
  /// Ends or suspends a run. Errors: status_exception for an impossible move.
  Status finish(const std::string& id, std::string_view status, const std::string& error,
                const os::Deadline& deadline);

 private:
  /// The last sign of life of a job's worker, and when it was first seen.
  struct Sign {
    std::string text;
    std::int64_t since_ns = 0;
  };
  Result<Json> update(const std::string& id, const Change& change, const os::Deadline& deadline);
  bool is_silent(const std::string& id, const Json& job, std::int64_t lost_after_ms);

  RecordStore records_;
  const Records& connectors_;
  const os::Clock& clock_;
  os::Random& random_;
  Mutex mutex_;
  std::map<std::string, Sign> signs_ CAIRN_GUARDED_BY(mutex_);  // of jobs in progress, by id
};

/// Whether a job runs, or will.
bool is_unended(const Json& job);

/// The connector that a job belongs to; empty where it names none.
std::string connector_of(const Json& job);

}  // namespace cairn::connectors
