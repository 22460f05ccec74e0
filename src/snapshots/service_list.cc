// SPDX-License-Identifier: Apache-2.0
// Service::list: the snapshots of repositories, those that are being made too.
#include <algorithm>

#include "snapshots/errors.h"
#include "snapshots/service.h"
#include "snapshots/snapshot_names.h"

namespace cairn::snapshots {

Result<std::vector<ShownSnapshot>> Service::list(const std::string& repositories,
                                                 const std::string& snapshots,
                                                 bool ignore_unavailable,
                                                 const os::Deadline& deadline) {
  CAIRN_TRY(const auto names, repositories_.resolve(repositories));
  std::vector<ShownSnapshot> out;
  for (const auto& name : names) {
    CAIRN_TRY(const auto repository, repositories_.find(name));
    std::vector<SnapshotRecord> all;
    {
      const std::lock_guard lock(turn_);
      for (const auto& running : running_)
        if (!running->ended && running->repository == name) all.push_back(running->record);
    }
    for (auto& record : all) record.state = "IN_PROGRESS", record.end_ms = 0;
    if (snapshots == "_current") {
      for (auto& record : all) out.push_back({name, std::move(record)});
      continue;
    }
    CAIRN_TRY(Generation generation, read_generation(*repository->store, deadline));
    for (auto& record : generation.snapshots) {
      std::erase_if(all, [&](const auto& other) { return other.uuid == record.uuid; });
      all.push_back(std::move(record));
    }
    std::vector<std::string> known;
    for (const auto& record : all) known.push_back(record.name);
    std::optional<std::string> absent;
    const auto chosen = select_names(snapshots, known, [&](const std::string& n) { absent = n; });
    if (absent && !ignore_unavailable) return snapshot_missing(name, *absent);
    for (auto& record : all)
      if (std::find(chosen.begin(), chosen.end(), record.name) != chosen.end())
        out.push_back({name, std::move(record)});
  }
  return out;
}

}  // namespace cairn::snapshots
