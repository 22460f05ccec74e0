// SPDX-License-Identifier: Apache-2.0
// What may be asked of the audit log while it is written: searches, and sealed segments of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "auth/secrets/signing_key.h"
#include "base/result.h"
#include "format/json.h"
#include "gate/audit.h"
#include "gate/trail/audit_search.h"
#include "gate/trail/audit_segment.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/files/files.h"

namespace cairn::gate {

/// Safe from any thread; each call reads the disk, and blocks up to its deadline. The references
/// outlive it. Errors of all calls: unsupported where the log is switched off; those of the files.
class AuditTrail {
 public:
  AuditTrail(os::Files& files, const os::Clock& clock, AuditLog& log, std::string chain_key,
             auth::SigningKey signing)
      : files_(files),
        clock_(clock),
        log_(log),
        chain_key_(std::move(chain_key)),
        signing_(std::move(signing)) {}

  Result<AuditPage> search(const AuditQuery& query, const os::Deadline& deadline) const;
  /// What it gives is durable here.
  Result<AuditSegment> segment(const SegmentWanted& wanted, const os::Deadline& deadline) const;
  const auth::SigningKey& signing() const { return signing_; }

  // Of whoever ships the log; empty where nobody does. Safe from any thread.
  std::function<Json()> shipping = {};                             // how far it is
  std::function<Result<Json>(const os::Deadline&)> ship_now = {};  // as far as the log goes

 private:
  os::Files& files_;
  const os::Clock& clock_;
  AuditLog& log_;
  const std::string chain_key_;
  const auth::SigningKey signing_;
};

}  // namespace cairn::gate
