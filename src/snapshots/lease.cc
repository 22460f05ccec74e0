// SPDX-License-Identifier: Apache-2.0
#include "snapshots/lease.h"

namespace cairn::snapshots {

Status Lease::put(const store::Condition& condition, const os::Deadline& deadline) {
  const std::int64_t now_ns = clock_.steady_ns();
  CAIRN_TRY(const store::ObjectInfo put, store_.put(key_, options_.owner, deadline, condition));
  taken_ns_ = now_ns;
  answered_ns_ = clock_.steady_ns();
  dated_ms_.reset();
  etag_ = put.etag;
  return ok_status();
}

Status Lease::take(const os::Deadline& deadline) { return put({}, deadline); }

Status Lease::beat(const os::Deadline& deadline) {
  if (age_ms() < options_.lease_renew_ms) return ok_status();
  if (age_ms() > options_.lease_lost_ms) return lost();
  const Status renewed = put({.if_match = etag_}, deadline);
  if (!renewed.ok() && (renewed.error().kind == ErrorKind::precondition_failed ||
                        renewed.error().kind == ErrorKind::not_found))
    return lost();
  return renewed;
}

Result<std::int64_t> Lease::store_time_ms(const os::Deadline& deadline) {
  if (!dated_ms_) {
    CAIRN_TRY(const auto head, store_.head(key_, deadline));
    if (!head) return lost();
    dated_ms_ = head->modified_ms;
  }
  return *dated_ms_ + (clock_.steady_ns() - answered_ns_) / 1'000'000;
}

Error Lease::lost() const {
  return {.kind = ErrorKind::conflict,
          .code = "concurrent_snapshot_execution_exception",
          .message = "the lease [" + key_ + "] was taken for dead: it was not renewed for " +
                     std::to_string(age_ms()) + " ms"};
}

void Lease::give_back(const os::Deadline& deadline) { (void)store_.remove(key_, deadline).ok(); }

}  // namespace cairn::snapshots
