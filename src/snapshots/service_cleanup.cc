// SPDX-License-Identifier: Apache-2.0
// Service::cleanup, and the sweep that it shares with deletions.
#include <algorithm>

#include "os/blocking.h"
#include "os/log.h"
#include "snapshots/errors.h"
#include "snapshots/layout.h"
#include "snapshots/service.h"

namespace cairn::snapshots {

Result<bool> Service::lease_is_dead(const Repository& repository, const store::ObjectInfo& lease,
                                    const os::Deadline& deadline) {
  auto object = repository.store->get(lease.key, deadline);
  if (!object.ok()) {
    if (object.error().kind == ErrorKind::not_found) return true;
    return std::move(object).error();
  }
  if (object->bytes != options_.owner)
    return clock_.unix_ms() - lease.modified_ms > options_.lease_lost_ms;
  // Ours: alive only while this process makes that snapshot.
  const std::lock_guard lock(turn_);
  return std::none_of(running_.begin(), running_.end(), [&](const auto& running) {
    return layout::lease_key(running->record.uuid) == lease.key;
  });
}

Status Service::sweep(const Repository& repository, SweepCounters& counters, bool write_first,
                      const os::Deadline& deadline) {
  CAIRN_TRY(Generation generation, read_generation(*repository.store, deadline));
  const auto dead = [&](const store::ObjectInfo& lease) {
    return lease_is_dead(repository, lease, deadline);
  };
  CAIRN_TRY(auto stale, stale_blobs(*repository.store, generation, dead, deadline));
  if (stale.empty()) return ok_status();
  if (write_first) {
    const std::int64_t before = generation.number;
    if (generation.uuid.empty()) generation.uuid = repository.uuid;
    CAIRN_CHECK(write_generation(*repository.store, before, generation, deadline));
    // The previous generation is now `before`, so the one before that is needed no more.
    CAIRN_TRY(const auto old, repository.store->head(layout::generation_key(before - 1), deadline));
    if (old) stale.push_back({old->key, old->size_bytes});
  }
  return delete_blobs(*repository.store, stale, options_.delete_batch, counters, deadline);
}

Result<CleanupResult> Service::cleanup(const std::string& name, const CleanupWaits& waits,
                                       const std::stop_token& stop) {
  const auto master = os::Deadline::from_wait_ms(waits.master_timeout_ms, stop);
  CAIRN_TRY(const auto repository, repositories_.find(name));
  if (repository->readonly)
    return repository_fault(name, "cannot run cleanup on readonly repository");
  CAIRN_CHECK(take_turn(master, "cleanup repository [" + name + "]"));
  {
    const std::lock_guard held(registry_, std::adopt_lock);
    CAIRN_CHECK(begin(name, Doing::cleaning));
  }
  auto cleaning = std::make_shared<Cleanup>();
  start_thread([this, cleaning, repository](std::stop_token thread_stop) {
    const Status swept =
        sweep(*repository, cleaning->counters, true, os::Deadline::never(std::move(thread_stop)));
    os::log(swept.ok() ? os::LogLevel::info : os::LogLevel::warn, "snapshots", "cleanup ended",
            {{"repository", repository->record.name},
             {"deleted_blobs", cleaning->counters.deleted_blobs.load()},
             {"deleted_bytes", cleaning->counters.deleted_bytes.load()},
             {"error", swept.ok() ? std::string() : swept.error().message}});
    {
      const std::lock_guard lock(turn_);
      if (!swept.ok()) cleaning->error = swept.error();
      cleaning->ended = true;
    }
    end(repository->record.name, Doing::cleaning);
  });
  const auto until = os::Deadline::from_wait_ms(waits.timeout_ms, stop);
  const os::Blocking blocking;
  std::unique_lock lock(turn_);
  const bool ended = os::wait(changed_, lock, until, [&] { return cleaning->ended; });
  if (cleaning->error) return *cleaning->error;
  return CleanupResult{.deleted_blobs = cleaning->counters.deleted_blobs.load(),
                       .deleted_bytes = cleaning->counters.deleted_bytes.load(),
                       .acknowledged = ended};
}

}  // namespace cairn::snapshots
