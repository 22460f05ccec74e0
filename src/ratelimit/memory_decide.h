// SPDX-License-Identifier: Apache-2.0
// All limits tested, then all of them charged or none, on one locked record.
#pragma once

#include "ratelimit/limiter.h"
#include "ratelimit/memory_rules.h"
#include "ratelimit/memory_table.h"

namespace cairn::ratelimit {

/// What an admitted request leaves behind to be taken apart again; see Ticket.
struct Held {
  std::uint32_t place = 0;  // of the record
  bool live = false;        // counted among the requests under way
  bool live_objects = false;
  bool graphql = false;
  bool cpu = false;           // CPU time is charged to the record
  std::uint32_t cell = 0;     // of the window that was charged; none: core
  std::uint32_t reset_s = 0;  // of that window; 0: nothing was charged
  std::uint32_t cost = 0;
  std::uint64_t key = 0;

  Ticket ticket() const {
    const std::uint64_t flags =
        (live ? 1u : 0u) | (live_objects ? 2u : 0u) | (graphql ? 4u : 0u) | (cpu ? 8u : 0u);
    return {key, flags << 32 | place, std::uint64_t{reset_s} << 32 | cell, cost};
  }
  static Held of(const Ticket& ticket) {
    const std::uint64_t flags = ticket[1] >> 32;
    return {.place = static_cast<std::uint32_t>(ticket[1]),
            .live = (flags & 1) != 0,
            .live_objects = (flags & 2) != 0,
            .graphql = (flags & 4) != 0,
            .cpu = (flags & 8) != 0,
            .cell = static_cast<std::uint32_t>(ticket[2]),
            .reset_s = static_cast<std::uint32_t>(ticket[2] >> 32),
            .cost = static_cast<std::uint32_t>(ticket[3]),
            .key = ticket[0]};
  }
};

/// What the policy says of one request, whatever was counted.
struct Terms {
  Terms(const Rules& rules, const Identity& identity, const Charge& charge);
  bool of_objects;
  bool free;  // of every limit: object storage or services without a plan
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
