// SPDX-License-Identifier: Apache-2.0
// What every request passes: who asks, may they, within limits; and what is written down after.
#pragma once

#include <string_view>

#include "auth/keys.h"
#include "base/result.h"
#include "gate/audit.h"
#include "gate/route.h"
#include "gate/route_table.h"
#include "net/message.h"

namespace cairn::gate {

/// Safe from any thread. `keys` and `audit` outlive it.
class Gate {
 public:
  Gate(const auth::Keys& keys, AuditLog& audit) : keys_(keys), audit_(audit) {}

  /// Errors: those of gate/identify.h.
  Result<Caller> who(const net::RequestHead& head) const;
  /// Privileges, then limits. The only place where a limiter is asked.
  /// Errors: those of gate/admit.h.
  Status pass(const Route& route, const Caller& caller, const PathParameters& parameters) const;
  /// Writes the audit line that this outcome calls for, if any: refusals, and changes that need a
  /// cluster privilege. `route` is null where no row fitted.
  void record(const net::Exchange& exchange, const Route* route, const Caller& caller, int status,
              const Error* error) const;

 private:
  const auth::Keys& keys_;
  AuditLog& audit_;
};

}  // namespace cairn::gate
