// SPDX-License-Identifier: Apache-2.0
// Where the requests of one listener enter: who asks, and the one question to the limiter.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "auth/last_use.h"
#include "gate/gate.h"
#include "gate/limit_metrics.h"
#include "gate/request_scope.h"
#include "gate/route.h"
#include "gate/route_table.h"
#include "net/http/message.h"
#include "os/snapshot.h"

namespace cairn::gate {

/// What a request asks for, where only its body says so.
struct Weight {
  bool mutation = false;   // of GraphQL: changes something, which costs more points
  bool content = false;    // makes content that others are told of
  std::uint32_t cost = 1;  // units of the primary limit
};
/// May read the body. Must not throw.
using Weigh = std::function<Weight()>;

/// Made once for a table of routes; works out once for each policy what a row costs. Safe from any
/// thread. The gate must outlive this object; this object must outlive its request scopes.
class ListenerGate {
 public:
  /// `surface` and `resource` are what requests count as that no row fits.
  ListenerGate(const Gate& gate, const std::vector<Route>& routes,
               Surface surface = Surface::platform, std::string_view resource = "core");
  ~ListenerGate();
  ListenerGate(const ListenerGate&) = delete;
  ListenerGate& operator=(const ListenerGate&) = delete;

  /// Looks at Authorization, then asks the limiter, exactly once. `row` past the end: no row fits;
  /// all such requests share one endpoint. Who presents credentials that do not verify is charged
  /// one request of `core` as an address, and nobody else is. A row without a resource asks no
  /// limiter unless credentials do not verify.
  /// A request without credentials gets 401 at once where only credentials could admit it;
  /// everywhere else Gate::pass() decides.
  /// `weigh` says what a row of GraphQL is asked for. It is called at most once, for callers that
  /// the row may be for; null: what the row says by itself.
  /// `parameters`: of the path; the operator's rules ask them which indices it names.
  RequestScope enter(const net::RequestHead& head, std::size_t row, const Weigh* weigh = nullptr,
                     const PathParameters* parameters = nullptr) const;

  /// For rows with `signs_in`, whose handler has found out who asks: as enter(), with a key, or
  /// with why credentials do not verify.
  RequestScope enter_signed_in(const net::RequestHead& head, std::size_t row,
                               Result<std::shared_ptr<const auth::Key>> key) const;
  /// What a browser asks before a request from a page of another origin: an address's, which takes
  /// one point and nothing of a primary limit.
  RequestScope enter_preflight(const net::RequestHead& head) const;

  /// What a face found that verifies credentials itself.
  enum class Authentication { none, refused, verified };
  /// `identity`: of verified credentials; without an account they are Cairn's own, handed out to
  /// somebody who was charged for them, so that nothing is counted. The status() is ok or a
  /// refusal. `bucket`: that the request names, for rules; empty: none.
  RequestScope enter_as(Authentication authentication, const ratelimit::Identity& identity,
                        const net::RequestHead& head, std::size_t row,
                        std::string_view bucket = {}) const;
  /// Notes that credentials which verify were used, now and from the client's address; enter() and
  /// enter_signed_in() do that for theirs. Null: nothing is kept of them.
  void note_use(auth::LastUse* last, const net::RequestHead& head) const;
  /// What the row costs under the policy that is in use, and the rules that are for it; nothing
  /// where the row is not limited. For operators who ask why.
  struct Terms {
    ratelimit::Charge charge = {};
    std::shared_ptr<const ratelimit::Policy> policy = {};
    std::vector<const ratelimit::LimitRule*> rules = {};  // of that policy
  };
  std::optional<Terms> terms_of(std::size_t row, std::string_view method) const;
  const Gate& gate() const { return gate_; }

 private:
  struct Rules;
  struct Row;
  const Rules& rules() const;
  std::shared_ptr<const Rules> compile(std::uint64_t version) const;
  bool lend_search_page_key(RequestScope& scope, const PathParameters& parameters) const;
  /// What one request is besides its row.
  struct Kind {
    const Weigh* weigh = nullptr;
    bool paid = false;  // by an earlier request
    const net::RequestHead* head = nullptr;
    std::vector<std::string_view> indices = {};  // that the path names; asked for by rules only
  };
  void decide_with_rules(RequestScope& scope, const Rules& rules,
                         const ratelimit::Identity& identity, ratelimit::AccountNote* note,
                         const Row& row, const ratelimit::Charge& charge, const Kind& kind) const;
  void note_shadows(const ratelimit::RuleCounts& counted, const ratelimit::Identity& identity,
                    const Row& row, bool admitted) const;
  void decide(RequestScope& scope, const Rules& rules, const ratelimit::Identity& identity,
              ratelimit::AccountNote* note, const Row& row, const Kind& kind) const;
  /// What the request counts as where its credentials are in order.
  const Row& row_of(const Rules& rules, const net::RequestHead& head, std::size_t row) const;
  Result<Caller> identify_caller(const net::RequestHead& head, const Rules& rules, const Row& row,
                                 bool by_header) const;
  void note_use(const Rules& rules, auth::LastUse* last, const net::RequestHead& head) const;
  void let_in_nobody(RequestScope& scope, const Rules& rules, const Row& row, Kind kind) const;

  const Gate& gate_;
  const std::vector<Route> routes_;
  const Surface surface_;
  const std::string resource_;
  mutable std::mutex compiling_;
  mutable os::Snapshot<Rules> rules_;
};

}  // namespace cairn::gate
