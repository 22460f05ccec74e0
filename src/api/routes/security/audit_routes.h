// SPDX-License-Identifier: Apache-2.0
// The audit log for those who may read it: searched, given away with its seal, shipped.
#pragma once

#include "api/router.h"
#include "gate/trail/audit_trail.h"

namespace cairn::api {

/// Routes of operations cairn.search_audit, cairn.export_audit, cairn.get_audit_key,
/// cairn.get_audit_shipping and cairn.ship_audit. `trail` outlives the router's dispatcher.
void add_audit_routes(Router& router, ServiceRef<const gate::AuditTrail> trail);

}  // namespace cairn::api
