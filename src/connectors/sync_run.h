// SPDX-License-Identifier: Apache-2.0
// One sync run from a source to an index.
#pragma once

#include <string>

#include "base/result.h"
#include "connectors/options.h"
#include "connectors/source.h"
#include "connectors/sync_jobs.h"
#include "connectors/sync_state.h"
#include "connectors/target.h"

namespace cairn::connectors {

enum class SyncOutcome { completed, canceled, suspended };

/// What a run works on. The references outlive the run.
struct SyncRunParams {
  std::string job_id;
  std::string connector_id;
  std::string index;
  std::string language = {};  // of the texts; empty: any
  bool incremental = false;  // full reads and writes every item; incremental those that changed
  Source& source;
  Target& target;
  SyncJobs& jobs;
  SyncState& state;
  const Options& options;
};

/// Runs to the end, to a cancel request, or to the deadline's stop, which suspends. Reports figures
/// after each batch. Both kinds delete what vanished from the source. Items that cannot be read are
/// counted and named in the job's metadata; they keep the document that an earlier run wrote.
/// Errors: of the store, the target, or the source as a whole; the job may be run again.
Result<SyncOutcome> run_sync(SyncRunParams params, const os::Deadline& deadline);

/// The document id of an item: 20 url-safe characters of the SHA-256 of its path.
std::string document_id(std::string_view path);

}  // namespace cairn::connectors
