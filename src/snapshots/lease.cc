// SPDX-License-Identifier: Apache-2.0
#include "snapshots/lease.h"

namespace cairn::snapshots {

Status Lease::take(const os::Deadline& deadline) {
  taken_ms_ = clock_.unix_ms();  // before the store's own time of it
  CAIRN_TRY(const store::ObjectInfo put, store_.put(key_, options_.owner, deadline));
  etag_ = put.etag;
  return ok_status();
}

Status Lease::beat(const os::Deadline& deadline) {
  const std::int64_t now_ms = clock_.unix_ms();
  if (now_ms - taken_ms_ < options_.lease_renew_ms) return ok_status();
  if (now_ms - taken_ms_ > options_.lease_lost_ms) return lost();
  const auto put = store_.put(key_, options_.owner, deadline, {.if_match = etag_});
  if (!put.ok() && (put.error().kind == ErrorKind::precondition_failed ||
                    put.error().kind == ErrorKind::not_found))
    return lost();
  CAIRN_CHECK(put);
  taken_ms_ = now_ms;
  etag_ = put->etag;
  return ok_status();
}

Error Lease::lost() const {
  return {.kind = ErrorKind::conflict,
          .code = "concurrent_snapshot_execution_exception",
          .message = "the lease [" + key_ + "] was taken for dead: it was not renewed for " +
                     std::to_string(clock_.unix_ms() - taken_ms_) + " ms"};
}

void Lease::give_back(const os::Deadline& deadline) { (void)store_.remove(key_, deadline).ok(); }

}  // namespace cairn::snapshots
