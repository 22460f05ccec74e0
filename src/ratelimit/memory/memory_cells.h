// SPDX-License-Identifier: Apache-2.0
// The counters of one locked record beyond those that every record has.
#pragma once

#include <bit>

#include "ratelimit/memory/memory_table.h"

namespace cairn::ratelimit {

/// Null where there is none.
const Cell* find_cell(const MemoryTable& table, const Slot& slot, std::uint32_t id);
inline Cell* find_cell(MemoryTable& table, Slot& slot, std::uint32_t id) {
  // All four are compared, since no processor can foretell which it is.
  const Cell* const cells = slot.record.cells;
  const unsigned same = (cells[0].id == id ? 1u : 0u) | (cells[1].id == id ? 2u : 0u) |
                        (cells[2].id == id ? 4u : 0u) | (cells[3].id == id ? 8u : 0u);
  if (same != 0) return &slot.record.cells[std::countr_zero(same)];
  if (slot.next == 0) return nullptr;
  return const_cast<Cell*>(find_cell(static_cast<const MemoryTable&>(table), slot, id));
}
/// The cell, made if need be, in the place of one that is over or in a new block. Where there is no
/// room, endpoints share one cell, which is the stricter for them. Null where even that does not
/// help.
Cell* claim_cell(MemoryTable& table, Slot& slot, std::uint32_t id, const Moment& now,
                 const BanTimes& bans);
/// The same for an endpoint: its own cell, or the one that endpoints without room share.
Cell* claim_endpoint(MemoryTable& table, Slot& slot, std::uint32_t id, const Moment& now,
                     const BanTimes& bans);

const Content* find_content(const MemoryTable& table, const Slot& slot, std::uint32_t id);
Content* claim_content(MemoryTable& table, Slot& slot, std::uint32_t id, const Moment& now);
constexpr std::uint32_t all_content = 1;  // Content::id of what is counted over all endpoints

}  // namespace cairn::ratelimit
