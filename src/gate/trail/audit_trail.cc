// SPDX-License-Identifier: Apache-2.0
#include "gate/trail/audit_trail.h"

#include <utility>

namespace cairn::gate {

Result<AuditPage> AuditTrail::search(const AuditQuery& query, const os::Deadline& deadline) const {
  CAIRN_TRY(AuditSnapshot snapshot, log_.snapshot(false));
  AuditLines lines(files_, std::move(snapshot), deadline);
  return search_audit(lines, query);
}

Result<AuditSegment> AuditTrail::segment(const SegmentWanted& wanted,
                                         const os::Deadline& deadline) const {
  CAIRN_TRY(AuditSnapshot snapshot, log_.snapshot(true));
  const std::uint64_t newest = snapshot.newest.number;
  AuditLines lines(files_, std::move(snapshot), deadline);
  return read_segment(lines, newest, wanted, chain_key_, signing_, clock_.unix_ms());
}

}  // namespace cairn::gate
