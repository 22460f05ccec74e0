// SPDX-License-Identifier: Apache-2.0
// One decision per request: admitted or refused, what it cost, and what the headers shall say.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "format/json.h"
#include "ratelimit/account_note.h"
#include "ratelimit/busy_accounts.h"
#include "ratelimit/identity.h"
#include "ratelimit/policy/policy.h"

namespace cairn::ratelimit {

/// What one route costs under one policy. Made once per route and policy by charge_of().
struct Charge {
  Surface surface = Surface::platform;
  std::uint16_t resource = 0;  // index into Policy::resources
  std::uint32_t endpoint = 0;  // hash of method and path template: points are counted by it
  std::uint32_t cost = 1;      // units of the primary limit
  std::uint32_t points = 1;    // of the secondary limit
  bool content = false;        // generates content
  bool graphql = false;
  bool no_primary = false;        // GET /rate_limit: neither primary nor concurrency
  bool window_only = false;       // of a rule: its window, and no other limit
  bool shadow = false;            // charged beyond the limits, and never refused
  Limit content_per_minute = {};  // of this endpoint alone, besides the general ones
  Limit content_per_hour = {};
};

/// How the table of routes describes a route to the policy.
struct RouteFacts {
  std::string method;
  std::string path;  // the template
  Surface surface = Surface::platform;
  std::string resource = "core";
  bool reads = false;  // GET, HEAD, OPTIONS, and POST that changes nothing
  bool content = false;
  bool graphql = false;
  bool no_primary = false;
  bool check = false;  // of another program, which asks whether it may pass
};
/// Errors: invalid_argument for a resource that the policy does not have.
Result<Charge> charge_of(const RouteFacts& route, const Policy& policy);
/// The rules of the policy, which outlives them, whose `match` the route fits.
std::vector<const LimitRule*> rules_for(const RouteFacts& route, const Policy& policy);
/// Whether each rule, of points.routes and of `rules`, is for some route. Errors: invalid_argument
/// that names the first that is for none, and the route that it resembles most.
Status check_rules(const Policy& policy, const std::vector<RouteFacts>& routes);

enum class Refusal : std::uint8_t {
  none,
  banned,
  primary,
  concurrent,
  points,
  cpu,
  content_minute,
  content_hour,
  compute,   // too many heavy requests
  rule,      // of the operator's own
  no_state,  // the shared state is away and the policy says to refuse
};
std::string_view name_of(Refusal refusal);
/// Limits other than `primary`: the message says "secondary rate limit". `no_state` is none of
/// them: nobody exceeded anything.
inline bool is_secondary(Refusal refusal) {
  return refusal != Refusal::none && refusal != Refusal::primary && refusal != Refusal::no_state;
}

/// What header fields say, from one record. remaining = max(0, limit - used).
struct WindowState {
  std::uint32_t limit = 0;
  std::uint32_t used = 0;
  std::uint32_t remaining = 0;
  std::uint32_t wait_s = 0;  // until the reset, rounded up: at least 1
  std::int64_t reset_s = 0;  // UTC epoch seconds
  std::uint32_t window_s = 0;
  std::uint16_t resource = 0;
};

struct Decision {
  Refusal refusal = Refusal::none;
  bool shadowed = false;           // would have been refused, but for shadow mode or exemption
  Refusal shadow = Refusal::none;  // why, then
  /// Nothing, and no headers then: where the resource has no limit, and in the secondary refusals
  /// that would show remaining 0 (GET /rate_limit beside an exhausted `core`).
  std::optional<WindowState> window = {};
  std::uint32_t retry_after_s = 0;  // of a refusal, at least 1
  /// Which refusal of this identity within an hour it is, those of shadow mode counted too, from 1:
  /// log the first, and each hundredth. 0 where it is none.
  std::uint32_t nth_refusal = 0;
  bool admitted() const { return refusal == Refusal::none; }
};

class Limiter;

/// What a limiter notes to take an admission apart again; only it knows what the numbers mean.
using Ticket = std::array<std::uint64_t, 4>;

/// A request on its way. Holds one of the identity's concurrent requests until released, exactly
/// once, by finish() or the destructor. Not for two threads at a time.
class Admission {
 public:
  Admission() noexcept {}  // not defaulted: each field by itself costs less than all as zeros
  Admission(Admission&& other) noexcept { swap(other); }
  Admission& operator=(Admission&& other) noexcept {
    Admission old(std::move(other));
    swap(old);
    return *this;
  }
  ~Admission() { finish(0); }

  /// One that is over already, and holds nothing.
  static Admission refused(const Decision& decision) {
    Admission out;
    out.decision_ = decision;
    return out;
  }
  const Decision& decision() const { return decision_; }
  /// Gives back what the primary limit was charged, where the window is still the same. For an
  /// authenticated 304; before the headers are written. Later calls do nothing.
  void refund();
  /// The request is over and took this much CPU time, its share of pools included.
  void finish(std::int64_t cpu_ns);

 private:
  friend class Limiter;
  void swap(Admission& other) noexcept {
    std::swap(limiter_, other.limiter_);
    std::swap(decision_, other.decision_);
    std::swap(ticket_, other.ticket_);
    std::swap(refunded_, other.refunded_);
  }
  Limiter* limiter_ = nullptr;
  Decision decision_;
  Ticket ticket_ = {};
  bool refunded_ = false;
};

/// Safe from any thread. The state is in memory (memory_limiter.h) or shared (redis_limiter.h).
class Limiter {
 public:
  virtual ~Limiter() = default;

  /// Tests all limits, then charges all of them or none. Order: ban, primary, concurrent, points,
  /// CPU, content, compute. Waits only for shared state, and no longer than store.timeout_ms.
  virtual Admission admit(const Identity& identity, const Charge& charge) = 0;
  /// The same for an account that has a note, `identity.account`'s for ever: what finding it took
  /// is in there for the next time.
  virtual Admission admit_noted(const Identity& identity, const Charge& charge,
                                AccountNote& /*note*/) {
    return admit(identity, charge);
  }
  /// What admit() would decide now. Charges nothing, and is no strike.
  virtual Decision test(const Identity& identity, const Charge& charge) = 0;
  /// A decision about this account may be asked for soon: what it will read starts to come from
  /// memory. Decides and counts nothing, and may be left out. Does not block.
  virtual void announce(const Identity& /*identity*/, AccountNote& /*note*/) {}

  /// Every shown resource in the order of the policy; charges nothing. A window that is over reads
  /// as untouched: used 0, reset one window from now.
  virtual std::vector<WindowState> windows(const Identity& identity) = 0;
  /// What an administrator sees: windows, and the secondary counters that no client does.
  virtual Json describe(const Identity& identity) = 0;
  /// What describe() calls the endpoint that charge_of() gave this number: "POST /_search". For the
  /// start and new policies, not for each request.
  virtual void name_endpoint(std::uint32_t endpoint, std::string_view name);
  /// Forgets what was counted, but not requests under way. False where nothing was.
  virtual bool reset(std::string_view account) = 0;

  /// Which accounts used most and which were refused, as whoever asks the limiter has noted there.
  BusyAccounts& busy() { return busy_; }

  /// Holds for decisions from now on; counts go on. Charges of the old policy stay usable.
  virtual void set_policy(std::shared_ptr<const Policy> policy) = 0;
  virtual std::shared_ptr<const Policy> policy() const = 0;

  /// Primary windows, content counts and bans as bytes, to survive a restart; restore() drops what
  /// is over. Errors of restore: corrupt.
  virtual std::string save() const = 0;
  virtual Status restore(std::string_view bytes) = 0;

 protected:
  /// As it was named; eight hexadecimal digits where it was not. Limiters keep 30 bits of the
  /// number.
  std::string name_of_endpoint(std::uint32_t upper_bits) const;

  // For implementations: Admissions are made and taken apart here only.

  /// An admission that ends in release(ticket).
  Admission make(const Decision& decision, const Ticket& ticket) {
    Admission out;
    out.decision_ = decision;
    hold(out, ticket);
    return out;
  }
  /// A refusal, or an admission of which nothing is kept: release() is not called.
  static Admission make(const Decision& decision) {
    Admission out;
    out.decision_ = decision;
    return out;
  }
  // The same in steps, for a decision that is made in its place.
  static Decision& decision_in(Admission& admission) { return admission.decision_; }
  void hold(Admission& admission, const Ticket& ticket) {
    admission.limiter_ = this;
    admission.ticket_ = ticket;
  }
  /// Called once for each ticket. Must not block.
  virtual void release(const Ticket& ticket, std::int64_t cpu_ns) = 0;
  /// Takes back the primary charge where its window still runs, and says so; `decision` then shows
  /// the window as it is. Called at most once for each ticket, before release().
  virtual bool give_back(const Ticket& ticket, Decision& decision) = 0;

 private:
  friend class Admission;
  BusyAccounts busy_;
  mutable Mutex names_mutex_;
  std::unordered_map<std::uint32_t, std::string> names_ CAIRN_GUARDED_BY(names_mutex_);
};

inline void Admission::refund() {
  if (limiter_ == nullptr || refunded_) return;
  refunded_ = true;
  limiter_->give_back(ticket_, decision_);
}

inline void Admission::finish(std::int64_t cpu_ns) {
  if (Limiter* const limiter = std::exchange(limiter_, nullptr)) limiter->release(ticket_, cpu_ns);
}

}  // namespace cairn::ratelimit
