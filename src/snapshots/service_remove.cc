// SPDX-License-Identifier: Apache-2.0
// Service::remove: snapshots leave the list, then what only they needed goes.
#include <algorithm>

#include "os/log.h"
#include "os/threads/blocking.h"
#include "snapshots/errors.h"
#include "snapshots/service.h"

namespace cairn::snapshots {

Status Service::remove(const std::string& repository_name, const std::string& snapshots,
                       const os::Deadline& deadline) {
  CAIRN_TRY(const auto repository, repositories_.find(repository_name));
  if (repository->readonly)
    return repository_fault(repository_name, "cannot delete snapshots from a readonly repository");
  CAIRN_TRY(const auto shown, list(repository_name, snapshots, false, deadline));
  std::vector<std::string> names;
  for (const auto& snapshot : shown) names.push_back(snapshot.record.name);
  const auto wanted = [&](const Running& running) {
    return running.repository == repository_name &&
           std::find(names.begin(), names.end(), running.record.name) != names.end();
  };
  {
    // One being made is ended, and others are waited for, so that no data goes from under them.
    const os::Blocking blocking;
    std::unique_lock lock(turn_);
    for (const auto& running : running_)
      if (wanted(*running)) running->cancel.request_stop();
    if (!os::wait(changed_, lock, deadline,
                  [&] { return doing_[repository_name][Doing::creating] == 0; }))
      return busy(repository_name, snapshots, "a snapshot is still running");
  }
  CAIRN_CHECK(begin(repository_name, Doing::deleting));
  const Status removed = remove_from(*repository, names, deadline);
  end(repository_name, Doing::deleting);
  return removed;
}

Status Service::remove_from(const Repository& repository, const std::vector<std::string>& names,
                            const os::Deadline& deadline) {
  constexpr int attempts_max = 8;
  for (int attempt = 0;; ++attempt) {
    CAIRN_TRY(Generation generation, read_generation(*repository.store, deadline));
    const std::int64_t before = generation.number;
    const std::size_t gone = std::erase_if(generation.snapshots, [&](const SnapshotRecord& record) {
      return std::find(names.begin(), names.end(), record.name) != names.end();
    });
    if (gone == 0) break;
    const Status written =
        write_generation(*repository.store, before, std::move(generation), deadline);
    if (written.ok()) break;
    if (written.error().kind != ErrorKind::conflict || attempt + 1 == attempts_max) return written;
  }
  // The snapshots are deleted; what they leave behind a later sweep finds too.
  SweepCounters counters;
  if (const Status swept = sweep(repository, counters, deadline); !swept.ok())
    os::log(os::LogLevel::warn, "snapshots", "not swept",
            {{"repository", repository.record.name}, {"reason", swept.error().message}});
  return ok_status();
}

Result<RemovalForecast> Service::try_remove(const std::string& repository_name,
                                            const std::string& snapshots,
                                            const os::Deadline& deadline) {
  CAIRN_TRY(const auto repository, repositories_.find(repository_name));
  if (repository->readonly)
    return repository_fault(repository_name, "cannot delete snapshots from a readonly repository");
  CAIRN_CHECK(check_turn(repository_name, Doing::deleting));
  RemovalForecast out;
  CAIRN_TRY(out.snapshots, list(repository_name, snapshots, false, deadline));
  std::vector<std::string> names;
  for (const auto& snapshot : out.snapshots) names.push_back(snapshot.record.name);
  CAIRN_TRY(const StaleBlobs stale, stale_without(*repository, names, deadline));
  out.add(stale);
  return out;
}

}  // namespace cairn::snapshots
