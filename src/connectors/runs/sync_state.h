// SPDX-License-Identifier: Apache-2.0
// What a connector's runs left in its index: one entry an item, kept in the store so that the next
// run, or the same run after a crash, knows what is done.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connectors/runs/problems.h"
#include "connectors/runs/synced_table.h"
#include "format/json.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::connectors {

/// An entry as it is kept, with its path.
struct SyncedRow {
  std::string path;
  SyncedItem item;
};

/// What the last finished run left: where walks over changes begin, and how many of them followed
/// the last walk over everything.
struct FinishedRun {
  bool is_there = false;
  std::string cursor = {};  // empty: there is none
  std::size_t walks_over_changes = 0;
};

/// Layout: state/<connector>/run/<job>/<number> holds a batch of a run; state/<connector>/current
/// names the runs that count, oldest first, of which later entries win. A walk over everything
/// leaves one run; a walk over changes adds its own. state/<connector>/place/<job> says how far the
/// walk of a run is.
class SyncState {
 public:
  using Each = std::function<Status(SyncedRow&& row)>;

  SyncState(store::Store& store, std::string connector_id, std::string job_id);

  /// Calls `each` for the entries of the runs that count, in order; none where they were made of
  /// another index than `identity`.
  Result<FinishedRun> finished(const std::string& identity, const Each& each,
                               const os::Deadline& deadline) const;
  /// The same for what this job has done so far.
  Status done(const std::string& identity, const Each& each, const os::Deadline& deadline);
  Status append(const std::string& identity, const std::vector<SyncedRow>& batch,
                const os::Deadline& deadline);
  /// How far this job's walk after `cursor` is, and what an earlier try said of that; empty:
  /// nothing. What the walk gave until there was appended before.
  Status keep_place(const std::string& identity, const std::string& cursor,
                    const std::string& place, const os::Deadline& deadline);
  Result<std::string> place(const std::string& identity, const std::string& cursor,
                            const os::Deadline& deadline) const;
  /// This job's run is the one that counts, or the last one behind those that do.
  Status finish(const std::string& identity, bool whole, const std::string& cursor,
                const os::Deadline& deadline);
  /// What this job cannot read.
  ProblemLog problem_log() const { return {store_, connector_, job_}; }
  static Status forget(store::Store& store, const std::string& connector_id,
                       const os::Deadline& deadline);

 private:
  std::string prefix_of(const std::string& run) const { return runs_prefix_ + run + "/"; }
  Result<Json> current(const std::string& identity, const os::Deadline& deadline) const;
  Status walk_run(const std::string& run, const std::string& identity, const Each& each,
                  std::size_t* next_batch, const os::Deadline& deadline) const;
  Status drop_other_runs(const std::vector<std::string>& kept, const os::Deadline& deadline);
  Status drop_places(const os::Deadline& deadline);

  store::Store& store_;
  std::string connector_;
  std::string current_key_;
  std::string runs_prefix_;
  std::string places_prefix_;
  std::string job_;
  std::size_t next_batch_ = 0;
};

}  // namespace cairn::connectors
