// SPDX-License-Identifier: Apache-2.0
// What messages tell of: syncs that failed, a disk that is nearly full, certificates that end soon,
// an audit log that is not shipped, a mirror that lacks a folder.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/data/mirrored_folder.h"
#include "app/messages/messages.h"
#include "app/settings/settings.h"
#include "connectors/service.h"
#include "gate/trail/audit_trail.h"
#include "os/deadline.h"
#include "os/mirror/mirror.h"

namespace cairn::app {

struct CheckedThings {
  const Settings& settings;
  connectors::Service& connectors;
  /// How far the audit log is shipped (AuditShipping::state); null where it is not.
  std::function<Json()> shipping = {};
  const os::Mirror* mirror = nullptr;  // of the data folder, where it has one
};

/// Between two looks.
struct SeenBefore {
  bool disk_was_full = false;  // it is over only when it is well below the threshold
};

/// Blocks up to the deadline. What cannot be looked at is not among the kinds that were.
LookedAt look_for_faults(const CheckedThings& things, SeenBefore& before,
                         const os::Deadline& deadline);

/// As the settings say; what is told lies in the data folder, in both where there are two. The
/// trail's `shipping` is set by then. All that is given outlives it. Errors: as Messages::start;
/// those of the file of the webhook's secret.
Result<std::unique_ptr<Messages>> start_messages(const Settings& settings,
                                                 connectors::Service& connectors,
                                                 const gate::AuditTrail& trail,
                                                 const os::Clock& clock, const DataPlace& data);

}  // namespace cairn::app
