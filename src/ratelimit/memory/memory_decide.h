// SPDX-License-Identifier: Apache-2.0
// All limits tested, then all of them charged or none, on one locked record.
#pragma once

#include "ratelimit/limiter.h"
#include "ratelimit/memory/memory_rules.h"
#include "ratelimit/memory/memory_table.h"

namespace cairn::ratelimit {

/// What an admitted request leaves behind to be taken apart again; see Ticket. Kept in the words of
/// a ticket, because halves that were just stored are slow to read as one.
struct Held {
  static constexpr std::uint32_t live = 1;  // counted among the requests under way
  static constexpr std::uint32_t live_objects = 2;
  static constexpr std::uint32_t graphql = 4;
  static constexpr std::uint32_t cpu = 8;  // CPU time is charged to the record

  std::uint64_t key = 0;
  std::uint32_t place = 0;  // of the record
  std::uint32_t flags = 0;
  std::uint64_t window = 0;  // that was charged, see charged(); 0: none
  std::uint64_t cost = 0;

  /// `cell` of the window; none: core.
  static std::uint64_t charged(std::uint32_t reset_s, std::uint32_t cell) {
    return std::uint64_t{reset_s} << 32 | cell;
  }
  std::uint32_t reset_s() const { return static_cast<std::uint32_t>(window >> 32); }
  std::uint32_t cell() const { return static_cast<std::uint32_t>(window); }
  bool has(std::uint32_t flag) const { return (flags & flag) != 0; }

  Ticket ticket() const { return {key, std::uint64_t{flags} << 32 | place, window, cost}; }
  static Held of(const Ticket& ticket) {
    return {.key = ticket[0],
            .place = static_cast<std::uint32_t>(ticket[1]),
            .flags = static_cast<std::uint32_t>(ticket[1] >> 32),
            .window = ticket[2],
            .cost = ticket[3]};
  }
};

/// What the policy says of one request, whatever was counted.
struct Terms {
  Terms(const Rules& rules, const Identity& identity, const Charge& charge);
  bool of_objects;
  bool free;  // of the secondary limits: object storage or services without a plan, and rules
  std::uint16_t resource;
  std::uint32_t endpoint;  // the id of its cell
  std::uint32_t window_s;
  Limit limit;
};

struct Request {
  const Rules& rules;
  const Moment& now;
  const Charge& charge;
  const Terms& terms;
  bool exempt = false;
};

/// `slot` is the identity's record, locked. `decision` is a fresh one. Sets `held` but for its
/// place and key.
void decide(const Request& request, MemoryTable& table, Slot& slot, Decision& decision, Held& held);

/// The same without charging anything.
void test(const Request& request, MemoryTable& table, Slot& slot, Decision& decision);

/// The window of one resource as it is shown; nothing where there is no limit. `slot` may be null:
/// an identity that is not known. Charges nothing.
std::optional<WindowState> window_of(const Rules& rules, const Moment& now,
                                     const Identity& identity, std::uint16_t resource,
                                     const MemoryTable& table, const Slot* slot);

/// Takes back what was charged, if its window still runs: what is used then, else nothing.
std::optional<std::uint32_t> give_back(const Held& held, const Moment& now, MemoryTable& table,
                                       Slot& slot);

/// Ends a request. False where the record says that none was under way.
bool end_request(const Held& held, std::int64_t cpu_ns, const Rules& rules, const Moment& now,
                 Slot& slot);

}  // namespace cairn::ratelimit
