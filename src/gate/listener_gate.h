// SPDX-License-Identifier: Apache-2.0
// Where the requests of one listener enter: who asks, and the one question to the limiter.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "gate/gate.h"
#include "gate/limit_metrics.h"
#include "gate/request_scope.h"
#include "gate/route.h"
#include "net/http/message.h"
#include "os/snapshot.h"

namespace cairn::gate {

/// Made once for a table of routes; works out once for each policy what a row costs. Safe from any
/// thread. The gate must outlive this object; this object must outlive its request scopes.
class ListenerGate {
 public:
  /// `surface` and `resource` are what requests count as that no row fits.
  ListenerGate(const Gate& gate, const std::vector<Route>& routes, Surface surface = Surface::platform,
           std::string_view resource = "core");
  ~ListenerGate();
  ListenerGate(const ListenerGate&) = delete;
  ListenerGate& operator=(const ListenerGate&) = delete;

  /// Looks at Authorization, then asks the limiter, exactly once. `row` past the end: no row fits;
  /// all such requests share one endpoint. Who presents credentials that do not verify is charged
  /// one request of `core` as an address, and nobody else is. A row without a resource asks no
  /// limiter unless credentials do not verify.
  /// A request without credentials gets 401 at once where only credentials could admit it;
  /// everywhere else Gate::pass() decides.
  /// `mutation`: the body asks a row of GraphQL to change something, which costs more points.
  RequestScope enter(const net::RequestHead& head, std::size_t row, bool mutation = false) const;

  /// What a face found that verifies credentials itself.
  enum class Authentication { none, refused, verified };
  /// `identity`: of verified credentials; without an account they are Cairn's own, handed out to
  /// somebody who was charged for them, so that nothing is counted. The status() is ok or a refusal.
  RequestScope enter_as(Authentication authentication, const ratelimit::Identity& identity,
                        const net::RequestHead& head, std::size_t row) const;

 private:
  struct Rules;
  struct Row;
  const Rules& rules() const;
  std::shared_ptr<const Rules> compile(std::uint64_t version) const;
  /// What one request is besides its row.
  struct Kind {
    bool mutation = false;  // of GraphQL
    bool paid = false;      // by an earlier request
  };
  void decide(RequestScope& scope, const Rules& rules, const ratelimit::Identity& identity,
              ratelimit::AccountNote* note, const Row& row, Kind kind) const;
  /// What the request counts as where its credentials are in order.
  const Row& row_of(const Rules& rules, const net::RequestHead& head, std::size_t row) const;
  void let_in_nobody(RequestScope& scope, const Rules& rules, const net::RequestHead& head,
                     const Row& row) const;

  const Gate& gate_;
  const std::vector<Route> routes_;
  const Surface surface_;
  const std::string resource_;
  mutable std::mutex compiling_;
  mutable os::Snapshot<Rules> rules_;
};

}  // namespace cairn::gate
