// SPDX-License-Identifier: Apache-2.0
// What every request passes: who asks, may they, within limits; and what is written down after.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "auth/keys/keys.h"
#include "auth/sessions/sessions.h"
#include "auth/sign_in/sign_in.h"
#include "base/result.h"
#include "gate/audit.h"
#include "gate/limit_metrics.h"
#include "gate/route.h"
#include "gate/route_table.h"
#include "gate/session_cookie.h"
#include "net/http/message.h"
#include "os/clock.h"
#include "os/metrics.h"
#include "ratelimit/limiter.h"

namespace cairn::gate {

struct GateParams {
  ratelimit::Limiter* limiter = nullptr;  // null: nothing is counted; outlives the gate
  const auth::SignIn* sign_in =
      nullptr;  // whose tokens are taken; null: nobody's; outlives the gate
  const auth::Sessions* sessions = nullptr;  // of browsers; null: none; outlives the gate
  std::string search_page_key = {};  // id of the key that rows of the search page lend; empty: none
  bool secure_cookies = false;  // browsers reach this server by TLS, although it speaks none itself
  IndexFacts index_facts = {};
  ObjectRights object_rights = {};
  const os::Clock& clock = os::system_clock();  // of the uses of keys; outlives the gate
  os::Metrics& metrics = os::metrics();
};

/// What all listeners share. Each has an ListenerGate (gate/listener_gate.h), where the limiter is
/// asked. Safe from any thread. `keys`, `audit` and what `params` refers to outlive it.
class Gate {
 public:
  Gate(const auth::Keys& keys, AuditLog& audit, GateParams params = {});

  /// Privileges. `path` as it was asked for, for the text of a 401.
  /// Errors: those of gate/admit.h.
  Status pass(const Route& route, const Caller& caller, const PathParameters& parameters,
              std::string_view path = {}) const;
  /// Writes the audit line that this outcome calls for, if any: refusals, and changes that need a
  /// cluster privilege. `route` is null where no row fitted.
  void record(const net::Exchange& exchange, const Route* route, const Caller& caller, int status,
              const Error* error) const;

  /// The one way to change the policy of a running server: tells the limiter, and has all
  /// listener_gates work out their rows again before their next request.
  void set_policy(std::shared_ptr<const ratelimit::Policy> policy);

  // For listener_gates.
  const auth::Keys& keys() const { return keys_; }
  ratelimit::Limiter* limiter() const { return params_.limiter; }
  const auth::SignIn* sign_in() const { return params_.sign_in; }
  const auth::Sessions* sessions() const { return params_.sessions; }
  /// As this request gets and shows it.
  Cookie cookie_of(const net::RequestHead& head) const {
    return {.plain_name = session_cookie, .secure = head.tls || params_.secure_cookies};
  }
  /// The key that rows of the search page lend to callers without credentials; null where none is set,
  /// or where the key is not fit for it.
  std::shared_ptr<const auth::Key> search_page_key() const;
  /// Whether a request of this caller would still be let in: for streams that outlast what their
  /// request was asked with. Keys and sessions may have ended meanwhile.
  bool still_good(const Caller& caller) const;
  const os::Clock& clock() const { return params_.clock; }
  const IndexFacts& index_facts() const { return params_.index_facts; }
  const ObjectRights& object_rights() const { return params_.object_rights; }
  std::uint64_t policy_version() const { return version_.load(std::memory_order_acquire); }
  LimitMetrics& limit_metrics() const { return metrics_; }
  /// Logs the first refusal of an identity in a row, and each hundredth. Identities are hashed.
  /// `rule`: the operator's rule that refused, if one did.
  void note_refusal(const ratelimit::Decision& decision, const ratelimit::Identity& identity,
                    Surface surface, std::string_view operation, std::string_view rule = {}) const;

 private:
  const auth::Keys& keys_;
  AuditLog& audit_;
  const GateParams params_;
  const std::string log_key_;  // of the hashes in the log; new with each process
  mutable LimitMetrics metrics_;
  mutable std::atomic<bool> search_page_fault_told_{false};
  std::atomic<std::uint64_t> version_{1};
};

}  // namespace cairn::gate
