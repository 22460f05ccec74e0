// SPDX-License-Identifier: Apache-2.0
// One sync run from a source to an index.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "connectors/configuration.h"
#include "connectors/isolation/extractor.h"
#include "connectors/new_index.h"
#include "connectors/options.h"
#include "connectors/records/sync_jobs.h"
#include "connectors/records/sync_rules.h"
#include "connectors/runs/sync_state.h"
#include "connectors/source.h"
#include "connectors/target.h"

namespace cairn::connectors {

enum class SyncOutcome { completed, canceled, suspended };

/// What a run works on. The references outlive the run.
struct SyncRunParams {
  std::string job_id;
  std::string index;
  NewIndex wanted = {};      // of the index, where it is not there
  bool incremental = false;  // full reads and writes every item; incremental those that changed
  std::int64_t error_budget = error_budget_default;  // items that may fail before the run does
  SyncRules rules = {};                              // which documents are taken
  std::string configuration_mark = {};  // another one: cursors of earlier runs are not used
  Source& source;
  Target& target;
  Extractor& extractor;
  bool rows = false;  // of tables are documents
  std::vector<std::string> told = {};  // the items to look at, where the source can; none: all
  SyncJobs& jobs;
  SyncState& state;
  const Options& options;
};

/// Runs to the end, to a cancel request, or to the deadline's stop, which suspends. Reports figures
/// after each batch. Both kinds delete what vanished from the source. An incremental run walks over
/// changes where the source can tell them, and every 32nd time over everything; of items that
/// somebody named over those alone, and every 129th time over everything. Items that cannot be read
/// are counted and named in the job's metadata; they keep the documents that an earlier run wrote.
/// Memory: a batch, a page of the walk, and 56 bytes for each item of the last run. Errors: of the
/// store, the target, or the source as a whole; unavailable where more items failed than the error
/// budget has. The job may be run again.
Result<SyncOutcome> run_sync(SyncRunParams params, const os::Deadline& deadline);

}  // namespace cairn::connectors
