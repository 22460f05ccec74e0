// SPDX-License-Identifier: Apache-2.0
// The list of snapshots of a repository. Each change writes the next generation, which must not be
// there yet: whoever was faster wins, the other one looks again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::snapshots {

/// The facts of one snapshot, as the API shows them.
struct SnapshotRecord {
  std::string name;
  std::string uuid;
  std::string state = "SUCCESS";  // SUCCESS, PARTIAL, FAILED; IN_PROGRESS while it is made
  std::string version;
  std::int64_t start_ms = 0;
  std::int64_t end_ms = 0;
  bool include_global_state = true;
  Json metadata;                               // null: none
  std::map<std::string, std::string> indices;  // name to id in the repository
  Json failures = Json::array();
  Json data_streams = Json::object();  // index::StreamTable::to_json(), of those that are in it
  Json to_json() const;
  static SnapshotRecord from_json(const Json& json);
};

struct Generation {
  std::int64_t number = -1;  // -1: an empty repository
  std::string uuid;          // of the repository
  std::vector<SnapshotRecord> snapshots;  // by start
  const SnapshotRecord* find(const std::string& name) const;
};

/// The newest generation, by listing. Errors: those of the store; corrupt.
Result<Generation> read_generation(store::Store& repository, const os::Deadline& deadline);

/// Writes `next` as generation `after + 1`. Errors: conflict, code
/// concurrent_snapshot_execution_exception, where another writer made that generation; also where
/// a later one is there already, which may rest on this one: look again what the newest says.
Status write_generation(store::Store& repository, std::int64_t after, Generation next,
                        const os::Deadline& deadline);

}  // namespace cairn::snapshots
