// SPDX-License-Identifier: Apache-2.0
#include "backup/lease.h"

#include <utility>
#include <vector>

#include "backup/repository.h"
#include "base/ids.h"

namespace cairn::backup {
namespace {

constexpr std::int64_t give_back_ms = 10'000;

/// The lease of somebody else that keeps this one out; empty where there is none. Dead ones of
/// sweeps and, for a sweep, of creations are removed.
Result<std::string> other_at_work(store::Store& store, Lease::Kind kind, const std::string& mine,
                                  const Options& options, const os::Deadline& deadline) {
  // By the clock that dates what lies in the store: this machine's may be another one.
  CAIRN_TRY(const auto own, store.head(mine, deadline));
  if (!own) return mine;  // taken for dead already
  std::vector<std::string> dead;
  std::string alive;
  const auto look = [&](std::string_view prefix) {
    return store::for_each_object(store, prefix, deadline, [&](const store::ObjectInfo& info) {
      if (info.key == mine) return ok_status();
      if (own->modified_ms - info.modified_ms > options.lease_lost_ms)
        dead.push_back(info.key);
      else
        alive = info.key;
      return ok_status();
    });
  };
  CAIRN_CHECK(look(layout::sweepers));
  if (kind == Lease::Kind::sweep) CAIRN_CHECK(look(layout::creators));
  if (alive.empty() && !dead.empty()) CAIRN_CHECK(store.remove_batch(dead, deadline));
  return alive;
}

}  // namespace

Result<std::unique_ptr<Lease>> Lease::take(store::Store& store, Kind kind, const Options& options,
                                           const os::Clock& clock, os::Random& random,
                                           const os::Deadline& deadline) {
  const std::string key = std::string(kind == Kind::create ? layout::creators : layout::sweepers) +
                          url_safe_id(random.bytes(15));
  std::unique_ptr<Lease> lease(new Lease(store, key, options, clock));
  CAIRN_CHECK(lease->put(true, deadline));
  CAIRN_TRY(const std::string other, other_at_work(store, kind, key, options, deadline));
  if (other.empty()) return lease;
  return Error{
      .kind = ErrorKind::conflict,
      .message = "somebody is at work in the repository, who holds [" + other +
                 "]; try again when that has ended. Of a process that was killed it ends " +
                 std::to_string(options.lease_lost_ms / 1000) +
                 " seconds after its last sign of life"};
}

Lease::~Lease() { (void)store_.remove(key_, os::Deadline::in_ms(give_back_ms)).ok(); }

Status Lease::put(bool is_first, const os::Deadline& deadline) {
  const std::int64_t now_ns = clock_.steady_ns();  // before the store's own time of it
  store::Condition condition;
  if (!is_first) condition.if_match = etag_;
  const auto put = store_.put(key_, options_.owner, deadline, condition);
  if (!put.ok() && (put.error().kind == ErrorKind::precondition_failed ||
                    put.error().kind == ErrorKind::not_found))
    return lost();
  CAIRN_CHECK(put);
  taken_ns_ = now_ns;
  etag_ = put->etag;
  return ok_status();
}

Status Lease::beat(const os::Deadline& deadline) {
  const std::lock_guard lock(mutex_);
  if (age_ms() < options_.lease_renew_ms) return ok_status();
  if (age_ms() > options_.lease_lost_ms) return lost();
  return put(false, deadline);
}

Error Lease::lost() const {
  return {.kind = ErrorKind::conflict,
          .message = "the lease [" + key_ + "] was taken for dead: it was not renewed for " +
                     std::to_string(age_ms()) +
                     " ms; begin again, what was copied is not copied twice"};
}

}  // namespace cairn::backup
