// SPDX-License-Identifier: Apache-2.0
// What a connector's last runs left in its index: one entry an item, kept in the store so that the
// next run, or the same run after a crash, knows what is done.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::connectors {

struct SyncedItem {
  std::string version;
  std::string content_hash;
  bool indexed = false;      // written in this run, not merely found unchanged
  std::uint64_t bytes = 0;   // of text
};

using SyncedItems = std::map<std::string, SyncedItem>;  // by path

/// Layout: state/<connector>/current holds the whole after a run that ended; state/<connector>/run/
/// <job>/<number> holds a batch of a run that goes on.
class SyncState {
 public:
  SyncState(store::Store& store, std::string connector_id, std::string job_id);

  /// What the last finished run left in the index `identity`; empty where the index is another one.
  Result<SyncedItems> finished(const std::string& identity, const os::Deadline& deadline) const;
  /// What this job has done so far.
  Result<SyncedItems> done(const std::string& identity, const os::Deadline& deadline);
  Status append(const std::string& identity, const SyncedItems& batch, const os::Deadline& deadline);
  /// Replaces the whole and drops the batches of this job.
  Status finish(const std::string& identity, const SyncedItems& all, const os::Deadline& deadline);
  static Status forget(store::Store& store, const std::string& connector_id,
                       const os::Deadline& deadline);

 private:
  store::Store& store_;
  std::string current_key_;
  std::string run_prefix_;
  std::size_t next_batch_ = 0;
};

}  // namespace cairn::connectors
