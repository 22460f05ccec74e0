// SPDX-License-Identifier: Apache-2.0
// Service::cleanup, and the sweep that it shares with deletions.
#include <algorithm>
#include <set>

#include "base/ids.h"
#include "os/log.h"
#include "os/threads/blocking.h"
#include "snapshots/errors.h"
#include "snapshots/layout.h"
#include "snapshots/service.h"

namespace cairn::snapshots {
namespace {

constexpr std::int64_t give_back_ms = 10'000;

}  // namespace

Result<bool> Service::lease_is_dead(const Repository& repository, const store::ObjectInfo& lease,
                                    Lease& held, const os::Deadline& deadline) {
  auto object = repository.store->get(lease.key, deadline);
  if (!object.ok()) {
    if (object.error().kind == ErrorKind::not_found) return true;
    return std::move(object).error();
  }
  if (object->bytes != options_.owner) {
    if (!held.is_taken()) CAIRN_CHECK(hold_briefly(held, deadline));
    CAIRN_TRY(const std::int64_t store_ms, held.store_time_ms(deadline));
    return store_ms - lease.modified_ms > options_.lease_lost_ms;
  }
  // Ours: alive only while this process is at that work.
  const std::lock_guard lock(turn_);
  return !sweeps_.contains(lease.key) &&
         std::none_of(running_.begin(), running_.end(), [&](const auto& running) {
           return layout::lease_key(running->record.uuid) == lease.key;
         });
}

Status Service::sweep(const Repository& repository, SweepCounters& counters,
                      const os::Deadline& deadline) {
  Lease lease(*repository.store, layout::sweep_key(url_safe_id(random_.bytes(15))), options_,
              clock_);
  {
    const std::lock_guard lock(turn_);
    sweeps_.insert(lease.key());
  }
  Status swept = lease.take(deadline);
  if (swept.ok()) swept = sweep_with(lease, repository, counters, deadline);
  lease.give_back(os::Deadline::in_ms(give_back_ms));
  const std::lock_guard lock(turn_);
  sweeps_.erase(lease.key());
  return swept;
}

/// From then on it knows the store's time.
Status Service::hold_briefly(Lease& lease, const os::Deadline& deadline) {
  {
    const std::lock_guard lock(turn_);
    sweeps_.insert(lease.key());
  }
  Status dated = lease.take(deadline);
  if (dated.ok()) {
    const auto store_ms = lease.store_time_ms(deadline);
    if (!store_ms.ok()) dated = store_ms.error();
  }
  lease.give_back(os::Deadline::in_ms(give_back_ms));
  const std::lock_guard lock(turn_);
  sweeps_.erase(lease.key());
  return dated;
}

Status Service::sweep_with(Lease& lease, const Repository& repository, SweepCounters& counters,
                           const os::Deadline& deadline) {
  const auto dead = [&](const store::ObjectInfo& other) -> Result<bool> {
    return lease_is_dead(repository, other, lease, deadline);
  };
  const auto beat = [&] { return lease.beat(deadline); };
  const auto remove = [&](const std::vector<StaleBlob>& blobs) {
    return delete_blobs(*repository.store, blobs, options_.delete_batch, counters, beat, deadline);
  };
  constexpr int attempts_max = 8;
  for (int attempt = 1;; ++attempt) {
    auto stale = find_stale(*repository.store, dead, deadline);
    // What another sweep deletes may go while this one reads it.
    if (!stale.ok() && stale.error().kind == ErrorKind::not_found && attempt < attempts_max)
      continue;
    CAIRN_CHECK(stale);
    if (stale->empty()) return ok_status();
    // Who comes back to a dead lease finds it gone, or loses against the generation that follows:
    // either way it copies again what goes now.
    CAIRN_CHECK(remove(stale->leases));
    if (stale->blobs.empty()) return ok_status();
    const std::int64_t before = stale->generation.number;
    if (stale->generation.uuid.empty()) stale->generation.uuid = repository.uuid;
    const Status written =
        write_generation(*repository.store, before, std::move(stale->generation), deadline);
    if (written.ok()) return remove(stale->blobs);
    if (written.error().kind != ErrorKind::conflict || attempt == attempts_max) return written;
  }
}

/// Waits for those that are there now. One that begins later sees the lease of the caller and
/// leaves data alone: to wait for those too would never end where one follows the other. Looks
/// again and again, ever more slowly: a sweep is short, and nothing wakes the one who waits for
/// that of another installation.
Status Service::await_sweeps(const Repository& repository, Lease& lease,
                             const os::Deadline& deadline) {
  const auto listed = [&] { return living_sweeps(repository, lease, deadline); };
  CAIRN_TRY(std::set<std::string> awaited, listed());
  for (std::int64_t wait_ms = 5; !awaited.empty();
       wait_ms = std::min<std::int64_t>(2 * wait_ms, 1'000)) {
    CAIRN_CHECK(lease.beat(deadline));
    os::sleep_ms(wait_ms, deadline);
    CAIRN_CHECK(deadline.check("waiting for a cleanup of the repository"));
    CAIRN_TRY(const std::set<std::string> living, listed());
    std::erase_if(awaited, [&](const std::string& key) { return !living.contains(key); });
  }
  return ok_status();
}

/// The keys of their leases.
Result<std::set<std::string>> Service::living_sweeps(const Repository& repository, Lease& lease,
                                                     const os::Deadline& deadline) {
  std::set<std::string> living;
  const auto look = [&](const store::ObjectInfo& info) -> Status {
    CAIRN_TRY(const bool dead, lease_is_dead(repository, info, lease, deadline));
    if (!dead) living.insert(info.key);
    return ok_status();
  };
  CAIRN_CHECK(store::for_each_object(*repository.store, layout::sweep_prefix, deadline, look));
  return living;
}

void RemovalForecast::add(const StaleBlobs& stale) {
  snapshot_running = stale.one_is_written;
  for (const auto* list : {&stale.leases, &stale.blobs})
    for (const StaleBlob& blob : *list) {
      ++blobs;
      bytes += blob.size_bytes;
    }
}

Result<StaleBlobs> Service::stale_without(const Repository& repository,
                                          const std::vector<std::string>& snapshots,
                                          const os::Deadline& deadline) {
  // Nothing is deleted by this, so it is held only to learn the time, where somebody else is there.
  Lease lease(*repository.store, layout::sweep_key(url_safe_id(random_.bytes(15))), options_,
              clock_);
  const auto dead = [&](const store::ObjectInfo& other) {
    return lease_is_dead(repository, other, lease, deadline);
  };
  constexpr int attempts_max = 8;
  for (int attempt = 1;; ++attempt) {
    auto stale = find_stale(*repository.store, dead, deadline, snapshots);
    // What a sweep deletes may go while this reads it.
    if (stale.ok() || stale.error().kind != ErrorKind::not_found || attempt == attempts_max)
      return stale;
  }
}

Result<RemovalForecast> Service::try_cleanup(const std::string& name,
                                             const os::Deadline& deadline) {
  CAIRN_TRY(const auto repository, repositories_.find(name));
  if (repository->readonly)
    return repository_fault(name, "cannot run cleanup on readonly repository");
  // Refused while other work goes on, as the cleanup would be; but it keeps none from beginning.
  CAIRN_CHECK(check_turn(name, Doing::cleaning));
  CAIRN_TRY(const StaleBlobs stale, stale_without(*repository, {}, deadline));
  RemovalForecast out;
  out.add(stale);
  return out;
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
        sweep(*repository, cleaning->counters, os::Deadline::never(std::move(thread_stop)));
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
